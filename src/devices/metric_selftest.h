// A metric's plans on a device against the metric on the CPU.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "metric/metric.h"

namespace acutance {

/// What a session can ask of the device for this metric: all depths and workload classes, the smallest pictures and odd
/// ones, different pictures and equal ones; and every option that reaches a kernel, with samples of either type. The
/// error names the metric, the options, the size, and the first result that differs.
Status TestMetric(Device& device, const Metric& metric);

/// The kernels that it runs on devices of the family, except those that only 16-bit samples need.
std::vector<const KernelImage*> KernelsToLoad(const Metric& metric, const std::string& family);

/// The kernels that do so, in the order of their names.
std::vector<std::string> KernelsOf(const Metric& metric);

}  // namespace acutance
