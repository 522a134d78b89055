#pragma once

#include "exec/plan.h"
#include "metric/options.h"

namespace acutance {

/// Work of psnr on a device: the sums of PsnrExtractor.
Result<Plan> MakePsnrPlan(const OptionValues& options, const PlanContext& context);

}  // namespace acutance
