// The pooling behind a stated score of a whole clip: a mean, a harmonic mean, a percentile.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "run/explain/logged_scores.h"

namespace acutance {

/// "93.41 is the harmonic_mean of vmaf", with all poolings that print as `score`; or that none does, with what the
/// log's scores give. The score's digits say how exactly it is known.
Result<std::string> ExplainPooledScore(const LoggedScores& log, std::string_view score);

}  // namespace acutance
