// Fingerprint analysis of a video: shot boundaries (docs/use/decisions.md), and the nearest reference frame of a
// distorted frame that does not show its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fingerprint/frame_fingerprint.h"

namespace acutance {

/// Shot boundaries of frames that are added in order. A boundary lies before a frame that differs from the one before
/// it far more than its neighbours differ from theirs, and whose successor differs from that one, too: flashes and fast
/// motion are no boundaries.
class ShotCuts {
 public:
  void Add(const FrameFingerprint& fingerprint);

  /// The frames, counted from the first added, at which a shot begins; not the first. numbers: those that the frames
  /// have in their video, where some of it are missing; empty: all are there.
  std::vector<int64_t> Find(std::span<const int64_t> numbers = {}) const;

 private:
  FrameFingerprint last_, before_last_;
  std::vector<float> steps_;  // the difference from the frame before
  std::vector<float> skips_;  // from the one before that
};

using FrameCells = decltype(FrameFingerprint::cells);

/// The frame at most 250 from `frame` whose cells lie much nearer to the distorted frame's than those of `frame` do,
/// regardless of changes in brightness and contrast; nullopt: none does.
std::optional<int64_t> NearestReferenceFrame(const FrameCells& distorted, std::span<const FrameCells> reference,
                                             int64_t frame);

}  // namespace acutance
