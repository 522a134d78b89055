// Shot boundary detection by the fingerprints of a video's frames (docs/use/decisions.md).
#pragma once

#include <cstdint>
#include <vector>

#include "fingerprint/frame_fingerprint.h"

namespace acutance {

/// Frames in order. A cut lies before a frame that differs from the one before it, far more than its neighbours differ
/// from theirs, and whose follower differs from what was before, too: flashes and fast motion are no cuts.
class ShotCuts {
 public:
  void Add(const FrameFingerprint& fingerprint);

  /// The frames, counted from the first added, at which a shot begins; not the first.
  std::vector<int64_t> Find() const;

 private:
  FrameFingerprint last_, before_last_;
  std::vector<float> steps_;  // the difference from the frame before
  std::vector<float> skips_;  // from the one before that
};

}  // namespace acutance
