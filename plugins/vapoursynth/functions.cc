// Plugins whose functions set scores as properties of frames; names, arguments and properties are those of the plugins
// that they stand in for (docs/use/vship.md).
#include <algorithm>
#include <cstdlib>

#include "plugins/vapoursynth/plugin.h"

namespace acutance_vapoursynth {
namespace {

using acutance::Status;

/// GPUs by their gpu_id, as libvship numbers them; the processor follows.
std::vector<acutance::FrameDevice> Gpus() {
  const char* backend = std::getenv("VSHIP_BACKEND");
  return acutance::api::ListFrameDevices(backend && *backend ? backend : "auto",
                                         {"ssimulacra2", "butteraugli", "cvvdp"});
}

Status CheckDevice(int device, size_t gpus) {
  if (device >= 0 && device <= static_cast<int>(gpus)) return {};
  return Failure("there is no device {}; the processor is the last one, {}", device, gpus);
}

/// The arguments that all functions of vship have.
Status ReadDevice(const PairCall& call, PairSettings& settings) {
  const std::vector<acutance::FrameDevice> gpus = Gpus();
  const int device = call.arguments.Int("gpu_id", 0);
  if (Status bad = CheckDevice(device, gpus.size()); !bad.ok()) return bad;
  if (device < static_cast<int>(gpus.size())) {
    settings.backend = gpus[device].backend;
    settings.device = gpus[device].index;
  }
  settings.scorers = call.arguments.Int("numStream", settings.scorers);
  if (settings.scorers < 1) return Failure("numStream must be at least 1");
  settings.draws_maps = call.arguments.Int("distmap", 0) != 0;
  return {};
}

Status ReadSsimulacra2(const PairCall&, PairSettings& settings) {
  settings.features = {{"ssimulacra2", {}}};
  settings.properties = {{"SSIMULACRA2", "ssimulacra2"}};
  return {};
}

Status ReadVshipSsimulacra2(const PairCall& call, PairSettings& settings) {
  if (Status bad = ReadSsimulacra2(call, settings); !bad.ok()) return bad;
  return ReadDevice(call, settings);
}

acutance::Feature Butteraugli(int norm, double intensity) {
  return {"butteraugli",
          {{"qnorm", fmt::format("{}", norm)}, {"intensity_target", fmt::format("{}", static_cast<float>(intensity))}}};
}

Status ReadButteraugli(const PairCall& call, PairSettings& settings) {
  const int norm = call.arguments.Int("qnorm", 2);
  settings.features = {Butteraugli(norm, call.arguments.Float("intensity_multiplier", 203.0))};
  settings.properties = {{"BUTTERAUGLI_QNorm", "butteraugli_qnorm"},
                         {"BUTTERAUGLI_2Norm", "butteraugli_qnorm"},
                         {"BUTTERAUGLI_3Norm", "butteraugli_p3"},
                         {"BUTTERAUGLI_INFNorm", "butteraugli_max"}};
  return ReadDevice(call, settings);
}

/// The display decides what light samples are, so the clip's transfer function must be its own.
bool Shows(std::string_view display, int transfer) {
  if (display == "standard_hdr_pq") return transfer == 16;
  if (display == "standard_hdr_hlg") return transfer == 18;
  if (display.starts_with("standard_hdr_linear")) return transfer == 8;
  return transfer == 1 || transfer == 5 || transfer == 6 || transfer == 13;
}

Status ReadCvvdp(const PairCall& call, PairSettings& settings) {
  std::string display = call.arguments.Text("model_name", "standard_fhd");
  if (display.empty()) display = "standard_fhd";
  const std::string displays = call.arguments.Text("model_config_json", "");
  const int transfer = call.reference.format().transfer;
  if (displays.empty() && !Shows(display, transfer))
    return Failure("the display {} does not show transfer function {}", display, transfer);
  settings.features = {{"cvvdp",
                        {{"conversion", "common"},
                         {"display", display},
                         {"fps", fmt::format("{}", static_cast<float>(call.reference.frames_per_second()))},
                         {"temporal", call.arguments.Int("disableTemporal", 0) == 0 ? "true" : "false"}}}};
  auto& options = settings.features[0].options;
  if (!displays.empty()) options["display_file"] = displays;
  if (call.arguments.Int("resizeToDisplay", 0) != 0) options.insert({{"resize", "bicubic"}, {"keep_aspect", "true"}});
  settings.properties = {{"CVVDP", "cvvdp"}};
  settings.is_ordered = true;
  return ReadDevice(call, settings);
}

Status ReadVszipSsimulacra2(const PairCall& call, PairSettings& settings) {
  if (const std::vector<int> modes = call.arguments.Ints("mode"); std::ranges::any_of(modes, [](int m) { return m; }))
    return Failure("there is mode 0 alone");
  settings.returns_reference = true;
  return ReadSsimulacra2(call, settings);
}

Status ReadJulekButteraugli(const PairCall& call, PairSettings& settings) {
  settings.features = {Butteraugli(2, call.arguments.Float("intensity_target", 80.0))};
  settings.properties = {{"FrameButteraugli", "butteraugli_max"}};
  settings.draws_maps = call.arguments.Int("distmap", 0) != 0;
  return {};
}

Status ReadJulekSsimulacra(const PairCall& call, PairSettings& settings) {
  if (call.arguments.Int("feature", 0) != 0) return Failure("there is feature 0, SSIMULACRA2, alone");
  return ReadSsimulacra2(call, settings);
}

Status ReadXpsnr(const PairCall& call, PairSettings& settings) {
  constexpr double kSecondFrom = 32;  // frames per second, from which two pictures before are read
  // The plugin takes the rate of the distorted clip.
  const double rate = call.distorted.frames_per_second();
  const bool is_temporal = call.arguments.Int("temporal", 1) != 0;
  settings.features = {{"xpsnr", {{"fps", fmt::format("{}", rate)}, {"temporal", is_temporal ? "true" : "false"}}}};
  settings.properties = {{"XPSNR_Y", "xpsnr_y"}, {"XPSNR_U", "xpsnr_u"}, {"XPSNR_V", "xpsnr_v"}};
  settings.history = !is_temporal ? 0 : rate >= kSecondFrom ? 2 : 1;
  if (call.arguments.Int("verbose", 1) != 0) settings.average_label = "XPSNR";
  return {};
}

std::string Describe(const acutance::FrameDevice& gpu) {
  return fmt::format(
      "Name: {}\nMultiProcessorCount: 0\nMaxSharedMemoryPerBlock: 0\nWarpSize: {}\nVRAMCapacity: {}\nMemoryBusWidth: "
      "0\n"
      "Integrated: {}\nPassKernelCheck: 1\n",
      gpu.name, gpu.wave_size, gpu.memory_bytes, gpu.is_integrated ? 1 : 0);
}

std::string DescribeProcessor() {
  const acutance::CpuInfo cpu = acutance::DescribeCpu();
  return fmt::format(
      "Name: CPU (acutance)\nMultiProcessorCount: {}\nMaxSharedMemoryPerBlock: 0\nWarpSize: 1\nVRAMCapacity: {}\n"
      "MemoryBusWidth: 0\nIntegrated: 0\nPassKernelCheck: 1\n",
      cpu.threads, cpu.memory_bytes.value_or(0));
}

void VS_CC DescribeDevices(const VSMap* in, VSMap* out, void*, VSCore*, const VSAPI* api) {
  const Status status = Guarded([&]() -> Status {
    const std::vector<acutance::FrameDevice> gpus = Gpus();
    const std::optional<int> device = Arguments(in, api).Int("gpu_id");
    std::string text;
    if (device) {
      if (Status bad = CheckDevice(*device, gpus.size()); !bad.ok()) return bad;
      text = *device < static_cast<int>(gpus.size()) ? Describe(gpus[*device]) : DescribeProcessor();
    } else {
      for (size_t n = 0; n < gpus.size(); ++n) text += fmt::format("GPU {}: {}\n", n, gpus[n].name);
      text += fmt::format("GPU {}: CPU (acutance)\n", gpus.size());
    }
    api->mapSetData(out, "gpu_human_data", text.data(), static_cast<int>(text.size()), dtUtf8, maReplace);
    return {};
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("vship: GpuInfo: {}", status.message()).c_str());
}

constexpr char kPair[] = "reference:vnode;distorted:vnode;";

const Function kVshipFunctions[] = {
    {"vship: SSIMULACRA2", "SSIMULACRA2", "reference:vnode;distorted:vnode;numStream:int:opt;gpu_id:int:opt;",
     ColorRule::kTags, ReadVshipSsimulacra2},
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

const Function kVszipFunctions[] = {
    {"vszip: SSIMULACRA2", "SSIMULACRA2", kPair, ColorRule::kVszip, ReadVszipSsimulacra2},
    {"vszip: Metrics", "Metrics", "reference:vnode;distorted:vnode;mode:int[]:opt;", ColorRule::kVszip,
     ReadVszipSsimulacra2},
    {"vszip: XPSNR", "XPSNR", "reference:vnode;distorted:vnode;temporal:int:opt;verbose:int:opt;", ColorRule::kNumbers,
     ReadXpsnr},
};

constexpr char kJulekButteraugli[] =
    "reference:vnode;distorted:vnode;distmap:int:opt;intensity_target:float:opt;linput:int:opt;";

const Function kJulekFunctions[] = {
    {"julek: Butteraugli", "Butteraugli", kJulekButteraugli, ColorRule::kRgb, ReadJulekButteraugli},
    {"julek: butteraugli", "butteraugli", kJulekButteraugli, ColorRule::kRgb,
     ReadJulekButteraugli},  // Av1an's spelling
    {"julek: SSIMULACRA", "SSIMULACRA", "reference:vnode;distorted:vnode;feature:int:opt;simple:int:opt;",
     ColorRule::kRgb, ReadJulekSsimulacra},
};

const Function kSsimulacra2Functions[] = {
    {"ssimulacra2: SSIMULACRA2", "SSIMULACRA2", kPair, ColorRule::kLinearRgb, ReadSsimulacra2},
};

}  // namespace

const Plugin kVship = {"vship", "com.lumen.vship", "acutance's metrics under Vship's names", VS_MAKE_VERSION(5, 1),
                       kVshipFunctions};
const Plugin kVszip = {"vszip", "com.julek.vszip", "acutance's metrics under vszip's names", VS_MAKE_VERSION(7, 0),
                       kVszipFunctions};
const Plugin kJulek = {"julek", "com.julek.plugin", "acutance's metrics under the julek plugin's names",
                       VS_MAKE_VERSION(3, 0), kJulekFunctions};
const Plugin kSsimulacra2 = {"ssimulacra2", "com.julek.ssimulacra2",
                             "acutance's SSIMULACRA2 under its old plugin's name", VS_MAKE_VERSION(1, 0),
                             kSsimulacra2Functions};

void Register(const Plugin& own, VSPlugin* plugin, const VSPLUGINAPI* api) {
  api->configPlugin(own.identifier, own.space, own.description, own.version, VAPOURSYNTH_API_VERSION, 0, plugin);
  for (const Function& function : own.functions)
    api->registerFunction(function.name, function.arguments, function.result,
                          function.create ? function.create : CreatePairFilter,
                          const_cast<Function*>(&function),  // NOLINT
                          plugin);
}

}  // namespace acutance_vapoursynth
