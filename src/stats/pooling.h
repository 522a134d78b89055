// libvmaf's poolings (docs/spec/system.md 2.1).
#pragma once

#include <acutance/pooling.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stats/score_table.h"

namespace acutance {

/// The frames from low to high, both included, that are multiples of n_subsample.
struct FrameRange {
  int64_t low = 0;
  int64_t high = -1;
  int n_subsample = 1;
};

/// The methods with their names, in the order in which logs print them.
struct NamedPoolingMethod {
  std::string_view name;
  Pooling method;
  double (*pool)(std::span<const double> scores);
};
std::span<const NamedPoolingMethod> PoolingMethods();

/// The scores of a range; nullopt when one is missing or the range is empty.
std::optional<std::vector<double>> ScoresInRange(const ScoreTable::Column& column, const FrameRange& range);

double Pool(std::span<const double> scores, Pooling method);
/// The mean of the whole clip is the column's clip_mean, where it has one.
std::optional<double> Pool(const ScoreTable::Column& column, const FrameRange& range, Pooling method);

}  // namespace acutance
