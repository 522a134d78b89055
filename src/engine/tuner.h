// How long every block shape and batch of a metric's kernels takes on a device.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"
#include "exec/device.h"
#include "metric/metric.h"

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

/// How long the plans of all features take together, in the batch that their tuning asks for. MakeExtractors was
/// called.
Result<DeviceTime> TimeOnDevice(Device& device, const FeatureSet& features, const PictureFormat& format);

/// The plan of a feature, for people: buffers, launches, arguments and borders. batch 0: as the tuning table says.
Result<std::string> DescribePlan(const std::string& metric, const OptionTexts& options, const PictureFormat& format,
                                 int batch, const std::string& family);

/// The name of a picture size's workload class in source text: "kMedium".
std::string WorkloadClassInSource(int width, int height);

}  // namespace acutance
