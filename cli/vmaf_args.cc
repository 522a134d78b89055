#include "cli/vmaf_args.h"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "base/environment.h"

namespace acutance::cli {
namespace {

constexpr int kMaxModels = 32;  // of libvmaf's tool
constexpr int kMaxThreads = 1024;

enum LongOption {
  kXml = 256,
  kJson,
  kCsv,
  kSub,
  kThreads,
  kFeature,
  kSubsample,
  kCpuMask,
  kGpuMask,
  kFrameCount,
  kSkipReference,
  kSkipDistorted,
  kAomCtc,
  kNflxCtc,
  kHelp,
  kBackend,
  kDevice,
  kPrecision,
  kMaxMemory,
  kMaxVram,
  kVerify,
  kListBackends,
  kNoBackend = 1000,      // and on: --no_cuda and its like
  kBackendDevice = 2000,  // and on: --cuda_device and its like
};

constexpr const char* kFirstOwnOption = "help";

/// Those of libvmaf's tool first.
constexpr option kLongOptions[] = {
    {"reference", required_argument, nullptr, 'r'},
    {"distorted", required_argument, nullptr, 'd'},
    {"width", required_argument, nullptr, 'w'},
    {"height", required_argument, nullptr, 'h'},
    {"pixel_format", required_argument, nullptr, 'p'},
    {"bitdepth", required_argument, nullptr, 'b'},
    {"model", required_argument, nullptr, 'm'},
    {"output", required_argument, nullptr, 'o'},
    {"xml", no_argument, nullptr, kXml},
    {"json", no_argument, nullptr, kJson},
    {"csv", no_argument, nullptr, kCsv},
    {"sub", no_argument, nullptr, kSub},
    {"threads", required_argument, nullptr, kThreads},
    {"feature", required_argument, nullptr, kFeature},
    {"subsample", required_argument, nullptr, kSubsample},
    {"cpumask", required_argument, nullptr, kCpuMask},
    {"gpumask", required_argument, nullptr, kGpuMask},
    {"frame_cnt", required_argument, nullptr, kFrameCount},
    {"frame_skip_ref", required_argument, nullptr, kSkipReference},
    {"frame_skip_dist", required_argument, nullptr, kSkipDistorted},
    {"aom_ctc", required_argument, nullptr, kAomCtc},
    {"nflx_ctc", required_argument, nullptr, kNflxCtc},
    {"no_prediction", no_argument, nullptr, 'n'},
    {"quiet", no_argument, nullptr, 'q'},
    {"version", no_argument, nullptr, 'v'},
    {kFirstOwnOption, no_argument, nullptr, kHelp},
    {"backend", required_argument, nullptr, kBackend},
    {"precision", required_argument, nullptr, kPrecision},
    {"max-memory", required_argument, nullptr, kMaxMemory},
    {"max-vram", required_argument, nullptr, kMaxVram},
    {"verify", required_argument, nullptr, kVerify},
    {"list-backends", no_argument, nullptr, kListBackends},
    {"device", required_argument, nullptr, kDevice},
};

/// Those that options name: of this build, and one of libvmaf's that scripts may leave out.
const std::vector<std::string>& BackendFlags() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found = {"metal"};
    for (const Backend* backend : Backends()) found.emplace_back(backend->name);
    return found;
  }();
  return names;
}

/// kLongOptions, and two of each backend, as getopt wants them.
const option* LongOptions() {
  static const auto* names = new std::vector<std::string>([] {
    std::vector<std::string> made;
    for (const std::string& backend : BackendFlags()) made.push_back("no_" + backend);
    for (const std::string& backend : BackendFlags()) made.push_back(backend + "_device");
    return made;
  }());
  static const auto* options = new std::vector<option>([] {
    const int count = static_cast<int>(BackendFlags().size());
    std::vector<option> made(std::begin(kLongOptions), std::end(kLongOptions));
    for (int i = 0; i < count; ++i) {
      made.push_back({(*names)[i].c_str(), no_argument, nullptr, kNoBackend + i});
      made.push_back({(*names)[count + i].c_str(), required_argument, nullptr, kBackendDevice + i});
    }
    made.push_back({nullptr, 0, nullptr, 0});
    return made;
  }());
  return options->data();
}

