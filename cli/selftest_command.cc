#include "cli/commands.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "base/kernel_release.h"
#include "base/json.h"
#include "cli/exit_status.h"
#include "cli/version.h"
#include "devices/selftest.h"
#include "devices/tuner.h"
#include "log/json_text.h"
#include "log/output_file.h"
#include "metric/registry.h"

namespace acutance::cli {
namespace {

constexpr PictureFormat kTimedFormats[] = {{1920, 1080, 8, PixelFormat::k420}, {3840, 2160, 10, PixelFormat::k420}};

/// What tells a model of device and its driver, but not whose it is.
Json Describe(const DeviceInfo& info) {
  return {{"backend", info.backend},
          {"name", info.name},
          {"family", info.family},
          {"driver", info.driver},
          {"wave_size", info.wave_size},
          {"memory_mb", info.memory_bytes >> 20},
          {"shared_bytes", info.shared_bytes},
          {"has_double", info.has_double}};
}

/// Prints how one test of a device went, and describes it.
Json RunTest(Device& device, const SelfTest& test) {
  const auto begin = std::chrono::steady_clock::now();
  const Status status = CheckAnew(device, test);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("  {:<14} {}\n", test.name, status.ok() ? fmt::format("passed in {:.2f} s", seconds) : status.message());
  std::fflush(stdout);  // the next one takes its time
  Json outcome = {{"test", test.name}, {"passed", status.ok()}, {"seconds", seconds}};
  outcome["kernels"] = KernelsHash(device.info(), test);
  if (!status.ok()) outcome["error"] = status.message();
  return outcome;
}

Json TimeFeature(Device& device, const Metric& metric, const PictureFormat& format) {
  const MetricWithOptions timed[] = {{&metric, OptionValues(metric.options)}};
  Json outcome = {{"feature", metric.name},
                  {"pictures", fmt::format("{}x{}, {} bit", format.width, format.height, format.bit_depth)}};
  if (const Result<DeviceTime> time = TimeOnDevice(device, timed, format); time.ok()) {
    outcome["batch"] = time->batch;
    outcome["microseconds"] = time->seconds * 1e6;
  } else {
    outcome["error"] = time.status().message();
  }
  return outcome;
}

/// The device's time of a frame pair, by feature. Software devices would take minutes, and tell nothing.
Json TimeFeatures(Device& device) {
  Json times = Json::Array();
  if (device.info().is_cpu) return times;
  for (const PictureFormat& format : kTimedFormats)
    for (const Metric* metric : AllMetrics())
      if (metric->make_plan) times.Append(TimeFeature(device, *metric, format));
  return times;
}

/// Prints how the device's tests went, and describes them and, if `timed`, the speed of those that passed all.
Json TestDevice(const Backend& backend, const DeviceInfo& info, bool timed) {
  Json outcome = Describe(info);
  Result<std::unique_ptr<Device>> device = backend.open(info.index);
  fmt::print("{} device {} ({}):{}\n", backend.name, info.index, info.name,
             device.ok() ? "" : " " + device.status().message());
  bool passed = device.ok();
  if (!passed) outcome["error"] = device.status().message();
  outcome["tests"] = Json::Array();
  if (device.ok())
    for (const SelfTest& test : AllSelfTests()) {
      Json result = RunTest(**device, test);
      passed &= result["passed"].boolean;
      outcome["tests"].Append(std::move(result));
    }
  outcome["passed"] = passed;
  if (passed && timed) outcome["times"] = TimeFeatures(**device);
  return outcome;
}

Status WriteReport(const std::string& path, Json devices, Json missing) {
  const Json report = {{"acutance", kVersion},
                       {"system", KernelRelease()},
                       {"devices", std::move(devices)},
                       {"without_device", std::move(missing)}};
  return WriteFile(path, JsonText(report));
}

}  // namespace

int RunSelfTestCommand(const DeviceChoice& choice, const std::string& report) {
  Json devices = Json::Array(), missing = Json::Object();
  bool passed = true;
  for (const Backend* backend : Backends()) {
    if (choice.backend != "auto" && choice.backend != backend->name) continue;
    const BackendProbe probe = backend->probe();
    if (probe.devices.empty()) fmt::print("{}: no device: {}\n", backend->name, probe.missing);
    if (probe.devices.empty()) missing[std::string(backend->name)] = probe.missing;
    for (const DeviceInfo& info : probe.devices) {
      if (choice.index && *choice.index != info.index) continue;
      Json device = TestDevice(*backend, info, !report.empty());
      passed &= device["passed"].boolean;
      devices.Append(std::move(device));
    }
    if (choice.index && devices.items.empty() && !probe.devices.empty())
      fmt::print("{}\n", NoSuchDevice(*backend, probe, *choice.index));
  }
  passed &= !devices.items.empty();
  if (report.empty()) return passed ? kOk : kFailed;
  const Status written = WriteReport(report, std::move(devices), std::move(missing));
  if (!written.ok()) return Fail("selftest", written);
  return passed ? kOk : kFailed;
}

}  // namespace acutance::cli
