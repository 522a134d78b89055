#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "devices/tuner.h"
#include "metric/registry.h"

namespace acutance::cli {
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
