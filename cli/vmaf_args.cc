#include "cli/vmaf_args.h"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "devices/backends.h"

namespace acutance::cli {
namespace {

constexpr int kMaxModels = 32;  // of libvmaf's tool
constexpr int kMaxThreads = 1024;

/// Values of getopt_long for long options: a flag's letter; without one kLongFlag + its place in kFlags. Then come two
/// options of each backend.
constexpr int kLongFlag = 256;
constexpr int kNoBackend = 1000;      // and on: --no_cuda and its like
constexpr int kBackendDevice = 2000;  // and on: --cuda_device and its like

class ArgReader;

/// An option of the command line.
struct Flag {
  const char* name;
  char letter;  // '\0': none
  bool takes_value;
  Status (*read)(ArgReader& reader, const char* value);
};

std::span<const Flag> Flags();

/// The first option that libvmaf's tool does not have; all after it are acutance's, too.
constexpr std::string_view kFirstOwnOption = "help";

std::vector<option> OptionsOf(std::span<const Flag> flags) {
  std::vector<option> options;
  for (const Flag& flag : flags)
    options.push_back({flag.name, flag.takes_value ? required_argument : no_argument, nullptr,
                       flag.letter ? flag.letter : kLongFlag + static_cast<int>(options.size())});
  return options;
}

/// Those that options name: of this build, and one of libvmaf's that scripts may leave out.
const std::vector<std::string>& BackendFlags() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found = {"metal"};
    for (const Backend* backend : Backends()) found.emplace_back(backend->name);
    return found;
  }();
  return names;
}

/// All options, as getopt wants them.
const option* LongOptions() {
  static const auto* names = new std::vector<std::string>([] {
    std::vector<std::string> made;
    for (const std::string& backend : BackendFlags()) made.push_back("no_" + backend);
    for (const std::string& backend : BackendFlags()) made.push_back(backend + "_device");
    return made;
  }());
  static const auto* options = new std::vector<option>([] {
    const int count = static_cast<int>(BackendFlags().size());
    std::vector<option> made = OptionsOf(Flags());
    for (int i = 0; i < count; ++i) {
      made.push_back({(*names)[i].c_str(), no_argument, nullptr, kNoBackend + i});
      made.push_back({(*names)[count + i].c_str(), required_argument, nullptr, kBackendDevice + i});
    }
    made.push_back({});
    return made;
  }());
  return options->data();
}

