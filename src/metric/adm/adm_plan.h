#pragma once

#include "exec/plan.h"
#include "metric/options.h"

namespace acutance {

/// Work of ADM on a device: one launch a scale, then one that rounds and adds the sums of rows.
Result<Plan> MakeAdmPlan(const OptionValues& options, const PlanContext& context);

}  // namespace acutance
