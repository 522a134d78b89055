#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kFloatMotionMetric;

}  // namespace acutance