/// The options of libvmaf's tool, as getopt wants them.
const option* LibvmafOptions() {
  static const auto* options = new std::vector<option>([] {
    const auto own = std::ranges::find(Flags(), kFirstOwnOption, &Flag::name);
    std::vector<option> made = OptionsOf({Flags().begin(), own});
    made.push_back({});
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

template <class T, class Value>
Status Set(T& target, const Value& value) {
  target = value;
  return {};
}

/// Turns getopt's results into VmafArgs.
class ArgReader {
 public:
  ArgReader() {
    args.run.threads = 0;
    args.run.fit = {};
    args.run.device.backend = "auto";
  }
  Status Read(int option, const char* value);
  Status Finish();

  template <class T>
  Status Store(T& target, const char* value, const char* name, int64_t min,
               int64_t max = std::numeric_limits<T>::max()) const;
  Status ReadRawOption(int option, const char* value);
  Status AddModel(const std::string& text);
  Status AddFeature(const std::string& text);
  Status ReadDevice(const char* value, const char* backend);
  Status AddPreset(const char* flag, const std::vector<Preset>& presets, const std::string& name);

  VmafArgs args;

 private:
  Status CheckModels() const;

  PictureFormat raw_;
  std::set<char> raw_given_;
};

Status StoreBytes(std::optional<size_t>& target, const char* value, const char* name) {
  const Result<size_t> bytes = ParseBytes(value);
  if (!bytes.ok()) return Error(StatusCode::kInvalidArgument, "{}: {}", name, bytes.status().message());
  target = *bytes;
  return {};
}

template <class T>
Status ArgReader::Store(T& target, const char* value, const char* name, int64_t min, int64_t max) const {
  errno = 0;
  char* end = nullptr;
  const int64_t number = std::strtoll(value, &end, 0);
  if (end == value || *end != '\0' || errno != 0)
    return Error(StatusCode::kInvalidArgument, "Invalid argument \"{}\" for option {}; should be an integer", value,
                 name);
  if (number < min || number > max)
    return Error(StatusCode::kInvalidArgument, "Invalid argument \"{}\" for option {}; should be {} to {}", value, name,
                 min, max);
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
  if (args.run.choice.specs.size() == kMaxModels)
    return Error(StatusCode::kInvalidArgument, "A maximum of {} models are supported", kMaxModels);
  ACU_ASSIGN_OR_RETURN(ModelSpec spec, ParseModelSpec(text));
  args.run.choice.specs.push_back(std::move(spec));
  return {};
}

Status ArgReader::ReadDevice(const char* value, const char* backend) {
  constexpr int kMostDevices = 1024;
  ACU_RETURN_IF_ERROR(Store(args.run.device.index.emplace(), value, "--device", 0, kMostDevices));
  if (backend) args.run.device.backend = backend;
  return {};
}

Status ArgReader::AddFeature(const std::string& text) {
  if (args.run.features.size() == kMaxModels)
    return Error(StatusCode::kInvalidArgument, "A maximum of {} features are supported", kMaxModels);
  ACU_ASSIGN_OR_RETURN(FeatureRequest request, ParseFeatureSpec(text));
  args.run.features.push_back(std::move(request));
  return {};
}

Status ArgReader::AddPreset(const char* flag, const std::vector<Preset>& presets, const std::string& name) {
  if (name == "proposed") return Error(StatusCode::kInvalidArgument, "`--{} proposed` is deprecated.", flag);
  for (const Preset& preset : presets) {
    if (preset.name != name) continue;
    args.run.fit.raise_bit_depth |= preset.raise_bit_depth;
    for (const char* model : preset.models) ACU_RETURN_IF_ERROR(AddModel(model));
    for (const char* feature : preset.features) ACU_RETURN_IF_ERROR(AddFeature(feature));
    return {};
  }
  return Error(StatusCode::kInvalidArgument, "bad {} version \"{}\"", flag, name);
}

using Reader = ArgReader;
using Value = const char*;

/// Those of libvmaf's tool first.
constexpr Flag kFlags[] = {
    {"reference", 'r', true, [](Reader& r, Value v) { return Set(r.args.run.reference, v); }},
    {"distorted", 'd', true, [](Reader& r, Value v) { return Set(r.args.run.distorted, std::vector<std::string>{v}); }},
    {"width", 'w', true, [](Reader& r, Value v) { return r.ReadRawOption('w', v); }},
    {"height", 'h', true, [](Reader& r, Value v) { return r.ReadRawOption('h', v); }},
    {"pixel_format", 'p', true, [](Reader& r, Value v) { return r.ReadRawOption('p', v); }},
    {"bitdepth", 'b', true, [](Reader& r, Value v) { return r.ReadRawOption('b', v); }},
    {"model", 'm', true, [](Reader& r, Value v) { return r.AddModel(v); }},
    {"output", 'o', true,
     [](Reader& r, Value v) {
       return *v ? Set(r.args.output, v)
                 : Error(StatusCode::kInvalidArgument, "The path for option -o/--output is empty");
     }},
    {"xml", 0, false, [](Reader& r, Value) { return Set(r.args.format, "xml"); }},
    {"json", 0, false, [](Reader& r, Value) { return Set(r.args.format, "json"); }},
    {"csv", 0, false, [](Reader& r, Value) { return Set(r.args.format, "csv"); }},
    {"sub", 0, false, [](Reader& r, Value) { return Set(r.args.format, "sub"); }},
    {"threads", 0, true,
     [](Reader& r, Value v) { return r.Store(r.args.run.threads, v, "--threads", 0, kMaxThreads); }},
    {"feature", 0, true, [](Reader& r, Value v) { return r.AddFeature(v); }},
    {"subsample", 0, true,
     [](Reader& r, Value v) {
       const Status status = r.Store(r.args.run.subsample, v, "--subsample", 0);
       r.args.run.subsample = std::max(r.args.run.subsample, 1);
       return status;
     }},
    {"cpumask", 0, true,
     [](Reader& r, Value v) {
       int64_t ignored = 0;
       return r.Store(ignored, v, "--cpumask", -1, std::numeric_limits<uint32_t>::max());
     }},
    {"gpumask", 0, true,
     [](Reader& r, Value v) {
       int64_t mask = 0;
       const Status status = r.Store(mask, v, "--gpumask", -1, std::numeric_limits<uint32_t>::max());
       if (mask != 0) r.args.run.device.backend = "cpu";  // libvmaf: any bit keeps the GPU out
       return status;
     }},
    {"frame_cnt", 0, true, [](Reader& r, Value v) { return r.Store(r.args.run.frame_limit, v, "--frame_cnt", 0); }},
    {"frame_skip_ref", 0, true,
     [](Reader& r, Value v) { return r.Store(r.args.run.skip_reference, v, "--frame_skip_ref", 0); }},
    {"frame_skip_dist", 0, true,
     [](Reader& r, Value v) { return r.Store(r.args.run.skip_distorted, v, "--frame_skip_dist", 0); }},
    {"aom_ctc", 0, true, [](Reader& r, Value v) { return r.AddPreset("aom_ctc", AomPresets(), v); }},
    {"nflx_ctc", 0, true, [](Reader& r, Value v) { return r.AddPreset("nflx_ctc", NetflixPresets(), v); }},
    {"no_prediction", 'n', false, [](Reader& r, Value) { return Set(r.args.predict, false); }},
    {"quiet", 'q', false, [](Reader& r, Value) { return Set(r.args.quiet, true); }},
    {"version", 'v', false, [](Reader& r, Value) { return Set(r.args.action, VmafArgs::Action::kPrintVersion); }},
    {"help", 0, false, [](Reader& r, Value) { return Set(r.args.action, VmafArgs::Action::kPrintHelp); }},
    {"backend", 0, true, [](Reader& r, Value v) { return Set(r.args.run.device.backend, v); }},
    {"precision", 0, true, [](Reader& r, Value v) { return Set(r.args.precision, v); }},
    {"max-memory", 0, true, [](Reader& r, Value v) { return StoreBytes(r.args.run.max_memory, v, "--max-memory"); }},
    {"max-vram", 0, true, [](Reader& r, Value v) { return StoreBytes(r.args.run.max_device_memory, v, "--max-vram"); }},
    {"verify", 0, true, [](Reader& r, Value v) { return r.Store(r.args.run.verify, v, "--verify", 1); }},
    {"list-backends", 0, false, [](Reader& r, Value) { return Set(r.args.action, VmafArgs::Action::kListBackends); }},
    {"device", 0, true, [](Reader& r, Value v) { return r.ReadDevice(v, nullptr); }},
    {"avm_ctc", 0, true,
     [](Reader& r, Value v) { return r.AddPreset("avm_ctc", AomPresets(), v); }},  // AVM's guide says so
};

std::span<const Flag> Flags() { return kFlags; }

Status ArgReader::Read(int option, const char* value) {
  if (option == 'c') return {};  // libvmaf's tool takes -c with a value, too, and ignores it
  if (option >= kBackendDevice) return ReadDevice(value, BackendFlags()[option - kBackendDevice].c_str());
  if (option >= kNoBackend) {
    args.run.device.excluded.push_back(BackendFlags()[option - kNoBackend]);
    return {};
  }
  const auto* const flag =
      option >= kLongFlag ? &kFlags[option - kLongFlag] : std::ranges::find(kFlags, option, &Flag::letter);
  if (flag != std::end(kFlags)) return flag->read(*this, value);
  return Error(StatusCode::kInvalidArgument, "");  // getopt has said what is wrong
}

Status ArgReader::CheckModels() const {
  std::set<std::string> names;
  for (const ModelSpec& model : args.run.choice.specs)
    if (!names.insert(model.name).second)
      return Error(
          StatusCode::kInvalidArgument,
          "Each model should be uniquely named. Set using `--model` via the `name=` key. \"{}\" is taken twice.",
          model.name);
  return {};
}

Status ArgReader::Finish() {
  if (args.action != VmafArgs::Action::kScore) return {};
  args.run.read_ahead = args.run.threads > 0;
  args.run.threads = std::max(args.run.threads, 1);
  if (args.run.reference.empty())
    return Error(StatusCode::kInvalidArgument, "Reference .y4m or .yuv (-r/--reference) is required");
  if (args.run.distorted.empty() || args.run.distorted.front().empty())
    return Error(StatusCode::kInvalidArgument, "Distorted .y4m or .yuv (-d/--distorted) is required");
  if (!raw_given_.empty()) {
    if (raw_given_.size() != 4)
      return Error(StatusCode::kInvalidArgument,
                   "The following options are required for .yuv input:\n  --width/-w\n  --height/-h\n"
                   "  --pixel_format/-p\n  --bitdepth/-b");
    args.run.open.raw = raw_;
  }
  if (args.run.choice.specs.empty() && args.predict) ACU_RETURN_IF_ERROR(AddModel("version=vmaf_v0.6.1"));
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

std::string VmafUsage() {
  return R"(Usage: vmaf -r REFERENCE -d DISTORTED [options]

Input
  -r, --reference PATH       reference: .y4m, .yuv, or what FFmpeg decodes
  -d, --distorted PATH       distorted video
  -w, --width N              these four for raw .yuv input
  -h, --height N
  -p, --pixel_format F       420, 422 or 444
  -b, --bitdepth N           8, 10, 12 or 16
      --frame_cnt N          score at most N frames
      --frame_skip_ref N     leave out the first N frames of the reference
      --frame_skip_dist N    leave out the first N frames of the distorted video
      --subsample N          score one frame of N

What to compute
  -m, --model SPEC           version=NAME or path=FILE, then :name=,
                             :disable_clip, :enable_transform,
                             :EXTRACTOR.OPTION=VALUE (up to 32 times;
                             default version=vmaf_v0.6.1)
      --feature NAME[=OPTION=VALUE[:...]]   one more feature (up to 32 times)
      --aom_ctc VERSION, --nflx_ctc VERSION presets of models and features
                             (--avm_ctc is --aom_ctc)
  -n, --no_prediction        features only

Output
  -o, --output PATH          write a log
      --xml, --json, --csv, --sub   its format (default xml)
      --precision N|max|legacy      significant digits of its scores
                                    (default: libvmaf's rule)
  -q, --quiet                no progress
  -v, --version              print the version
      --help                 print this text

Where to run
      --threads N            worker threads (default 0: the main one alone)
      --backend NAME         auto (default), cpu, )" +
         BackendNames() + R"(
      --device N             which of the backend's devices
      --no_cuda, --no_hip, --no_sycl, --no_vulkan
                             leave one out of auto; --gpumask 1: all of them
      --max-memory SIZE, --max-vram SIZE   limits for pictures and features, and
                             for each device: 800M, 2G
      --verify N             compute one frame in N of a device on the CPU, too
      --list-backends        print the backends of this machine as JSON
      --cpumask N            accepted, and without effect

`acutance score --help` describes a command made for people.
)";
}

}  // namespace acutance::cli
