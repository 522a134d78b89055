// The short tables that `acutance score` prints for a person.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/session.h"

namespace acutance::cli {

/// Rows: the models' scores, then the features; columns: mean, harmonic mean, min, max, median, standard deviation.
std::string PooledTable(const Session& session, int distorted, int64_t frames);

/// Rows: the distorted videos; columns: the mean of every model. For more than one distorted video.
std::string ComparisonTable(const Session& session, const std::vector<std::string>& distorted, int64_t frames);

}  // namespace acutance::cli
