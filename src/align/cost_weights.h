// What the costs of a path weigh, as the clip itself tells.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "align/fit_path.h"

namespace acutance {

/// Learns from pairs that are right for the most part: weak encodes lose details, grain hides motion, and one cost
/// tells frames apart where another does not. `fitted` has residuals, costs and steps.
CostWeights LearnWeights(std::span<const std::pair<int64_t, int64_t>> pairs, const FittedPath& fitted);

}  // namespace acutance
