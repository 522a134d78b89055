// Moving part of two videos, without what stands still: where a small thing moves before a still picture, only it
// distinguishes frames.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "align/frame_clock.h"
#include "align/frame_track.h"

namespace acutance {

/// How well pairs of frames fit by what changes in them: after subtracting the constant difference that each cell has
/// in just these pairs.
class MovingPart {
 public:
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;  // reference frame, distorted frame

  /// `gain`: what the reference's differences are in the distorted video.
  MovingPart(const FrameTrack& reference, const FrameTrack& distorted, double gain);

  /// The offset by which the videos fit best, of whole frames up to `most` steps both ways, if they fit far better so
  /// than in the pairs of a path.
  std::optional<int64_t> BetterOffset(const FrameClock& clock, int64_t most, const Pairs& pairs) const;

  /// How much worse, as a logarithm over all pairs, these fit if their reference frames are `shift` later. NaN: too few
  /// of these exist.
  double MarginOf(const Pairs& pairs, int64_t shift) const;

 private:
  class Sums;

  std::vector<int16_t> reference_, distorted_;
  std::vector<double> reference_energies_, distorted_energies_;
  int64_t reference_count_, distorted_count_;
};

}  // namespace acutance
