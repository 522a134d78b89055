#pragma once

#include "exec/plan.h"
#include "metric/options.h"

namespace acutance {

/// Work of VIF on a device: the sums of VifExtractor, without any arithmetic on doubles.
Result<Plan> MakeVifPlan(const OptionValues& options, const PlanContext& context);

}  // namespace acutance
