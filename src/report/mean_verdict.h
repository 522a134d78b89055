// JSON document of a verdict on a mean score.
#pragma once

#include <acutance/run.h>

#include "base/json.h"

namespace acutance {

/// As docs/schema/acutance-1.json describes it.
Json MeanVerdictJson(const MeanVerdict& verdict);

}  // namespace acutance
