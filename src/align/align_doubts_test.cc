// What alignment must not be sure of, and what it settles although single frames do not show it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "align/identity_alignment.h"
#include "align/testing/tracks.h"

namespace acutance {
namespace {

using ::testing::HasSubstr;

TEST(AlignTracks, IsNotSureOfAnEncodeThatLagsALittleInEachFrame) {
  // Seven tenths of each frame are the one before, and six frames are missing.
  FrameTrack distorted;
  std::mt19937 random(1);
  for (int k = 0; k < 200; ++k) {
    if (k >= 75 && k < 81) continue;
    const FrameFingerprint own = SpotAt(0.25 * k), before = SpotAt(0.25 * (k - 1));
    FrameFingerprint& coded = distorted.fingerprints.emplace_back();
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      coded.cells[c] = static_cast<uint16_t>((3 * own.cells[c] + 7 * before.cells[c]) / 10 + random() % 5000);
  }
  const auto alignment = AlignTracks(TrackOf(0, 200, [](int k) { return SpotAt(0.25 * k); }), distorted);
  if (alignment.ok()) ExpectPairs(*alignment, [](int64_t j) { return j < 75 ? j : j + 6; });  // it may be refused
}

TEST(AlignTracks, PairsNoFramesWithAReferenceThatFroze) {
  const auto froze = [](int64_t k) { return k > 80 && k < 85; };
  const Alignment alignment = Aligned(TrackOf(0, 160, [&](int k) { return SpotAt(1.2 * (froze(k) ? 80 : k)); }),
                                      TrackOf(0, 160, [](int k) { return SpotAt(1.2 * k); }));
  ExpectPairs(
      alignment, [&](int64_t j) { return froze(j) ? -1 : j; }, 150);
}

TEST(AlignTracks, SeesAFreezeOfAPictureThatHardlyMoves) {
  // Frames differ by less than a twentieth of a step of 8 bits.
  const auto shown = [](int64_t k) { return k > 99 && k < 103 ? 99 : k; };
  const Alignment alignment =
      Aligned(TrackOf(0, 160, [](int k) { return SpotAt(0.012 * k); }),
              TrackOf(0, 160, [&](int k) { return SpotAt(0.012 * static_cast<double>(shown(k))); }));
  ExpectPairs(alignment, shown, 150);
}

TEST(AlignTracks, PairsNoBlackFramesWithAPictureThatStands) {
  const Alignment alignment = Aligned(TrackOf(0, 128, [](int) { return SpotAt(20); }),
                                      TrackOf(0, 128, [](int k) { return k < 32 ? FlatOf(16) : SpotAt(20); }));
  EXPECT_EQ(alignment.pairs.size(), 96u);
  EXPECT_EQ(alignment.pairs.front().second, 32);
}

/// 160 frames, and `count` of an encode that lags by 0.1 to 0.8 frames, and whose errors persist.
std::pair<FrameTrack, FrameTrack> LaggingPair(int count) {
  std::mt19937 random(5);
  std::vector<double> error(FrameFingerprint::kCells);
  const auto encode = [&](int k) {
    FrameFingerprint coded = SpotAt(0.4 * (k - 0.001 * static_cast<double>(100 + random() % 700)));
    for (size_t c = 0; c < error.size(); ++c) {
      error[c] = 0.95 * error[c] + 0.06 * static_cast<double>(random() % 20000) - 600;
      coded.cells[c] = static_cast<uint16_t>(coded.cells[c] + 1000 + error[c]);
    }
    return coded;
  };
  return {TrackOf(0, 160, [](int k) { return SpotAt(0.4 * k); }), TrackOf(0, count, encode)};
}

TEST(AlignTracks, StatesNoConfidenceWhereAnEncodeIsNoNearerToItsFrames) {
  const auto [reference, distorted] = LaggingPair(160);  // a repeat would not show
  const Alignment alignment = Aligned(reference, distorted);
  ExpectIdentity(alignment, 160);
  EXPECT_EQ(alignment.by, Alignment::By::kTimes);
  EXPECT_THAT(alignment.Describe(), HasSubstr("too little is left of how frames differ"));
}

TEST(AlignTracks, LeavesVideosOfOtherLengthsToNoTimesWhereLittleIsLeft) {
  const auto [reference, distorted] = LaggingPair(130);
  const Result<Alignment> alignment = AlignTracks(reference, distorted);
  if (!alignment.ok()) return;  // refused
  EXPECT_EQ(alignment->by, Alignment::By::kFingerprints) << alignment->Describe();
}

TEST(AlignTracks, TakesFramesBetweenSureOnesWhereNoneStops) {
  // An encode that lags by half a frame for a while, and does not stop.
  FrameTrack distorted;
  std::mt19937 random(11);
  std::vector<double> error(FrameFingerprint::kCells);
  for (int k = 0; k < 200; ++k) {
    const bool is_weak = k >= 60 && k < 150;
    FrameFingerprint& coded = distorted.fingerprints.emplace_back(SpotAt(0.06 * (k - (is_weak ? 0.5 : 0.0))));
    for (size_t c = 0; c < error.size(); ++c) {
      error[c] = 0.9 * error[c] + 0.02 * static_cast<double>(random() % 10000) - 100;
      coded.cells[c] = static_cast<uint16_t>(coded.cells[c] + 1000 + error[c] * (is_weak ? 1 : 0.2));
    }
  }
  distorted.fingerprints.erase(distorted.fingerprints.begin(), distorted.fingerprints.begin() + 20);
  const FrameTrack reference = TrackOf(0, 200, [](int k) { return SpotAt(0.06 * k); });
  ExpectPairs(
      Aligned(reference, distorted), [](int64_t j) { return j + 20; }, 170);
}

/// A slope, and its encode, in which every 20th frame is coded alone, coarsely.
FrameTrack Slope(int begin, int end, double rate, bool is_encode) {
  const auto frame = [&](int k) {
    FrameFingerprint fingerprint = SlopeAt(is_encode ? k - k % 20 : k);
    if (is_encode)
      for (uint16_t& cell : fingerprint.cells) cell = static_cast<uint16_t>((cell + 512) / 1024 * 1024);
    return fingerprint;
  };
  return TrackOf(begin, end, frame, rate);
}

TEST(AlignTracks, LeavesAWeakEncodeOfWhatHardlyMovesToItsTimes) {
  const FrameTrack reference = Slope(0, 160, 25, false);
  const Alignment alignment = Aligned(reference, Slope(0, 160, 25, true));
  ExpectIdentity(alignment, 160);
  EXPECT_EQ(alignment.by, Alignment::By::kTimes);
  // Neither of another length, nor where frames are visibly off.
  EXPECT_FALSE(AlignTracks(reference, Slope(0, 159, 25, true)).ok());
  const Result<Alignment> far = AlignTracks(reference, Slope(100, 260, 25, true));
  EXPECT_TRUE(!far.ok() || !far->is_identity());
}

TEST(AlignTracks, PairsAWeakEncodeThatPlaysFasterByItsNumbers) {
  const Alignment alignment = Aligned(Slope(0, 160, 24, false), Slope(0, 160, 25, true));
  ExpectIdentity(alignment, 160);
  EXPECT_THAT(alignment.Describe(), HasSubstr("so that their numbers decide"));
}

TEST(AlignTracks, PairsAWeakEncodeThatLeavesFramesOutByItsTimes) {
  FrameTrack reference = Slope(0, 160, 25, false), encode{.rate = 25};
  const FrameTrack whole = Slope(0, 160, 25, true);
  for (int k = 0; k < 160; ++k) {
    reference.times.push_back(k / 25.0);
    if (k % 30 == 17) continue;
    encode.fingerprints.push_back(whole.fingerprints[k]);
    encode.times.push_back(k / 25.0);
  }
  const Alignment alignment = Aligned(reference, encode);
  EXPECT_EQ(alignment.pairs.size(), 155u) << alignment.Describe();
  EXPECT_EQ(alignment.by, Alignment::By::kTimes);
  for (const auto& [i, j] : alignment.pairs) EXPECT_NEAR(reference.times[i], encode.times[j], 1e-9);
  // Without the last frame it may as well lack the first.
  encode.fingerprints.pop_back(), encode.times.pop_back();
  EXPECT_FALSE(AlignTracks(reference, encode).ok());
}

TEST(IdentityEvidenceOf, TakesAnEncodeThatReturnsToItsNumberForALag) {
  const auto frame = [](int k) {
    FrameFingerprint fingerprint = SlopeAt(3 * k);
    for (size_t c = 0; c < FrameFingerprint::kDetails; ++c)
      fingerprint.details[c] = static_cast<int8_t>(std::lround(20 * std::sin(static_cast<double>(c) + 0.05 * k)));
    return fingerprint;
  };
  const auto evidence_of = [&](int every) {  // a lag of up to three frames, except in those that are coded alone
    std::mt19937 random(1);
    const auto encode = [&](int k) { return WithNoise(frame(std::max(k - 3, k - k % every)), random, 200); };
    return IdentityEvidenceOf(TrackOf(0, 160, frame), TrackOf(0, 160, encode, 25));
  };
  EXPECT_EQ(evidence_of(12), IdentityEvidence::kTooLittle);
  EXPECT_EQ(evidence_of(1000), IdentityEvidence::kAgainst);
}

TEST(IdentityEvidenceOf, SpeaksAgainstAVideoThatStopsWhereTheOtherContinues) {
  const auto evidence_of = [](int first, int end) {
    const auto stops = [=](int k) { return SpotAt(0.5 * (k > first && k < end ? first : k), 3); };
    return IdentityEvidenceOf(TrackOf(0, 120, [](int k) { return SpotAt(0.5 * k); }), TrackOf(0, 120, stops));
  };
  EXPECT_NE(evidence_of(0, 0), IdentityEvidence::kAgainst);
  EXPECT_EQ(evidence_of(50, 54), IdentityEvidence::kAgainst);
}

}  // namespace
}  // namespace acutance
