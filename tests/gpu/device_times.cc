#include "tests/gpu/device_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/scaling_selftest.h"
#include "devices/tuner.h"
#include "engine/feature_set.h"
#include "engine/model_run.h"
#include "exec/tuning.h"
#include "metric/test_size.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

// The measured rates of an NVIDIA H200's memory and of its PCIe link.
constexpr double kMemoryBytesPerMicrosecond = 4.1e6;
constexpr double kUploadBytesPerMicrosecond = 55e3;
constexpr const char* kModels[] = {"vmaf_v0.6.1", "vmaf_v1.0.16_3d0h"};

Status PrintRow(Device& device, std::string_view name, const std::vector<MetricWithOptions>& metrics,
                const PictureFormat& format, int batch) {
  ACU_ASSIGN_OR_RETURN(const DeviceTime time, TimeOnDevice(device, metrics, format, batch));
  const double microseconds = 1e6 * time.seconds, bytes = static_cast<double>(time.bytes);
  fmt::print("| {} | {}x{} | {} | {:.2f} |", name, format.width, format.height, time.batch, microseconds);
  if (time.bytes == 0) fmt::print(" | | |\n");  // it reads derived pictures alone
  else
    fmt::print(" {:.2f} | {:.1f} | {:.1f} |\n", bytes / kMemoryBytesPerMicrosecond,
               microseconds * kMemoryBytesPerMicrosecond / bytes, bytes / kUploadBytesPerMicrosecond);
  std::fflush(stdout);
  return {};
}

Status PrintModel(Device& device, const char* name, const PictureFormat& format, int batch) {
  FeatureSet features;
  ACU_ASSIGN_OR_RETURN(Model model, LoadBuiltinModel(name, name));
  ACU_RETURN_IF_ERROR(ModelRun::Create({.model = std::make_shared<const Model>(std::move(model))}, features).status());
  std::vector<MetricWithOptions> metrics;
  for (const MetricRun& run : features.runs()) {
    if (!run.metric->make_plan) return {};  // the CPU computes a part of the model
    metrics.push_back({run.metric, run.options});
  }
  return PrintRow(device, name, metrics, format, batch);
}

Status PrintMetric(Device& device, const Metric& metric, const PictureFormat& format, int batch) {
  return PrintRow(device, metric.name, {{&metric, OptionValues(metric.options)}}, format, batch);
}

}  // namespace

Status PrintDeviceTimes(Device& device, std::span<const Metric* const> metrics,
                        std::span<const std::pair<int, int>> sizes, int batch) {
  fmt::print(
      "{} through {} ({}): microseconds a frame pair, 8 bit. Device: launches alone, recorded many times over, "
      "without\n"
      "copies. Bytes: the planes read once, at 4.1 TB/s. Upload: the same planes at 55 GB/s.\n\n"
      "| run | size | batch | device | its bytes | device / bytes | upload |\n|---|---|---|---|---|---|---|\n",
      device.info().name, device.info().backend, device.info().driver);
  for (const auto& [width, height] : sizes) {
    const PictureFormat format = {.width = width, .height = height};
    for (const Metric* metric : metrics) ACU_RETURN_IF_ERROR(PrintMetric(device, *metric, format, batch));
    for (const char* model : kModels)
      if (metrics.size() > 1) ACU_RETURN_IF_ERROR(PrintModel(device, model, format, batch));
  }
  return {};
}

Status PrintSmallestTimes(Device& device, std::span<const Metric* const> metrics) {
  for (const Metric* metric : metrics) {
    const PictureSize size = TestSizeOf(*metric);
    const PictureFormat format = {.width = std::max(16, size.width), .height = std::max(16, size.height)};
    ACU_RETURN_IF_ERROR(PrintMetric(device, *metric, format, 1));
  }
  return {};
}

Status PrintScalingTimes(Device& device, std::span<const std::pair<int, int>> sizes) {
  constexpr std::pair<int, int> kRatios[] = {{1, 2}, {2, 3}, {2, 1}};
  fmt::print("\n| luma scaled, bicubic | to | microseconds a picture |\n|---|---|---|\n");
  for (const auto& [width, height] : sizes)
    for (const auto& [times, parts] : kRatios) {
      const PictureFormat to = {width, height, 8, PixelFormat::k400};
      const PictureFormat from = {width * times / parts, height * times / parts, 8, PixelFormat::k400};
      ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(from, to, {}));
      const auto scaling = PictureConversion(scaler.source_format()).WithSize(std::make_shared<const Scaler>(scaler));
      const int frames = PreferredBatch(ClassifyWorkload(width, height), device.info().family);
      ACU_ASSIGN_OR_RETURN(const double seconds, TimeScaling(device, scaling, frames));
      fmt::print("| {}x{} | {}x{} | {:.2f} |\n", from.width, from.height, width, height, 1e6 * seconds);
    }
  std::fflush(stdout);
  return {};
}

}  // namespace acutance
