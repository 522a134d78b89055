#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kFrameFingerprintMetric;

}  // namespace acutance
