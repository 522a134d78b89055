// Made fingerprints, and their pairing, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "align/align_tracks.h"

namespace acutance {

/// A spot that moves on a path that does not close, before a slope that `lean` says.
inline FrameFingerprint CropWindowAt(double t, int lean = 2) {
  FrameFingerprint fingerprint;
  const double cx = 16 + 11 * std::sin(0.11 * t), cy = 9 + 6 * std::sin(0.083 * t + 1);
  for (int y = 0; y < 18; ++y)
    for (int x = 0; x < 32; ++x) {
      const double near = std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / 8);
      fingerprint.cells[static_cast<size_t>(y * 32 + x)] = static_cast<uint16_t>(256 * (40 + lean * x + 110 * near));
    }
  return fingerprint;
}

/// An empty one, and a failure of the test, where they are refused.
inline Alignment Aligned(const FrameTrack& reference, const FrameTrack& distorted) {
  Result<Alignment> alignment = AlignTracks(reference, distorted);
  EXPECT_TRUE(alignment.ok()) << alignment.status().message();
  return alignment.ok() ? *alignment : Alignment{};
}

}  // namespace acutance
