// Several encodes of one reference side by side (docs/use/decisions.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "report/summary.h"
#include "stats/bootstrap.h"

namespace acutance {

struct ComparedEncode {
  std::string name;
  std::optional<uint64_t> bytes;
  std::optional<double> bit_rate;
  double mean = 0;
  std::optional<Interval> interval;  // of the mean
  double p5 = 0;
  bool is_best = false;  // no encode is better at as few bits, and no mixture of two others
  double own_mean = 0;   // of all its frames, where `mean` is of the common ones
  int64_t own_frames = 0;
};

struct EncodeDifference {
  size_t a = 0, b = 0;  // indices of encodes
  double mean = 0;      // of a - b
  std::optional<Interval> interval;

  /// Whether the interval leaves no doubt which is better.
  bool is_sure() const { return interval && (interval->low > 0 || interval->high < 0); }
};

struct Comparison {
  std::string score;  // shown name
  ScoreDirection better = ScoreDirection::kHigher;
  std::optional<int64_t> common_frames;  // set where encodes have others, too (report/common_frames.h)
  std::vector<ComparedEncode> encodes;
  std::vector<EncodeDifference> differences;  // of each pair, the better one first
};

/// Compares by the column with that shown or stored name, or by a model's score.
Result<Comparison> CompareEncodes(const Summary& summary, const std::string& score);

Json ComparisonJson(const Comparison& comparison);
std::string ComparisonText(const Comparison& comparison);

/// "a.mp4 is 1.25 [0.90, 1.60] above b.mp4", with `digits` of the difference.
std::string DifferenceText(const Comparison& comparison, const EncodeDifference& difference, int digits);

/// "1.85 Mbit/s", "512 kbit/s"
std::string BitRateText(double bits_per_second);

/// "[92.10, 93.50]"; "-": none
std::string IntervalText(const std::optional<Interval>& interval);

}  // namespace acutance
