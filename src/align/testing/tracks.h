// Synthetic fingerprints and their alignment, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "align/align_tracks.h"

namespace acutance {

/// A fingerprint whose cell in column x of row y is at(x, y) steps of 8 bits.
template <class At>
FrameFingerprint FingerprintAt(const At& at) {
  FrameFingerprint fingerprint;
  for (int y = 0; y < 18; ++y)
    for (int x = 0; x < 32; ++x) fingerprint.cells[y * 32 + x] = static_cast<uint16_t>(256 * at(x, y));
  return fingerprint;
}

/// A spot that moves on a path that does not close, before a slope of `lean` steps a column.
inline FrameFingerprint SpotAt(double t, int lean = 2) {
  const double cx = 16 + 11 * std::sin(0.11 * t), cy = 9 + 6 * std::sin(0.083 * t + 1);
  return FingerprintAt([&](int x, int y) {
    const double near = std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / 8);
    return 40 + lean * x + 110 * near;
  });
}

/// A slope that changes slowly.
inline FrameFingerprint SlopeAt(double t) {
  return FingerprintAt([&](int x, int y) { return 60 + 2 * x + 3 * y + 5 * std::sin(0.01 * t + 0.2 * x); });
}

inline FrameFingerprint FlatOf(int value) {
  return FingerprintAt([&](int, int) { return value; });
}

/// A track whose frame k is at(k), for k from `begin` to end - 1.
template <class At>
FrameTrack TrackOf(int begin, int end, const At& at, std::optional<double> rate = std::nullopt) {
  FrameTrack track{.rate = rate};
  for (int k = begin; k < end; ++k) track.fingerprints.push_back(at(k));
  return track;
}

/// Frames begin to end - 1 of one scene.
inline FrameTrack Scene(int begin, int end, double rate = 25) {
  return TrackOf(
      begin, end, [](int k) { return SpotAt(k); }, rate);
}

/// The frame with up to `most` steps of 16 bits added to each cell.
inline FrameFingerprint WithNoise(FrameFingerprint frame, std::mt19937& random, uint32_t most) {
  for (uint16_t& cell : frame.cells) cell = static_cast<uint16_t>(cell + random() % most);
  return frame;
}

/// The alignment; an empty one, and a failure of the test, where it is refused.
inline Alignment Aligned(const FrameTrack& reference, const FrameTrack& distorted) {
  Result<Alignment> alignment = AlignTracks(reference, distorted);
  EXPECT_TRUE(alignment.ok()) << alignment.status().message();
  return alignment.ok() ? *alignment : Alignment{};
}

/// Fails the test unless each distorted frame in a pair shows reference frame shown(j), and at least `least` are in
/// one.
template <class Shown>
void ExpectPairs(const Alignment& alignment, const Shown& shown, size_t least = 0) {
  EXPECT_GE(alignment.pairs.size(), least) << alignment.Describe();
  for (const auto& [i, j] : alignment.pairs) EXPECT_EQ(i, shown(j)) << j;
}

/// Fails the test unless all `count` frames are aligned frame by frame.
inline void ExpectIdentity(const Alignment& alignment, size_t count) {
  EXPECT_TRUE(alignment.is_identity()) << alignment.Describe();
  EXPECT_EQ(alignment.pairs.size(), count);
}

}  // namespace acutance
