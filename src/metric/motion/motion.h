#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kMotionMetric;

}  // namespace acutance
