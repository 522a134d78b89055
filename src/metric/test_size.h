// Smallest useful picture size for tests of a metric.
#pragma once

#include "metric/metric.h"

namespace acutance {

/// Metric::smallest where the metric takes it with its default options. Other metrics get the smallest square in 4:2:0
/// that they take, of twice the side where that is still quick, because metrics that divide pictures into blocks have
/// nothing to compare in a single one.
PictureSize TestSizeOf(const Metric& metric);

}  // namespace acutance
