#pragma once

#include "exec/plan.h"
#include "metric/options.h"

namespace acutance {

/// Work of motion on a device: the sum of MotionExtractor. Reads a history of Lag() reference pictures.
Result<Plan> MakeMotionPlan(const OptionValues& options, const PlanContext& context);

}  // namespace acutance
