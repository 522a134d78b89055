#include "tests/gpu/measurements.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
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

constexpr size_t kRecordedBytes = 256;
constexpr int kRuns = 3;

/// A queue with the buffers of one batch; its recording does next to nothing.
struct Lane {
  std::unique_ptr<Buffer> upload, memory;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Recording> recording;
};

Result<Lane> MakeLane(Device& device, size_t bytes) {
  Lane lane;
  ACU_ASSIGN_OR_RETURN(lane.upload, device.Allocate(bytes, MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(lane.memory, device.Allocate(bytes + 2 * kRecordedBytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(lane.queue, device.MakeQueue());
  const Command command =
      CopyCommand{lane.memory.get(), bytes, lane.memory.get(), bytes + kRecordedBytes, kRecordedBytes};
  ACU_ASSIGN_OR_RETURN(lane.recording, lane.queue->Record(std::span(&command, 1)));
  return lane;
}

/// The work that is started in a lane each time.
struct StartedWork {
  bool copies, records;

  Status Start(const Lane& lane, size_t bytes) const {
    const CopyCommand copy = {lane.upload.get(), 0, lane.memory.get(), 0, bytes};
    if (copies) ACU_RETURN_IF_ERROR(lane.queue->Copy(std::span(&copy, 1)));
    return records ? lane.queue->Submit(*lane.recording) : Status();
  }
};

/// Microseconds of one of `repeats` starts, which take the lanes in turn: the least of several
/// runs.
Result<double> TimeStarts(std::span<const Lane> lanes, const StartedWork& work, size_t bytes, int repeats) {
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) {
      const Lane& lane = lanes[i % lanes.size()];
      ACU_RETURN_IF_ERROR(lane.queue->Wait());
      ACU_RETURN_IF_ERROR(work.Start(lane, bytes));
    }
    for (const Lane& lane : lanes) ACU_RETURN_IF_ERROR(lane.queue->Wait());
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / repeats);
  }
  return least;
}

Status PrintStarts(const std::string& name, const std::vector<Lane>& lanes, const StartedWork& work, size_t bytes,
                   int repeats) {
  ACU_ASSIGN_OR_RETURN(const double alone, TimeStarts(std::span(lanes).first(1), work, bytes, repeats));
  ACU_ASSIGN_OR_RETURN(const double several, TimeStarts(lanes, work, bytes, repeats));
  fmt::print("| {} | {:.1f} | {:.1f} |\n", name, alone, several);
  std::fflush(stdout);
  return {};
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

Status PrintStartTimes(Device& device, std::span<const size_t> copy_bytes, int repeats) {
  constexpr int kLanes = 4;
  fmt::print("{} through {} ({}): microseconds each\n\n| started | one in flight | {} in flight |\n|---|---|---|\n",
             device.info().name, device.info().backend, device.info().driver, kLanes);
  for (const size_t bytes : copy_bytes) {
    std::vector<Lane> lanes(kLanes);
    for (Lane& lane : lanes) {
      ACU_ASSIGN_OR_RETURN(lane, MakeLane(device, bytes));
    }
    const std::string copy = fmt::format("a copy of {} KB", bytes >> 10);
    if (bytes == copy_bytes.front())
      ACU_RETURN_IF_ERROR(PrintStarts("a recording", lanes, {false, true}, bytes, repeats));
    ACU_RETURN_IF_ERROR(PrintStarts(copy, lanes, {true, false}, bytes, repeats));
    ACU_RETURN_IF_ERROR(PrintStarts(copy + ", then a recording", lanes, {true, true}, bytes, repeats));
  }
  return {};
}

int64_t HostKib() {
  int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

DeviceMemory::DeviceMemory() {
  const Result<const cuda::Driver*> driver = cuda::OpenDriver();
  if (driver.ok() && (*driver)->cuDevicePrimaryCtxRetain(&context_, 0) == cuda::CUDA_SUCCESS) driver_ = *driver;
}

DeviceMemory::~DeviceMemory() {
  if (driver_) driver_->cuDevicePrimaryCtxRelease_v2(0);
}

int64_t DeviceMemory::UsedKib() const {
  if (!driver_ || driver_->cuCtxPushCurrent_v2(context_) != cuda::CUDA_SUCCESS) return 0;
  size_t free = 0, total = 0;
  driver_->cuMemGetInfo_v2(&free, &total);
  cuda::CUcontext popped = nullptr;
  driver_->cuCtxPopCurrent_v2(&popped);
  return static_cast<int64_t>((total - free) / 1024);
}

}  // namespace acutance
