// Poolings of a clip's scores into one number, and intervals for such numbers.
#pragma once

namespace acutance {

enum class Pooling { kMean, kHarmonicMean, kMin, kMax };

/// Bounds of a number at the requested confidence.
struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace acutance
