// What pairing must not be sure of.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "align/align_tracks.h"
#include "align/identity_alignment.h"
#include "align/testing/tracks.h"

namespace acutance {
namespace {

FrameFingerprint FlatOf(int value) {
  FrameFingerprint fingerprint;
  fingerprint.cells.fill(static_cast<uint16_t>(256 * value));
  return fingerprint;
}

TEST(AlignTracks, IsNotSureOfAnEncodeThatIsLateByALittleInEachFrame) {
  // Seven tenths of each frame are the one before, and six frames are missing.
  FrameTrack reference, distorted;
  std::mt19937 random(1);
  for (int k = 0; k < 200; ++k) {
    reference.fingerprints.push_back(CropWindowAt(0.25 * k));
    if (k >= 75 && k < 81) continue;
    const FrameFingerprint own = CropWindowAt(0.25 * k), before = CropWindowAt(0.25 * (k - 1));
    FrameFingerprint& coded = distorted.fingerprints.emplace_back();
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      coded.cells[c] = static_cast<uint16_t>((3 * own.cells[c] + 7 * before.cells[c]) / 10 + random() % 5000);
  }
  const Result<Alignment> alignment = AlignTracks(reference, distorted);
  if (!alignment.ok()) return;  // refused
  for (const auto& [i, j] : alignment->pairs) EXPECT_EQ(i, j < 75 ? j : j + 6);
}

TEST(AlignTracks, PairsNoFramesWithAReferenceThatFroze) {
  FrameTrack reference, distorted;
  for (int k = 0; k < 160; ++k) {
    reference.fingerprints.push_back(CropWindowAt(1.2 * (k > 80 && k < 85 ? 80 : k)));
    distorted.fingerprints.push_back(CropWindowAt(1.2 * k));
  }
  const Result<Alignment> alignment = AlignTracks(reference, distorted);
  ASSERT_TRUE(alignment.ok()) << alignment.status().message();
  EXPECT_GE(alignment->pairs.size(), 150u);
  for (const auto& [i, j] : alignment->pairs) EXPECT_TRUE(i == j && (j <= 80 || j >= 85)) << i << " " << j;
}

TEST(AlignTracks, SeesAFreezeOfAPictureThatHardlyMoves) {
  // Frames differ by less than a twentieth of a step of 8 bits.
  FrameTrack reference, distorted;
  for (int k = 0; k < 160; ++k) {
    reference.fingerprints.push_back(CropWindowAt(0.012 * k));
    distorted.fingerprints.push_back(CropWindowAt(0.012 * (k > 99 && k < 103 ? 99 : k)));
  }
  const Alignment alignment = Aligned(reference, distorted);
  EXPECT_GE(alignment.pairs.size(), 150u) << alignment.Describe();
  for (const auto& [i, j] : alignment.pairs) EXPECT_EQ(i, j > 99 && j < 103 ? 99 : j);
}

TEST(AlignTracks, PairsNoBlackFramesWithAPictureThatStands) {
  FrameTrack reference, distorted;
  for (int k = 0; k < 128; ++k) {
    reference.fingerprints.push_back(CropWindowAt(20));
    distorted.fingerprints.push_back(k < 32 ? FlatOf(16) : CropWindowAt(20));
  }
  const Result<Alignment> alignment = AlignTracks(reference, distorted);
  ASSERT_TRUE(alignment.ok()) << alignment.status().message();
  EXPECT_EQ(alignment->pairs.size(), 96u);
  EXPECT_EQ(alignment->pairs.front().second, 32);
}

TEST(AlignTracks, LeavesVideosOfOtherLengthsToNoTimesWhereLittleIsLeft) {
  // An encode that lags by half a frame, give or take some, and whose errors last.
  FrameTrack reference, distorted;
  std::mt19937 random(5);
  std::vector<double> error(FrameFingerprint::kCells);
  for (int k = 0; k < 160; ++k) {
    reference.fingerprints.push_back(CropWindowAt(0.4 * k));
    if (k >= 130) continue;
    const double late = 0.001 * static_cast<double>(100 + random() % 700);
    FrameFingerprint& coded = distorted.fingerprints.emplace_back(CropWindowAt(0.4 * (k - late)));
    for (size_t c = 0; c < error.size(); ++c) {
      error[c] = 0.95 * error[c] + 0.06 * static_cast<double>(random() % 20000) - 600;
      coded.cells[c] = static_cast<uint16_t>(coded.cells[c] + 1000 + error[c]);
    }
  }
  const Result<Alignment> alignment = AlignTracks(reference, distorted);
  if (!alignment.ok()) return;  // refused
  EXPECT_EQ(alignment->by, Alignment::By::kFingerprints) << alignment->Describe();
}

TEST(IdentityEvidenceOf, SpeaksAgainstAVideoThatStopsWhereTheOtherMovesOn) {
  const auto evidence_of = [](int first, int end) {
    FrameTrack reference, distorted;
    for (int k = 0; k < 120; ++k) {
      reference.fingerprints.push_back(CropWindowAt(0.5 * k));
      distorted.fingerprints.push_back(CropWindowAt(0.5 * (k > first && k < end ? first : k), 3));
    }
    return IdentityEvidenceOf(reference, distorted);
  };
  EXPECT_NE(evidence_of(0, 0), IdentityEvidence::kAgainst);
  EXPECT_EQ(evidence_of(50, 54), IdentityEvidence::kAgainst);
}

}  // namespace
}  // namespace acutance
