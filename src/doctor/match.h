// Which frames of two videos show the same, by their small pictures.
#pragma once

#include <optional>
#include <vector>

#include "doctor/watch.h"

namespace acutance {

/// Frame j of the distorted video shows reference frame rate * j + offset.
struct Match {
  double rate = 1;
  int offset = 0;
  double support = 0;         // the share of frames with a clear place that this explains
  int clear = 0;              // frames with a clear place
  std::vector<int> places{};  // of each distorted frame, where it is clear; else -1
  int steps = 0;              // how often the place jumps, as where frames were dropped
  int repeats = 0;            // distorted frames like the one before them where the reference moves
};

Match FindMatch(const std::vector<Thumb>& reference, const std::vector<Thumb>& distorted, int most_offset);

/// distorted = slope * reference + shift, by least squares; `error` is what is left, by the deviation of the distorted.
struct BrightnessFit {
  double slope = 1;
  double shift = 0;
  double error = 1;
};

BrightnessFit FitBrightness(const Thumb& reference, const Thumb& distorted);

}  // namespace acutance
