// What each plugin's functions are called and ask for; names, arguments and properties are those of the plugins that
// they stand in for (docs/use/vship.md).
#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>

#include "api/vship/vapoursynth/plugin.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"
#include "metric/metric.h"

namespace acutance::vship {
namespace {

Outcome ReadDevice(const PairCall& call, PairSettings& settings) {
  if (call.arguments.Int("gpu_id", 0) != 0) return {kBadDeviceArgument, "there is no such device; 0 is the processor"};
  settings.handlers = call.arguments.Int("numStream", settings.handlers);
  if (settings.handlers < 1) return {kNotSupported, "numStream must be at least 1"};
  settings.makes_maps = call.arguments.Int("distmap", 0) != 0;
  return {};
}

Outcome ReadSsimulacra2(const PairCall& call, PairSettings& settings) {
  settings.make = MakeSsimulacra2;
  settings.properties = {{"SSIMULACRA2", 0}};
  return ReadDevice(call, settings);
}

Outcome ReadButteraugli(const PairCall& call, PairSettings& settings) {
  const int norm = call.arguments.Int("qnorm", 2);
  const auto intensity = static_cast<float>(call.arguments.Float("intensity_multiplier", 203.0));
  settings.make = [=](const FramePair& pair, auto& scorer) { return MakeButteraugli(pair, norm, intensity, scorer); };
  settings.properties = {
      {"BUTTERAUGLI_QNorm", 0}, {"BUTTERAUGLI_2Norm", 0}, {"BUTTERAUGLI_3Norm", 1}, {"BUTTERAUGLI_INFNorm", 2}};
  return ReadDevice(call, settings);
}

Outcome ReadCvvdp(const PairCall& call, PairSettings& settings) {
  const CvvdpSettings cvvdp = {.fps = static_cast<float>(call.reference.frames_a_second()),
                               .resize_to_display = call.arguments.Int("resizeToDisplay", 0) != 0,
                               .is_temporal = call.arguments.Int("disableTemporal", 0) == 0,
                               .model = call.arguments.Text("model_name", "standard_fhd"),
                               .config = call.arguments.Text("model_config_json", "")};
  settings.make = [=](const FramePair& pair, auto& scorer) { return MakeCvvdp(pair, cvvdp, scorer); };
  settings.properties = {{"CVVDP", 0}};
  settings.is_ordered = true;
  return ReadDevice(call, settings);
}

Outcome ReadVszipSsimulacra2(const PairCall& call, PairSettings& settings) {
  if (const std::vector<int> modes = call.arguments.Ints("mode"); std::ranges::any_of(modes, [](int m) { return m; }))
    return {kNotSupported, "there is mode 0 alone"};
  settings.returns_reference = true;
  return ReadSsimulacra2(call, settings);
}

Outcome ReadJulekButteraugli(const PairCall& call, PairSettings& settings) {
  const auto intensity = static_cast<float>(call.arguments.Float("intensity_target", 80.0));
  settings.make = [=](const FramePair& pair, auto& scorer) { return MakeButteraugli(pair, 2, intensity, scorer); };
  settings.properties = {{"FrameButteraugli", 2}};
  settings.makes_maps = call.arguments.Int("distmap", 0) != 0;
  return {};
}

Outcome ReadJulekSsimulacra(const PairCall& call, PairSettings& settings) {
  if (call.arguments.Int("feature", 0) != 0) return {kNotSupported, "there is feature 0, SSIMULACRA2, alone"};
  return ReadSsimulacra2(call, settings);
}

/// XPSNR, and what the plugin prints at its end: the average over the frames that were asked for.
class Xpsnr : public FeatureScorer {
 public:
  explicit Xpsnr(OptionTexts options) : FeatureScorer({{"xpsnr", std::move(options)}}) {}

  struct Frame {
    std::vector<double> values;
    std::vector<int64_t> kept;
  };
  const Frame& frame() const { return frame_; }
  std::unique_ptr<Sequence> MakeSequence() const { return make_(); }

  void Begin(const Extractor& extractor) override {
    make_ = [&extractor] { return extractor.MakeSequence(); };
  }
  void Take(std::span<const RunResult> results, bool counts) override {
    FeatureScorer::Take(results, counts);
    frame_ = {values(), {results.front().kept.begin(), results.front().kept.end()}};
  }

 private:
  std::function<std::unique_ptr<Sequence>()> make_;
  Frame frame_;
};

struct XpsnrAverage : ScoreSink {
  void Set(int, int64_t, double) override {}
  void SetAggregate(std::string_view name, double value) override { values[std::string(name)] = value; }

