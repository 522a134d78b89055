#pragma once

#include "exec/plan.h"
#include "metric/options.h"

namespace acutance {

/// Work of float_motion on a device: the sums of its Extractor, bit for bit. Reads a history of one reference picture.
Result<Plan> MakeFloatMotionPlan(const OptionValues& options, const PlanContext& context);

}  // namespace acutance
