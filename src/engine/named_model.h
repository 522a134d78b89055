// Models by name: those that are built in, and metrics as models of their own scores.
#pragma once

#include <string_view>

#include "base/status.h"
#include "model/model.h"

namespace acutance {

/// Whether LoadNamedModel knows the version.
bool IsNamedModel(std::string_view version);

/// A built-in model, or an output of a metric as a model: by the name of the output ("psnr_y") or of the metric
/// ("ssimulacra2"), whose output OutputSpec::is_model and rank choose. A metric's model may not bear the name of an
/// output of that metric: its scores and the feature's would share a column.
Result<Model> LoadNamedModel(std::string_view version, std::string_view name);

}  // namespace acutance
