#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/exit_status.h"
#include "cli/spec_run.h"
#include "cli/version.h"
#include "devices/selftest.h"
#include "devices/tuner.h"
#include "io/video_source.h"
#include "log/json_text.h"
#include "log/output_file.h"
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
  const Result<std::string> ffmpeg = FfmpegVersion();
  text += fmt::format("containers: {}\n", ffmpeg.ok() ? *ffmpeg : "none: " + ffmpeg.status().message());
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

namespace {

constexpr PictureFormat kTimedFormats[] = {{1920, 1080, 8, PixelFormat::k420}, {3840, 2160, 10, PixelFormat::k420}};

/// Identifies the model of a device and its driver, but not its owner.
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

/// Runs one test of a device, prints the outcome and returns it.
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

/// The device's time of a frame pair, by feature; empty for software devices, which would take minutes.
Json TimeFeatures(Device& device) {
  Json times = Json::Array();
  if (device.info().is_cpu) return times;
  for (const PictureFormat& format : kTimedFormats)
    for (const Metric* metric : AllMetrics())
      if (metric->make_plan) times.Append(TimeFeature(device, *metric, format));
  return times;
}

/// Runs the device's tests, prints the outcomes and returns them, with the times of features if `timed` and all passed.
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

namespace {

constexpr PictureFormat kSizes[] = {
    {576, 324, 8, PixelFormat::k420}, {1920, 1080, 8, PixelFormat::k420}, {3840, 2160, 8, PixelFormat::k420}};
void PrintTimings(const std::vector<KernelTiming>& timings, const std::string& workload, const std::string& family) {
  for (size_t i = 0; i < timings.size(); ++i) {
    const KernelTiming& timing = timings[i];
    fmt::print("  {:<24}{:<12} batch {:>3}  {:>10.2f} us a frame\n", timing.kernel, timing.shape, timing.batch,
               timing.microseconds);
    const bool last_of_kernel = i + 1 == timings.size() || timings[i + 1].kernel != timing.kernel;
    if (!last_of_kernel) continue;
    const auto best = std::ranges::find(timings, timing.kernel, &KernelTiming::kernel);
    fmt::print("  -> {{\"{}\", WorkloadClass::{}, \"{}\", \"{}\", {}}},\n", best->kernel, workload, family, best->shape,
               best->batch);
  }
}

Status TuneMetric(Device& device, const Metric& metric) {
  for (const PictureFormat& format : kSizes) {
    ACU_ASSIGN_OR_RETURN(const std::vector<KernelTiming> timings, TimeKernelShapes(device, metric, format));
    fmt::print("{} {}x{} on {}\n", metric.name, format.width, format.height, device.info().name);
    PrintTimings(timings, WorkloadClassInSource(format.width, format.height), device.info().family);
    std::fflush(stdout);
  }
  return {};
}

Result<std::vector<const Metric*>> MetricsToTune(const std::vector<std::string>& features) {
  std::vector<const Metric*> metrics;
  for (const std::string& feature : features) {
    ACU_ASSIGN_OR_RETURN(const Metric* const metric, NamedMetric(feature));
    if (!metric->make_plan)
      return Error(StatusCode::kInvalidArgument, "feature {} has no device plan: it runs on the CPU", feature);
    metrics.push_back(metric);
  }
  if (features.empty())
    std::ranges::copy_if(AllMetrics(), std::back_inserter(metrics),
                         [](const Metric* metric) { return metric->make_plan != nullptr; });
  return metrics;
}

}  // namespace

int RunTuneCommand(const DeviceChoice& choice, const std::vector<std::string>& features) {
  const Result<std::vector<const Metric*>> metrics = MetricsToTune(features);
  if (!metrics.ok()) return Fail("tune", metrics.status(), kUsage);
  DevicePicker picker(choice);
  const std::unique_ptr<Device> device = picker.Next();
  if (!device) return Fail("tune", Error(StatusCode::kNoDevice, "no device: {}", fmt::join(picker.notes(), "; ")));
  for (const Metric* metric : *metrics)
    if (const Status status = TuneMetric(*device, *metric); !status.ok()) return Fail("tune", status);
  return kOk;
}

}  // namespace acutance::cli
