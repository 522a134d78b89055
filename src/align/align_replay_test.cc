// What pairing settles although single frames do not tell it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "align/align_tracks.h"
#include "align/testing/tracks.h"

namespace acutance {
namespace {

using ::testing::HasSubstr;

FrameFingerprint MeanOf(const FrameFingerprint& a, const FrameFingerprint& b) {
  FrameFingerprint mean;
  for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
    mean.cells[c] = static_cast<uint16_t>((a.cells[c] + b.cells[c]) / 2);
  return mean;
}

/// A slope that changes slowly.
FrameFingerprint SlopeAt(double t) {
  FrameFingerprint fingerprint;
  for (int y = 0; y < 18; ++y)
    for (int x = 0; x < 32; ++x)
      fingerprint.cells[static_cast<size_t>(y * 32 + x)] =
          static_cast<uint16_t>(256 * (60 + 2 * x + 3 * y + 5 * std::sin(0.01 * t + 0.2 * x)));
  return fingerprint;
}

FrameTrack TrackOf(int count, double rate) {
  FrameTrack track;
  track.rate = rate;
  for (int k = 0; k < count; ++k) track.fingerprints.push_back(SlopeAt(k));
  return track;
}

/// The encoder codes every 20th frame alone, coarsely.
FrameTrack WeakEncodeOf(const FrameTrack& track) {
  FrameTrack encode{.times = track.times, .rate = track.rate};
  for (int k = 0; k < track.size(); ++k) {
    FrameFingerprint fingerprint = track.fingerprints[static_cast<size_t>(k - k % 20)];
    for (uint16_t& cell : fingerprint.cells) cell = static_cast<uint16_t>((cell + 512) / 1024 * 1024);
    encode.fingerprints.push_back(fingerprint);
  }
  return encode;
}

TEST(AlignTracks, PairsTheWholeFramesOfATelecine) {
  FrameTrack reference, distorted;
  reference.rate = 24, distorted.rate = 30;
  std::mt19937 random(3);
  for (int k = 0; k < 160; ++k) reference.fingerprints.push_back(CropWindowAt(0.5 * k));
  for (size_t k = 0; k < 160; k += 4) {
    const auto& frames = reference.fingerprints;
    for (const FrameFingerprint& frame : {frames[k], frames[k + 1], MeanOf(frames[k + 1], frames[k + 2]),
                                          MeanOf(frames[k + 2], frames[k + 3]), frames[k + 3]}) {
      distorted.fingerprints.push_back(frame);
      for (uint16_t& cell : distorted.fingerprints.back().cells) cell = static_cast<uint16_t>(cell + random() % 600);
    }
  }
  const Alignment alignment = Aligned(reference, distorted);
  EXPECT_GE(alignment.pairs.size(), 100u) << alignment.Describe();
  for (const auto& [i, j] : alignment.pairs) {
    const int64_t first = j / 5 * 4, at = j % 5;
    EXPECT_GE(i, first + (at > 1 ? at - 1 : at)) << j;
    EXPECT_LE(i, first + (at > 3 ? 3 : at)) << j;
  }
}

TEST(AlignTracks, PairsAWeakEncodeThatPlaysFasterByItsNumbers) {
  const FrameTrack reference = TrackOf(160, 24);
  FrameTrack encode = WeakEncodeOf(reference);
  encode.rate = 25;
  const Alignment alignment = Aligned(reference, encode);
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_EQ(alignment.pairs.size(), 160u);
  EXPECT_THAT(alignment.Describe(), HasSubstr("so that their numbers decide"));
}

TEST(AlignTracks, PairsAWeakEncodeThatLeavesFramesOutByItsTimes) {
  FrameTrack reference = TrackOf(160, 25);
  for (int k = 0; k < 160; ++k) reference.times.push_back(k / 25.0);
  const FrameTrack whole = WeakEncodeOf(reference);
  FrameTrack encode;
  encode.rate = 25;
  for (size_t k = 0; k < 160; ++k) {
    if (k % 30 == 17) continue;
    encode.fingerprints.push_back(whole.fingerprints[k]);
    encode.times.push_back(whole.times[k]);
  }
  const Alignment alignment = Aligned(reference, encode);
  EXPECT_EQ(alignment.pairs.size(), 155u) << alignment.Describe();
  EXPECT_EQ(alignment.by, Alignment::By::kTimes);
  for (const auto& [i, j] : alignment.pairs)
    EXPECT_NEAR(reference.times[static_cast<size_t>(i)], encode.times[static_cast<size_t>(j)], 1e-9);
  // Without the last frame it may as well lack the first.
  encode.fingerprints.pop_back(), encode.times.pop_back();
  EXPECT_FALSE(AlignTracks(reference, encode).ok());
}

TEST(AlignTracks, FindsAConversionBetweenRatesThatAreNotTold) {
  FrameTrack reference, distorted;
  reference.rate = 25;
  std::mt19937 random(7);
  for (int k = 0; k < 120; ++k) reference.fingerprints.push_back(CropWindowAt(0.15 * k));
  for (int j = 0; j < 288; ++j) {
    distorted.fingerprints.push_back(reference.fingerprints[static_cast<size_t>(j * 25 / 60)]);
    for (uint16_t& cell : distorted.fingerprints.back().cells) cell = static_cast<uint16_t>(cell + random() % 500);
  }
  const Alignment alignment = Aligned(reference, distorted);
  EXPECT_GE(alignment.pairs.size(), 115u) << alignment.Describe();
  for (const auto& [i, j] : alignment.pairs) EXPECT_EQ(i, j * 25 / 60);
}

TEST(AlignTracks, KeepsFramesBetweenSureOnesWhereNoneStops) {
  // An encode that is late by half a frame for a while, and moves on all the same.
  FrameTrack reference, distorted;
  std::mt19937 random(11);
  std::vector<double> error(FrameFingerprint::kCells);
  for (int k = 0; k < 200; ++k) {
    const bool is_weak = k >= 60 && k < 150;
    reference.fingerprints.push_back(CropWindowAt(0.06 * k));
    FrameFingerprint& coded = distorted.fingerprints.emplace_back(CropWindowAt(0.06 * (k - (is_weak ? 0.5 : 0.0))));
    for (size_t c = 0; c < error.size(); ++c) {
      error[c] = 0.9 * error[c] + 0.02 * static_cast<double>(random() % 10000) - 100;
      coded.cells[c] = static_cast<uint16_t>(coded.cells[c] + 1000 + error[c] * (is_weak ? 1 : 0.2));
    }
  }
  distorted.fingerprints.erase(distorted.fingerprints.begin(), distorted.fingerprints.begin() + 20);
  const Alignment alignment = Aligned(reference, distorted);
  EXPECT_GE(alignment.pairs.size(), 170u) << alignment.Describe();
  for (const auto& [i, j] : alignment.pairs) EXPECT_EQ(i, j + 20);
}

}  // namespace
}  // namespace acutance
