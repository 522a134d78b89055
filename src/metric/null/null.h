#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kNullMetric;

}  // namespace acutance
