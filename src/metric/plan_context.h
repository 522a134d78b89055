// Plans of metrics for batches of frames, from the metrics' declarations.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "exec/plan.h"
#include "metric/metric.h"

namespace acutance {

/// A batch of `frames` frames with `videos` distorted videos, with all that `inputs` declare. Inputs of
/// several metrics may be joined; each plane and derived picture is there once.
PlanContext MakePlanContext(std::span<const InputSpec> inputs, const PictureFormat& format, int frames, int videos,
                            std::string_view family);

/// A metric's work on a device (Metric::make_plan).
Result<Plan> MakePlan(const Metric& metric, const OptionValues& options, const PlanContext& context);

/// The launches that compute the derived inputs; null where there are none.
Result<std::optional<Plan>> MakeDerivePlan(std::span<const InputSpec> inputs, const PlanContext& context);

}  // namespace acutance
