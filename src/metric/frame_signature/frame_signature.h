#pragma once

#include "metric/metric.h"

namespace acutance {

extern const Metric kFrameSignatureMetric;

}  // namespace acutance
