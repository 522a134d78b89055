// Mean absolute difference of luma (README.md).
#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kToyMetric;

}  // namespace acutance
