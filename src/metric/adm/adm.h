#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kAdmMetric;

}  // namespace acutance
