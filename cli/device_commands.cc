#include "cli/commands.h"

#include <fmt/format.h>

#include "cli/spec_run.h"
#include "devices/tuner.h"
#include "io/video_source.h"
#include "metric/registry.h"
#include "run/model_spec.h"
#include "run/run_options.h"

namespace acutance::cli {
namespace {

std::string DescribeDevice(const DeviceInfo& device) {
  return fmt::format("  {}  {}: {}, {} lanes a wave, {} MB{}{}\n      driver {}{}\n", device.index, device.name,
                     device.family, device.wave_size, device.memory_bytes >> 20,
                     device.has_double ? "" : ", no doubles",
                     device.is_cpu ? ", software on the CPU: never chosen by auto" : "", device.driver,
                     device.identity.empty() ? "" : "\n      id " + device.identity);
}

/// Tuning follows the device's family; without a device, the entries for any family.
Result<std::string> FamilyOf(const std::string& backend_name) {
  ACU_RETURN_IF_ERROR(CheckDeviceChoice({backend_name, std::nullopt, {}}));
  const Backend* backend = FindBackend(backend_name);
  if (!backend) return Error(StatusCode::kInvalidArgument, "--backend {} has no plans: name another", backend_name);
  const BackendProbe probe = backend->probe();
  return probe.devices.empty() ? "" : probe.devices[0].family;
}

}  // namespace

std::string DescribeDevices() {
  std::string text = "cpu: this machine's cores, with every feature\n";
  for (const Backend* backend : Backends()) {
    text += fmt::format("{}: {}\n", backend->name, backend->summary);
    const BackendProbe probe = backend->probe();
    for (const DeviceInfo& device : probe.devices) text += DescribeDevice(device);
    if (probe.devices.empty()) text += fmt::format("  none: {}\n", probe.missing);
    if (!probe.devices.empty() && !probe.refused.empty())
      text += fmt::format("  left out: {}\n", fmt::join(probe.refused, "; "));
  }
  const Result<std::vector<std::string>> codecs = DeviceCodecs();
  text += fmt::format("nvdec: decodes for a device of cuda, through FFmpeg's libraries\n  {}\n",
                      codecs.ok() ? fmt::format("{}", fmt::join(*codecs, ", ")) : "none: " + codecs.status().message());
  return text;
}

Result<std::string> DescribePlan(PlanRequest request) {
  ACU_ASSIGN_OR_RETURN(const FeatureRequest feature, ParseFeatureSpec(request.feature));
  ACU_RETURN_IF_ERROR(CompleteRequest(request.run));
  ACU_ASSIGN_OR_RETURN(const std::string family, FamilyOf(request.backend));
  ACU_ASSIGN_OR_RETURN(const Metric* const metric, NamedMetric(feature.metric));
  ACU_ASSIGN_OR_RETURN(OptionValues options, OptionsOf(feature));
  return acutance::DescribePlan({metric, std::move(options)}, *request.run.open.raw, request.batch, family,
                                request.dump);
}

}  // namespace acutance::cli
