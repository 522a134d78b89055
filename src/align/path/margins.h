// Margins of a path: how much worse it fits when shifted, from which confidence and doubts follow.
#pragma once

#include <cstdint>
#include <vector>

#include "align/alignment.h"
#include "align/path/fit_path.h"

namespace acutance {

/// The confidence above which no further search is needed.
inline constexpr double kStrongConfidence = 0.98;

/// Margins are logarithms of likelihood ratios over the whole clip. A shift whose margin is below the bound fits as
/// well as the path does.
class Margins {
 public:
  static constexpr double kBound = 20;

  /// margins[k] is that of a shift by first + k reference frames; NaN: not known.
  Margins(int64_t first, std::vector<double> margins);

  bool IsAmbiguous(int64_t shift) const;
  double confidence() const;
  Alignment::Doubt doubt() const;
  int64_t period() const { return period_; }
  /// Whether most shifts fit as well: the picture stands still.
  bool MostFit() const { return most_fit_; }

 private:
  int64_t first_;
  std::vector<double> margins_;
  double smallest_ = 0;
  bool most_fit_ = false;
  int64_t period_ = 0;  // the smallest ambiguous shift
};

/// The margins of all shifts within kMostSecondsApart.
Margins MarginsOf(const FittedPath& fitted, const FrameTrack& reference, const FrameTrack& distorted);

/// The margins of shifts by a few frames.
Margins MarginsNear(const FittedPath& fitted);

}  // namespace acutance
