// Sentence and JSON document of a verdict on a mean score.
#pragma once

#include <string>

#include "base/json.h"
#include "run/judge_mean.h"

namespace acutance {

std::string MeanVerdictText(const MeanVerdict& verdict);

/// As docs/schema/acutance-1.json describes it.
Json MeanVerdictJson(const MeanVerdict& verdict);

}  // namespace acutance
