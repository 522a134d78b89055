// The size of pictures with which tests of a metric begin.
#pragma once

#include "metric/metric.h"

namespace acutance {

/// Metric::smallest where the metric takes it with its default options. Others ask for more in words of their own: the
/// smallest square in 4:2:0 that they take, of twice the side where that is still quick, because metrics that cut
/// pictures into blocks have nothing to compare in a single one.
PictureSize TestSizeOf(const Metric& metric);

}  // namespace acutance
