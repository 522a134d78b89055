#include "cli/device_commands.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "cli/specs.h"
#include "devices/selftest.h"
#include "devices/tuner.h"
#include "engine/feature_set.h"
#include "io/video_source.h"

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

/// Prints how one test of a device went; whether it passed.
bool RunTest(Device& device, const SelfTest& test) {
  const auto begin = std::chrono::steady_clock::now();
  const Status status = CheckAnew(device, test);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("  {:<14} {}\n", test.name, status.ok() ? fmt::format("passed in {:.2f} s", seconds) : status.message());
  std::fflush(stdout);  // the next one takes its time
  return status.ok();
}

/// Prints how the device's tests went; whether it passed all of them.
bool TestDevice(const Backend& backend, const DeviceInfo& info) {
  Result<std::unique_ptr<Device>> device = backend.open(info.index);
  fmt::print("{} device {} ({}):{}\n", backend.name, info.index, info.name,
             device.ok() ? "" : " " + device.status().message());
  bool passed = device.ok();
  if (device.ok())
    for (const SelfTest& test : AllSelfTests()) passed &= RunTest(**device, test);
  return passed;
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

int RunSelfTestCommand(const DeviceChoice& choice) {
  int tested = 0, failed = 0;
  for (const Backend* backend : Backends()) {
    if (choice.backend != "auto" && choice.backend != backend->name) continue;
    const BackendProbe probe = backend->probe();
    if (probe.devices.empty()) fmt::print("{}: no device: {}\n", backend->name, probe.missing);
    for (const DeviceInfo& info : probe.devices) {
      if (choice.index && *choice.index != info.index) continue;
      ++tested;
      failed += !TestDevice(*backend, info);
    }
    if (choice.index && tested == 0 && !probe.devices.empty())
      fmt::print("{}\n", NoSuchDevice(*backend, probe, *choice.index));
  }
  return tested > 0 && failed == 0 ? 0 : 1;
}

Result<std::string> DescribePlan(const PlanRequest& request) {
  ACU_ASSIGN_OR_RETURN(const FeatureRequest feature, ParseFeatureSpec(request.feature));
  ACU_ASSIGN_OR_RETURN(const PictureFormat format, ParseRawFormat(request.pictures));
  ACU_ASSIGN_OR_RETURN(const std::string family, FamilyOf(request.backend));
  FeatureSet features;
  ACU_ASSIGN_OR_RETURN(const int index, features.Add(feature));
  const MetricRun& run = features.runs()[index];
  return acutance::DescribePlan({run.metric, run.options}, format, request.batch, family);
}

}  // namespace acutance::cli
