// Partial results that rows write, scale by scale.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "metric/metric.h"

namespace acutance {

/// A row of a scale writes `per_row` 64-bit results. Those of a scale lie row after row, scale after scale.
struct ScaleRows {
  std::vector<int> heights;  // by scale
  int per_row = 1;

  /// A stage for each scale.
  std::vector<StageSpec> Stages() const { return StagesOf(heights, std::identity()); }

  int RowsBefore(size_t scale) const {
    int rows = 0;
    for (size_t s = 0; s < scale; ++s) rows += heights[s];
    return rows;
  }

  int rows() const { return RowsBefore(heights.size()); }
  int count() const { return rows() * per_row; }

  /// The results of one scale.
  template <class T>
  std::span<T> Of(std::span<T> results, int scale) const {
    return results.subspan(static_cast<size_t>(RowsBefore(scale)) * per_row,
                           static_cast<size_t>(heights[scale]) * per_row);
  }
};

}  // namespace acutance