/// Those of kLongOptions that are libvmaf's, as getopt wants them.
const option* LibvmafOptions() {
  static const auto* options = new std::vector<option>([] {
    const auto is_own = [](const option& each) { return each.name == std::string_view(kFirstOwnOption); };
    std::vector<option> made(std::begin(kLongOptions), std::ranges::find_if(kLongOptions, is_own));
    made.push_back({nullptr, 0, nullptr, 0});
    return made;
  }());
  return options->data();
}

/// The options among which getopt looks up its next one. A prefix that is unambiguous in libvmaf's tool means the same
/// here, so that it is looked up among libvmaf's alone.
const option* OptionsForNext(int argc, char** argv) {
  int next = std::max(optind, 1);                                                 // 0: getopt starts anew
  while (next < argc && (argv[next][0] != '-' || argv[next][1] == '\0')) ++next;  // operands, which getopt passes over
  const std::string_view word = next < argc ? argv[next] : "";
  if (!word.starts_with("--")) return LongOptions();
  const std::string_view name = word.substr(2, word.find('=') == word.npos ? word.npos : word.find('=') - 2);
  int matches = 0;
  for (const option* each = LibvmafOptions(); each->name; ++each)
    if (std::string_view(each->name).starts_with(name)) ++matches;
  return matches == 1 ? LibvmafOptions() : LongOptions();
}

/// A preset of --aom_ctc or --nflx_ctc (docs/spec/system.md 5.3).
struct Preset {
  std::string_view name;
  std::vector<const char*> models;
  std::vector<const char*> features;
  bool raise_bit_depth = false;
};

std::vector<const char*> AomFeatures(bool cambi, const char* ssim) {
  std::vector<const char*> features = {"psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5", "ciede", ssim,
                                       "float_ms_ssim=enable_db=true:clip_db=true", "psnr_hvs"};
  if (cambi) features.push_back("cambi");
  return features;
}

const std::vector<Preset>& AomPresets() {
  static const std::vector<const char*> models = {"version=vmaf_v0.6.1:name=vmaf",
                                                  "version=vmaf_v0.6.1neg:name=vmaf_neg"};
  static const char* const kSsim = "float_ssim=enable_db=true:clip_db=true";
  static const char* const kSsimScale1 = "float_ssim=scale=1:enable_db=true:clip_db=true";
  static const std::vector<Preset> presets = {{"v1.0", models, AomFeatures(false, kSsim)},
                                              {"v2.0", models, AomFeatures(false, kSsim)},
                                              {"v3.0", models, AomFeatures(true, kSsim)},
                                              {"v4.0", models, AomFeatures(true, kSsim)},
                                              {"v5.0", models, AomFeatures(true, kSsim)},
                                              {"v6.0", models, AomFeatures(true, kSsim), true},
                                              {"v7.0", models, AomFeatures(true, kSsimScale1), true}};
  return presets;
}