  void Add(int n, const Scorer& scorer) {
    const std::lock_guard lock(mutex);
    frames[n] = static_cast<const Xpsnr&>(scorer).frame();
  }
  void Print(const Scorer& scorer) {
    const std::lock_guard lock(mutex);
    if (frames.empty()) return;
    const std::unique_ptr<Sequence> sequence = static_cast<const Xpsnr&>(scorer).MakeSequence();
    for (auto& [n, frame] : frames) sequence->Push(n, {frame.values, frame.kept}, *this);
    sequence->Flush(*this);
    std::printf("XPSNR average, %zu frames  ", frames.size());
    for (const char* plane : {"y", "u", "v"}) {
      const std::string name = std::string("xpsnr_average_") + plane;  // options add to it
      const auto found = values.lower_bound(name);
      if (found != values.end() && found->first.starts_with(name)) std::printf("%s: %.4f  ", plane, found->second);
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  std::mutex mutex;  // guards what follows
  std::map<int, Xpsnr::Frame> frames;
  std::map<std::string, double> values;
};

Outcome ReadXpsnr(const PairCall& call, PairSettings& settings) {
  constexpr double kSecondFrom = 32;  // frames a second, from which two pictures before are read
  // The plugin takes the rate of the distorted clip.
  const double rate = call.distorted.frames_a_second();
  const bool is_temporal = call.arguments.Int("temporal", 1) != 0;
  const OptionTexts options = {{"fps", fmt::format("{}", rate)}, {"temporal", is_temporal ? "true" : "false"}};
  settings.make = [=](const FramePair&, std::unique_ptr<Scorer>& scorer) -> Outcome {
    scorer = std::make_unique<Xpsnr>(options);
    return {};
  };
  settings.properties = {{"XPSNR_Y", 0}, {"XPSNR_U", 1}, {"XPSNR_V", 2}};
  settings.history = !is_temporal ? 0 : rate >= kSecondFrom ? 2 : 1;
  if (call.arguments.Int("verbose", 1) == 0) return {};
  const auto average = std::make_shared<XpsnrAverage>();
  settings.on_score = [average](int n, const Scorer& scorer) { average->Add(n, scorer); };
  settings.at_end = [average](const Scorer& scorer) { average->Print(scorer); };
  return {};
}

Outcome ReadVmafMetric(const PairCall& call, PairSettings& settings) {
  std::vector<int> wanted = call.arguments.Ints("feature");
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  std::vector<FeatureRequest> requests;
  for (const int feature : wanted) {
    const auto name = VmafFeatureName(feature);
    if (!name) return Failure(kNotSupported, "feature {}: there are 0 to 4", feature);
    requests.push_back({*name, {}});
  }
  if (requests.empty()) return {kNotSupported, "no feature is asked for"};
  settings.make = [=](const FramePair&, std::unique_ptr<Scorer>& scorer) -> Outcome {
    scorer = std::make_unique<FeatureScorer>(requests);
    return {};
  };
  for (const std::string& name : FeatureScorer(requests).names())
    settings.properties.push_back({name, settings.properties.size()});
  return {};
}

constexpr char kPair[] = "reference:vnode;distorted:vnode;";

const Function kVship[] = {
    {"vship: SSIMULACRA2", "SSIMULACRA2", "reference:vnode;distorted:vnode;numStream:int:opt;gpu_id:int:opt;",
     ColorRule::kTags, ReadSsimulacra2},
    {"vship: BUTTERAUGLI", "BUTTERAUGLI",
     "reference:vnode;distorted:vnode;qnorm:int:opt;intensity_multiplier:float:opt;distmap:int:opt;numStream:int:opt;"
     "gpu_id:int:opt;",
     ColorRule::kTags, ReadButteraugli},
    {"vship: CVVDP", "CVVDP",
     "reference:vnode;distorted:vnode;model_name:data:opt;model_config_json:data:opt;resizeToDisplay:int:opt;"
     "distmap:int:opt;gpu_id:int:opt;disableTemporal:int:opt;",
     ColorRule::kTags, ReadCvvdp},
    {.label = "vship: GpuInfo",
     .name = "GpuInfo",
     .arguments = "gpu_id:int:opt;",
     .create = DescribeDevices,
     .result = "gpu_human_data:data;"},
};

const Function kVszip[] = {
    {"vszip: SSIMULACRA2", "SSIMULACRA2", kPair, ColorRule::kVszip, ReadVszipSsimulacra2},
    {"vszip: Metrics", "Metrics", "reference:vnode;distorted:vnode;mode:int[]:opt;", ColorRule::kVszip,
     ReadVszipSsimulacra2},
    {"vszip: XPSNR", "XPSNR", "reference:vnode;distorted:vnode;temporal:int:opt;verbose:int:opt;",
     ColorRule::kMeansNothing, ReadXpsnr},
};

constexpr char kJulekButteraugli[] =
    "reference:vnode;distorted:vnode;distmap:int:opt;intensity_target:float:opt;linput:int:opt;";

const Function kJulek[] = {
    {"julek: Butteraugli", "Butteraugli", kJulekButteraugli, ColorRule::kRgb, ReadJulekButteraugli},
    {"julek: butteraugli", "butteraugli", kJulekButteraugli, ColorRule::kRgb,
     ReadJulekButteraugli},  // Av1an's spelling
    {"julek: SSIMULACRA", "SSIMULACRA", "reference:vnode;distorted:vnode;feature:int:opt;simple:int:opt;",
     ColorRule::kRgb, ReadJulekSsimulacra},
};

const Function kSsimulacra2[] = {
    {"ssimulacra2: SSIMULACRA2", "SSIMULACRA2", kPair, ColorRule::kLinearRgb, ReadSsimulacra2},
};

const Function kVmaf[] = {
    {.label = "VMAF",
     .name = "VMAF",
     .arguments = "reference:vnode;distorted:vnode;log_path:data;log_format:int:opt;model:int[]:opt;feature:int[]:opt;",
     .create = CreateVmafLog},
    {.label = "CAMBI",
     .name = "CAMBI",
     .arguments = "clip:vnode;log_path:data;log_format:int:opt;window_size:int:opt;topk:float:opt;"
                  "tvi_threshold:float:opt;max_log_contrast:int:opt;enc_width:int:opt;enc_height:int:opt;",
     .create = CreateCambiLog},
    {"Metric", "Metric", "reference:vnode;distorted:vnode;feature:int[];", ColorRule::kMeansNothing, ReadVmafMetric},
};

/// Scripts read versions to tell which functions there are.
const Plugin kPlugins[] = {
    {"vship", "com.lumen.vship", "acutance's metrics under Vship's names", VS_MAKE_VERSION(5, 1), kVship},
    {"vszip", "com.julek.vszip", "acutance's metrics under vszip's names", VS_MAKE_VERSION(7, 0), kVszip},
    {"julek", "com.julek.plugin", "acutance's metrics under the julek plugin's names", VS_MAKE_VERSION(3, 0), kJulek},
    {"ssimulacra2", "com.julek.ssimulacra2", "acutance's SSIMULACRA2 under its old plugin's name",
     VS_MAKE_VERSION(1, 0), kSsimulacra2},
    {"vmaf", "com.holywu.vmaf", "acutance's VMAF under the VMAF plugin's names", VS_MAKE_VERSION(10, 0), kVmaf},
};

void Register(const Plugin& own, VSPlugin* plugin, const VSPLUGINAPI* api) {
  api->configPlugin(own.identifier, own.name.data(), own.description, own.version, VAPOURSYNTH_API_VERSION, 0, plugin);
  for (const Function& function : own.functions)
    api->registerFunction(function.name, function.arguments, function.result,
                          function.create ? function.create : CreatePairFilter,
                          const_cast<Function*>(&function),  // NOLINT
                          plugin);
}

}  // namespace

void VS_CC DescribeDevices(const VSMap* in, VSMap* out, void*, VSCore*, const VSAPI* api) {
  const Status status = CatchExceptions([&] {
    const int device = Arguments(in, api).Int("gpu_id", -1);
    if (device > 0) return Error(StatusCode::kInvalidArgument, "there is no such device; 0 is the processor");
    std::string text = "GPU 0: CPU (acutance)\n";
    if (device == 0)
      text = fmt::format(
          "Name: CPU (acutance)\nMultiProcessorCount: {}\nMaxSharedMemoryPerBlock: 0\nWarpSize: 1\nVRAMCapacity: {}\n"
          "MemoryBusWidth: 0\nIntegrated: 0\nPassKernelCheck: 1\n",
          UsableCpus(), AvailableMemory().value_or(0));
    api->mapSetData(out, "gpu_human_data", text.data(), static_cast<int>(text.size()), dtUtf8, maReplace);
    return Status();
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("vship: GpuInfo: {}", status.message()).c_str());
}

}  // namespace acutance::vship

VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin* plugin, const VSPLUGINAPI* api) {
  acutance::vship::Register(acutance::vship::kPlugins[0], plugin, api);
}

/// A file has one plugin, so the other plugins are files that call this (forward.c).
VS_EXTERNAL_API(void) acutance_vapoursynth_plugin(const char* name, VSPlugin* plugin, const VSPLUGINAPI* api) {
  for (const acutance::vship::Plugin& own : acutance::vship::kPlugins)
    if (own.name == name) acutance::vship::Register(own, plugin, api);
}
