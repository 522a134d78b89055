// Bootstrap confidence intervals of means, by resampling blocks of frames (docs/use/decisions.md).
#pragma once

#include <acutance/pooling.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace acutance {

/// Pseudorandom numbers, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// 0 to count - 1. Of 2^32 numbers at most, the bias is below 2^-32.
  size_t Below(size_t count) { return static_cast<size_t>(((Next() >> 32) * static_cast<uint64_t>(count)) >> 32); }

  /// In [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

/// 0 to count - 1 in a random order.
inline std::vector<size_t> RandomOrder(size_t count, Random& random) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  return order;
}

struct BootstrapOptions {
  double confidence = 0.95;
  int resamples = 1000;
  uint64_t seed = 1;
};

/// The number of scores in a block, which is drawn as a whole since neighbouring frames are correlated: two seconds (50
/// for an unknown rate), at most a tenth of all and at least one.
size_t BlockLength(size_t scores, std::optional<double> scores_per_second);

/// An interval for the mean by the circular block bootstrap (Politis and Romano 1992): the spread of the means of as
/// many frames, drawn as blocks. Nothing for fewer than two blocks, or where a score is not finite. The same scores and
/// options give the same interval.
std::optional<Interval> MeanInterval(std::span<const double> scores, size_t block, const BootstrapOptions& options);

/// The same for the mean of a - b, whose frames are drawn in pairs. As many scores in a as in b.
std::optional<Interval> DifferenceInterval(std::span<const double> a, std::span<const double> b, size_t block,
                                           const BootstrapOptions& options);

/// Draws the beginnings of blocks that together cover `scores` frames.
void DrawBlocks(size_t scores, size_t block, Random& random, const std::function<void(size_t begin, size_t end)>& use);

/// The middle part of values, sorted by this, that holds `confidence` of them.
Interval MiddlePart(std::span<double> values, double confidence);

}  // namespace acutance