const std::vector<Preset>& NetflixPresets() {
  static const std::vector<Preset> presets = {
      {"v1.0",
       {"version=vmaf_4k_v0.6.1:name=vmaf", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"},
       {"psnr=enable_chroma=true:enable_apsnr=true", "float_ssim=enable_db=true:clip_db=true", "cambi"}}};
  return presets;
}

/// Turns getopt's results into VmafArgs.
class ArgReader {
 public:
  Status Read(int option, const char* value);
  Status Finish();
  VmafArgs args;

 private:
  Result<int64_t> Number(const char* value, const char* name, int64_t min, int64_t max) const;
  template <class T>
  Status Store(T& target, const char* value, const char* name, int64_t min, int64_t max);
  Status ReadRawOption(int option, const char* value);
  Status AddModel(const std::string& text);
  Status AddFeature(const std::string& text);
  Status ReadDevice(const char* value, const char* backend);
  Status Exclude(const char* backend);
  Status AddPreset(const char* flag, const std::vector<Preset>& presets, const std::string& name);
  Status CheckModels() const;

  PictureFormat raw_;
  std::set<char> raw_given_;
};

Result<int64_t> ArgReader::Number(const char* value, const char* name, int64_t min, int64_t max) const {
  errno = 0;
  char* end = nullptr;
  const int64_t number = std::strtoll(value, &end, 0);
  if (end == value || *end != '\0' || errno != 0)
    return Error(StatusCode::kInvalidArgument, "Invalid argument \"{}\" for option {}; should be an integer", value,
                 name);
  if (number < min || number > max)
    return Error(StatusCode::kInvalidArgument, "Invalid argument \"{}\" for option {}; should be {} to {}", value, name,
                 min, max);
  return number;
}

Status StoreBytes(std::optional<size_t>& target, const char* value, const char* name) {
  const Result<size_t> bytes = ParseBytes(value);
  if (!bytes.ok()) return Error(StatusCode::kInvalidArgument, "{}: {}", name, bytes.status().message());
  target = *bytes;
  return {};
}

template <class T>
Status ArgReader::Store(T& target, const char* value, const char* name, int64_t min, int64_t max) {
  ACU_ASSIGN_OR_RETURN(const int64_t number, Number(value, name, min, max));
  target = static_cast<T>(number);
  return {};
}

Status ArgReader::ReadRawOption(int option, const char* value) {
  raw_given_.insert(static_cast<char>(option));
  const std::string_view text = value;
  if (option == 'w') return Store(raw_.width, value, "-w/--width", 1, kMaxDimension);
  if (option == 'h') return Store(raw_.height, value, "-h/--height", 1, kMaxDimension);
  if (option == 'b') {
    if (text != "8" && text != "10" && text != "12" && text != "16")
      return Error(StatusCode::kInvalidArgument,
                   "Invalid argument \"{}\" for option -b/--bitdepth; should be a valid bitdepth (8/10/12/16)", text);
    return Store(raw_.bit_depth, value, "-b/--bitdepth", 8, 16);
  }
  constexpr std::pair<std::string_view, PixelFormat> kFormats[] = {
      {"420", PixelFormat::k420}, {"422", PixelFormat::k422}, {"444", PixelFormat::k444}, {"400", PixelFormat::k400}};
  for (const auto& [name, format] : kFormats) {
    if (text != name) continue;
    raw_.pixel_format = format;
    return {};
  }
  return Error(StatusCode::kInvalidArgument,
               "Invalid argument \"{}\" for option -p/--pixel_format; should be a valid pixel format (420/422/444)",
               text);
}

Status ArgReader::AddModel(const std::string& text) {
  if (args.models.size() == kMaxModels)
    return Error(StatusCode::kInvalidArgument, "A maximum of {} models are supported", kMaxModels);
  ACU_ASSIGN_OR_RETURN(ModelSpec spec, ParseModelSpec(text));
  args.models.push_back(std::move(spec));
  return {};
}

Status ArgReader::ReadDevice(const char* value, const char* backend) {
  constexpr int kMostDevices = 1024;
  ACU_ASSIGN_OR_RETURN(const int64_t index, Number(value, "--device", 0, kMostDevices));
  args.device.index = static_cast<int>(index);
  if (backend) args.device.backend = backend;
  return {};
}

Status ArgReader::Exclude(const char* backend) {
  args.device.excluded.push_back(backend);
  return {};
}

Status ArgReader::AddFeature(const std::string& text) {
  if (args.features.size() == kMaxModels)
    return Error(StatusCode::kInvalidArgument, "A maximum of {} features are supported", kMaxModels);
  ACU_ASSIGN_OR_RETURN(FeatureRequest request, ParseFeatureSpec(text));
  args.features.push_back(std::move(request));
  return {};
}

Status ArgReader::AddPreset(const char* flag, const std::vector<Preset>& presets, const std::string& name) {
  if (name == "proposed") return Error(StatusCode::kInvalidArgument, "`--{} proposed` is deprecated.", flag);
  for (const Preset& preset : presets) {
    if (preset.name != name) continue;
    args.raise_bit_depth |= preset.raise_bit_depth;
    for (const char* model : preset.models) ACU_RETURN_IF_ERROR(AddModel(model));
    for (const char* feature : preset.features) ACU_RETURN_IF_ERROR(AddFeature(feature));
    return {};
  }
  return Error(StatusCode::kInvalidArgument, "bad {} version \"{}\"", flag, name);
}

Status ArgReader::Read(int option, const char* value) {
  constexpr int64_t kMaxU32 = std::numeric_limits<uint32_t>::max();
  constexpr int64_t kMaxFrames = std::numeric_limits<int64_t>::max();
  int64_t ignored = 0;
  switch (option) {
    case 'r':
      args.reference = value;
      return {};
    case 'd':
      args.distorted = value;
      return {};
    case 'w':
    case 'h':
    case 'p':
    case 'b':
      return ReadRawOption(option, value);
    case 'm':
      return AddModel(value);
    case 'o':
      if (*value == '\0') return Error(StatusCode::kInvalidArgument, "The path for option -o/--output is empty");
      args.output = value;
      return {};
    case 'c':
      return {};
    case 'n':
      args.predict = false;
      return {};
    case 'q':
      args.quiet = true;
      return {};
    case 'v':
      args.action = VmafArgs::Action::kPrintVersion;
      return {};
    case kHelp:
      args.action = VmafArgs::Action::kPrintHelp;
      return {};
    case kListBackends:
      args.action = VmafArgs::Action::kListBackends;
      return {};
    case kXml:
      args.format = "xml";
      return {};
    case kJson:
      args.format = "json";
      return {};
    case kCsv:
      args.format = "csv";
      return {};
    case kSub:
      args.format = "sub";
      return {};
    case kFeature:
      return AddFeature(value);
    case kThreads:
      return Store(args.threads, value, "--threads", 0, kMaxThreads);
    case kSubsample:
      ACU_RETURN_IF_ERROR(Store(args.subsample, value, "--subsample", 0, std::numeric_limits<int>::max()));
      args.subsample = std::max(args.subsample, 1);
      return {};
    case kCpuMask:
      return Store(ignored, value, "--cpumask", -1, kMaxU32);
    case kGpuMask:
      ACU_RETURN_IF_ERROR(Store(ignored, value, "--gpumask", -1, kMaxU32));
      if (ignored != 0) args.device.backend = "cpu";  // libvmaf: any bit keeps the GPU out
      return {};
    case kFrameCount:
      return Store(args.frame_count, value, "--frame_cnt", 0, kMaxFrames);
    case kSkipReference:
      return Store(args.skip_reference, value, "--frame_skip_ref", 0, kMaxFrames);
    case kSkipDistorted:
      return Store(args.skip_distorted, value, "--frame_skip_dist", 0, kMaxFrames);
    case kAomCtc:
      return AddPreset("aom_ctc", AomPresets(), value);
    case kNflxCtc:
      return AddPreset("nflx_ctc", NetflixPresets(), value);
    case kBackend:
      args.device.backend = value;
      return {};
    case kPrecision:
      args.precision = value;
      return {};
    case kMaxMemory:
      return StoreBytes(args.max_memory, value, "--max-memory");
    case kMaxVram:
      return StoreBytes(args.max_vram, value, "--max-vram");
    case kVerify:
      return Store(args.verify, value, "--verify", 1, std::numeric_limits<int>::max());
    case kDevice:
      return ReadDevice(value, nullptr);
  }
  if (option >= kBackendDevice) return ReadDevice(value, BackendFlags()[option - kBackendDevice].c_str());
  if (option >= kNoBackend) return Exclude(BackendFlags()[option - kNoBackend].c_str());
  return Error(StatusCode::kInvalidArgument, "");  // getopt has said what is wrong
}

Status ArgReader::CheckModels() const {
  std::set<std::string> names;
  for (const ModelSpec& model : args.models)
    if (!names.insert(model.name).second)
      return Error(
          StatusCode::kInvalidArgument,
          "Each model should be uniquely named. Set using `--model` via the `name=` key. \"{}\" is taken twice.",
          model.name);
  return {};
}

Status ArgReader::Finish() {
  if (args.action != VmafArgs::Action::kScore) return {};
  if (args.reference.empty())
    return Error(StatusCode::kInvalidArgument, "Reference .y4m or .yuv (-r/--reference) is required");
  if (args.distorted.empty())
    return Error(StatusCode::kInvalidArgument, "Distorted .y4m or .yuv (-d/--distorted) is required");
  if (!raw_given_.empty()) {
    if (raw_given_.size() != 4)
      return Error(StatusCode::kInvalidArgument,
                   "The following options are required for .yuv input:\n  --width/-w\n  --height/-h\n"
                   "  --pixel_format/-p\n  --bitdepth/-b");
    args.raw = raw_;
  }
  if (args.models.empty() && args.predict) ACU_RETURN_IF_ERROR(AddModel("version=vmaf_v0.6.1"));
  return CheckModels();
}

}  // namespace

Result<VmafArgs> ParseVmafArgs(int argc, char** argv) {
  ArgReader reader;
  optind = 0;  // 1 would let getopt continue inside the argument where an earlier call was left
  constexpr const char* kShortOptions = "r:d:w:h:p:b:m:c:o:nvq";
  for (int option; (option = getopt_long(argc, argv, kShortOptions, OptionsForNext(argc, argv), nullptr)) != -1;)
    ACU_RETURN_IF_ERROR(reader.Read(option, optarg));
  ACU_RETURN_IF_ERROR(reader.Finish());
  return std::move(reader.args);
}

}  // namespace acutance::cli
