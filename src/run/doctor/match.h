// Which frames of two videos show the same, by their small pictures.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "run/doctor/video_probe.h"

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

Match FindMatch(const std::vector<Thumbnail>& reference, const std::vector<Thumbnail>& distorted, int most_offset);

/// distorted = slope * reference + shift, by least squares; `error` is what is left, by the deviation of the distorted.
struct BrightnessFit {
  double slope = 1;
  double shift = 0;
  double error = 1;
};

BrightnessFit FitBrightness(const Thumbnail& reference, const Thumbnail& distorted);

/// One constant distance in time between two videos.
struct Shift {
  int offset = 0;  // distorted frame j shows reference frame j + offset
  double error = 1;
  bool is_unique = false;  // shifts a little farther away fit clearly worse
};

/// Where the small pictures fit best all together, though each alone may have no clear place.
Shift BestShift(const std::vector<Thumbnail>& reference, const std::vector<Thumbnail>& distorted);

/// The mean error of each `step`th frame; 1 where the videos share too few frames then.
double ErrorOfShift(const std::vector<Thumbnail>& reference, const std::vector<Thumbnail>& distorted, int offset,
                    int step = 4);

/// How far distorted brightness lies from a line of the reference's, as where it was coded by another transfer.
struct BrightnessCurve {
  double bend = 0;       // of a parabola half-way, by its rise; above 0: middle tones are brighter than on a line
  double explained = 0;  // the share of what a line leaves that the parabola explains
};

BrightnessCurve FitCurve(const std::vector<std::pair<const Thumbnail*, const Thumbnail*>>& pairs);

}  // namespace acutance
