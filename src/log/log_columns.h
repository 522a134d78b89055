// Columns, frames and pooled values as all log formats list them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/log_writer.h"

namespace acutance {

struct LogColumn {
  std::string name;   // spelled for the place where it stands; no two are equal
  std::string label;  // the shown name itself
  const ScoreTable::Column* column;

  std::optional<double> Score(int64_t frame) const;
};

/// Columns that hold a score: libvmaf makes a column with its first score (docs/spec/system.md
/// 2.3).
std::vector<LogColumn> LogColumns(const ScoreTable& scores, std::string (*spell)(std::string_view));

/// Calls `use` with each frame that has a score, ascending; of these the multiples of n_subsample.
void ForEachLogFrame(const LogInput& input, const std::vector<LogColumn>& columns,
                     const std::function<void(int64_t frame)>& use);

/// The pooled values of a column, in the order of PoolingMethods(); nullopt when a score is missing.
std::optional<std::array<double, 4>> PoolForLog(const LogInput& input, const LogColumn& column);

}  // namespace acutance
