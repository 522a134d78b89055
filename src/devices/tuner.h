// Tuner: the time that each block shape and batch of a metric's kernels takes on a device.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "metric/metric.h"
#include "metric/options.h"

namespace acutance {

struct KernelTiming {
  std::string kernel, shape;
  int batch;
  double microseconds;  // of the device per frame, for all kernels of the metric; copies left out
};

/// Times the metric with its default options on pictures of `format`; by kernel, the fastest first.
Result<std::vector<KernelTiming>> TimeKernelShapes(Device& device, const Metric& metric, const PictureFormat& format);

struct DeviceTime {
  int batch;
  double seconds;  // of the device per frame pair; copies left out
  int64_t bytes;   // of the planes that are read, per frame pair
};

struct MetricWithOptions {
  const Metric* metric;
  OptionValues options;
};

/// How long the plans of all metrics take together. batch 0: as the tuning table says.
Result<DeviceTime> TimeOnDevice(Device& device, std::span<const MetricWithOptions> metrics, const PictureFormat& format,
                                int batch = 0);

/// Human-readable plan of a metric: buffers, launches, arguments and borders. batch 0: as the tuning table says. dump:
/// a folder that receives the compiled kernels (devices/dump_kernels.h); empty: none.
Result<std::string> DescribePlan(const MetricWithOptions& planned, const PictureFormat& format, int batch,
                                 const std::string& family, const std::filesystem::path& dump = {});

/// The name of a picture size's workload class in source text: "kMedium".
std::string WorkloadClassInSource(int width, int height);

}  // namespace acutance
