// How long every block shape and batch of a metric's kernels takes on a device.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "metric/metric.h"

namespace acutance {

struct KernelTiming {
  std::string kernel, shape;
  int batch;
  double microseconds;  // per frame, upload and readback included
};

/// Times the metric with its default options on pictures of `format`; by kernel, the fastest first.
Result<std::vector<KernelTiming>> TimeKernelShapes(Device& device, const Metric& metric, const PictureFormat& format);

/// The plan of a feature, for people: buffers, launches, arguments and borders. batch 0: as the tuning table says.
Result<std::string> DescribePlan(const std::string& metric, const OptionTexts& options, const PictureFormat& format,
                                 int batch, const std::string& family);

/// The name of a picture size's workload class in source text: "kMedium".
std::string WorkloadClassInSource(int width, int height);

}  // namespace acutance
