// Halved luma compared over time (README.md).
#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kToyMetric;

}  // namespace acutance
