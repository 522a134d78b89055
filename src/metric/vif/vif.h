#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kVifMetric;

}  // namespace acutance
