// How sure a mean of frames is: intervals by resampling blocks of frames (docs/use/decisions.md).
#pragma once

#include <acutance/pooling.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "stats/random.h"

namespace acutance {

struct BootstrapOptions {
  double confidence = 0.95;
  int resamples = 1000;
  uint64_t seed = 1;
};

/// The scores of a block, which are drawn together since frames in a row are alike: two seconds (50 where the rate is
/// not known), but a tenth of all at most and one at least.
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
