// Text tables of `acutance score`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/summary.h"
#include "run/score_run.h"

namespace acutance::cli {

/// Rows: the models' scores, then the features that were asked for, or all; columns: the pools, or mean, harmonic mean,
/// min, max, median and standard deviation by default.
std::string PooledTable(const Session& session, int distorted, const Summary& summary,
                        const std::vector<NamedPool>& pools, bool all_features);

/// Rows: parts of every video; columns: the pools of each model's score for parts.
std::string PartsTable(const std::string& title, const std::vector<Part>& parts, const Session& session,
                       const Summary& summary);

/// Rows: the distorted videos; columns: the mean of every model. For more than one distorted video.
std::string ComparisonTable(const Session& session, const std::vector<std::string>& distorted, int64_t frames);

}  // namespace acutance::cli
