// A metric's plans on a device against the metric on the CPU.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "metric/metric.h"

namespace acutance {

/// All that a session can ask of the device for this metric: every option that reaches a kernel, all depths and
/// workload classes, the smallest pictures and odd ones, different pictures and equal ones. The error names the
/// metric, the options, the size, and the first result that differs.
Status TestMetric(Device& device, const Metric& metric);

/// The kernels that do so, in the order of their names.
std::vector<std::string> KernelsOf(const Metric& metric);

}  // namespace acutance
