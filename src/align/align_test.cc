#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "align/identity_alignment.h"
#include "align/path/margins.h"
#include "align/testing/tracks.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

FrameTrack Track(const std::vector<int>& frames, double rate = 25) {
  return TrackOf(
      0, static_cast<int>(frames.size()), [&](int k) { return SpotAt(frames[k]); }, rate);
}

std::vector<int> Frames(int first, int end) {
  std::vector<int> frames;
  for (int frame = first; frame < end; ++frame) frames.push_back(frame);
  return frames;
}

TEST(AlignTracks, FindsEqualVideosPlain) {
  const Alignment alignment = Aligned(Scene(0, 60), Scene(0, 60));
  ExpectIdentity(alignment, 60);
  EXPECT_EQ(alignment.Describe(), "frame by frame; confidence 0.99");
}

TEST(AlignTracks, FindsOffsets) {
  const Alignment early = Aligned(Scene(0, 150), Scene(40, 150));
  EXPECT_EQ(early.late(), -40);
  EXPECT_EQ(early.pairs.size(), 110u);
  EXPECT_EQ(early.Describe(), "distorted[0] = reference[40] (40 frames missing at the start); confidence 0.99");
  const Alignment late = Aligned(Scene(40, 150), Scene(0, 150));
  EXPECT_EQ(late.late(), 40);
  EXPECT_EQ(late.unmatched_distorted.size(), 40u);
}

TEST(AlignTracks, FindsDropsAndRepeats) {
  std::vector<int> frames = Frames(0, 120);
  frames.erase(frames.begin() + 70, frames.begin() + 73);
  frames.insert(frames.begin() + 31, frames[30]);
  const Alignment alignment = Aligned(Scene(0, 120), Track(frames));
  EXPECT_THAT(alignment.unmatched_reference, ElementsAre(70, 71, 72));
  EXPECT_THAT(alignment.unmatched_distorted, ElementsAre(31));
  EXPECT_EQ(alignment.Describe(), "3 frames missing; 1 frame repeated; confidence 0.99");
}

TEST(AlignTracks, ConvertsRates) {
  std::vector<int> doubled;
  for (int j = 0; j < 160; ++j) doubled.push_back(j / 2);
  const Alignment alignment = Aligned(Scene(0, 80), Track(doubled, 50));
  ASSERT_EQ(alignment.pairs.size(), 80u);
  for (int i = 0; i < 80; ++i) EXPECT_THAT(alignment.pairs[i], Pair(i, 2 * i));
}

TEST(AlignTracks, PairsByIndexWhatPlaysFaster) {
  EXPECT_TRUE(Aligned(Scene(0, 240, 24), Scene(0, 240, 25)).is_identity());
}

TEST(AlignTracks, LeavesStandingPicturesToTheirTimes) {
  const std::vector<int> still(60, 7);
  const Alignment alignment = Aligned(Track(still), Track(still));
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_THAT(alignment.Describe(), HasSubstr("the picture stands still"));
}

/// A picture that stands still, whose encoder codes it finer every eight frames.
FrameTrack StillEncode(uint32_t seed, double coarsest) {
  std::mt19937 random(seed);
  std::vector<double> error(FrameFingerprint::kCells);
  const auto encode = [&](int k) {
    if (k % 8 == 0)
      for (double& each : error) each = coarsest / (1 + k / 8) * (static_cast<double>(random() % 200) - 100);
    FrameFingerprint frame = SpotAt(20);
    for (size_t c = 0; c < error.size(); ++c) frame.cells[c] = static_cast<uint16_t>(frame.cells[c] + error[c]);
    return frame;
  };
  return TrackOf(0, 75, encode, 25);
}

TEST(Margins, DistinguishAStillFromWhatRepeats) {
  std::vector<double> still, loop;
  for (int shift = -100; shift <= 100; ++shift) {
    still.push_back(std::abs(shift) < 13 ? 25 : 1);  // errors of encodes distinguish frames that are near
    loop.push_back(shift % 13 == 0 ? 1 : 25);
  }
  EXPECT_EQ(Margins(-100, still).doubt(), Alignment::Doubt::kStill);
  EXPECT_EQ(Margins(-100, loop).doubt(), Alignment::Doubt::kPeriodic);
  EXPECT_EQ(Margins(-100, loop).period(), 13);
}

TEST(AlignTracks, LeavesOutNoFrameOfTwoEncodesOfAStill) {
  for (const double coarsest : {1.0, 3.0, 8.0})
    ExpectIdentity(Aligned(StillEncode(1, coarsest / 2), StillEncode(2, coarsest)), 75);
}

TEST(AlignTracks, LeavesStillsOfOtherLengthsToTheirTimes) {
  FrameTrack longer = StillEncode(2, 3);
  const FrameTrack more = StillEncode(3, 6);
  longer.fingerprints.insert(longer.fingerprints.end(), more.fingerprints.begin(), more.fingerprints.begin() + 24);
  const Alignment alignment = Aligned(StillEncode(1, 3), longer);
  EXPECT_EQ(alignment.pairs.size(), 75u) << alignment.Describe();
  EXPECT_THAT(alignment.Describe(), HasSubstr("the picture stands still"));
}

TEST(AlignTracks, LeavesOutNoFrameOfAnEncodeThatStopsWhereLittleMoves) {
  // The picture creeps from frame 80 on, and its encode moves every sixth frame.
  const auto encode = [](int j) {
    FrameFingerprint frame = SpotAt(j < 80 ? j : 80 + 0.003 * ((j - 80) / 6 * 6));
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      frame.cells[c] = static_cast<uint16_t>(frame.cells[c] + (c * 7919 + j / 6 * 104729) % 60);
    return frame;
  };
  const auto creep = [](int k) { return SpotAt(k < 80 ? k : 80 + 0.003 * (k - 80)); };
  EXPECT_TRUE(Aligned(TrackOf(0, 140, creep, 25), TrackOf(0, 140, encode, 25)).is_identity());
}

TEST(AlignTracks, ContinuesBehindAFrameThatWasCodedBadly) {
  FrameTrack distorted = Scene(0, 120);
  distorted.fingerprints[60].cells.fill(30000);
  ExpectIdentity(Aligned(Scene(0, 120), distorted), 120);
}

TEST(AlignTracks, LeavesOutFramesThatFitTwoPlaces) {
  // A drop in a stretch of which noise hides where.
  FrameTrack reference = Scene(0, 60), distorted = reference;
  const auto add = [](FrameTrack& track, double t, size_t seed) {
    FrameFingerprint& frame = track.fingerprints.emplace_back(SpotAt(t));
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      frame.cells[c] = static_cast<uint16_t>(frame.cells[c] + (c * 7919 + seed * 104729) % 701);
  };
  for (int k = 0; k < 20; ++k) {
    add(reference, 60 + 0.15 * k, 0);
    if (k != 10) add(distorted, 60 + 0.15 * k, k + 1);
  }
  for (FrameTrack* track : {&reference, &distorted})
    for (const FrameFingerprint& frame : Scene(63, 123).fingerprints) track->fingerprints.push_back(frame);
  const Alignment alignment = Aligned(reference, distorted);
  for (const auto& [i, j] : alignment.pairs) EXPECT_TRUE((j >= 60 && j < 79) || i == (j < 60 ? j : j + 1)) << i;
  for (const int64_t j : alignment.doubtful) EXPECT_TRUE(j >= 60 && j < 79);
}

TEST(AlignTracks, TakesTheFrameFromWhichThePathContinuesForTheFirst) {
  std::vector<int> distorted = Frames(10, 150);
  distorted[9] = 20;  // what comes before the reference's first frame looks like it
  const Alignment alignment = Aligned(Scene(20, 150), Track(distorted));
  ASSERT_FALSE(alignment.pairs.empty());
  EXPECT_THAT(alignment.pairs.front(), Pair(0, 10));
}

TEST(AlignTracks, FindsRepeatsBeforeAHalvedRate) {
  std::vector<int> frames = Frames(0, 120), halved;
  for (const int repeated : {80, 31}) frames.insert(frames.begin() + repeated, frames[repeated]);
  for (size_t k = 0; k < frames.size(); k += 2) halved.push_back(frames[k]);
  ExpectPairs(
      Aligned(Scene(0, 120), Track(halved, 12.5)), [&](int64_t j) { return halved[j]; }, halved.size());
}

TEST(AlignTracks, TakesWhatComesBeforeAStandingStartForNoRepeats) {
  std::vector<int> distorted(14, 20);  // the reference begins with a picture that stood before, too
  for (const int frame : Frames(21, 150)) distorted.push_back(frame);
  const Alignment alignment = Aligned(Scene(20, 150), Track(distorted));
  ASSERT_FALSE(alignment.pairs.empty());
  EXPECT_THAT(alignment.pairs.front(), Pair(0, 13));
  EXPECT_EQ(alignment.Describe(), "distorted[13] = reference[0] (13 frames more at the start); confidence 0.99");
}

TEST(AlignTracks, BelievesAVideoThatEndsAtAnotherOffset) {
  // A frame is missing from a noisy encode whose frames have something of the one before, so that neighbours fit well.
  FrameTrack distorted;
  for (int k = 0; k < 240; ++k) {
    if (k == 80) continue;
    const FrameFingerprint frame = SpotAt(0.4 * k), before = SpotAt(0.4 * (k - 1));
    FrameFingerprint& coded = distorted.fingerprints.emplace_back();
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c) {
      const size_t noise = (c * 7919 + k * 104729) % 2101;
      coded.cells[c] = static_cast<uint16_t>((65 * frame.cells[c] + 35 * before.cells[c]) / 100 + noise);
    }
  }
  const Alignment alignment = Aligned(TrackOf(0, 240, [](int k) { return SpotAt(0.4 * k); }), distorted);
  ASSERT_FALSE(alignment.pairs.empty());
  EXPECT_THAT(alignment.pairs.back(), Pair(239, 238));
}

/// An encode whose errors are far larger than what moves from frame to frame, and persist.
FrameTrack EncodedBadly(const std::vector<double>& frames, int most) {
  uint32_t random = 1;
  const auto noise = [&random](double reach) {
    random = random * 1664525 + 1013904223;
    return reach * (2.0 * (random >> 8) / (1 << 24) - 1);
  };
  std::vector<double> errors(FrameFingerprint::kCells);
  for (double& error : errors) error = noise(most);
  FrameTrack track{.rate = 25};
  for (const double frame : frames) {
    FrameFingerprint& fingerprint = track.fingerprints.emplace_back(SpotAt(frame));
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c) {
      errors[c] = 0.99 * errors[c] + noise(0.03 * most);
      fingerprint.cells[c] = static_cast<uint16_t>(fingerprint.cells[c] + most + errors[c]);
    }
  }
  return track;
}

TEST(AlignTracks, FindsAFreezeInAnEncodeWhoseErrorsPersist) {
  const auto shown = [](int64_t k) { return k == 30 || k == 31 ? 29 : k; };
  std::vector<double> times;
  for (int k = 0; k < 150; ++k) times.push_back(0.15 * static_cast<double>(shown(k)));
  const FrameTrack reference = TrackOf(
      0, 150, [](int k) { return SpotAt(0.15 * k); }, 25);
  ExpectPairs(Aligned(reference, EncodedBadly(times, 2500)), shown, 146);
}

TEST(AlignTracks, FindsSingleRepeatsWhereAnAlignedEncodeMovesSlowly) {
  FrameTrack reference, distorted;
  std::mt19937 random(1);
  for (int k = 0; k < 150; ++k) {
    reference.fingerprints.push_back(SpotAt(0.06 * k));
    const bool repeats = k % 40 == 30;
    distorted.fingerprints.push_back(repeats ? FrameFingerprint(distorted.fingerprints.back())
                                             : WithNoise(reference.fingerprints.back(), random, 300));
  }
  ExpectPairs(
      Aligned(reference, distorted), [](int64_t j) { return j % 40 == 30 ? j - 1 : j; }, 140);
}

TEST(AlignTracks, FindsAFreezeThatOnlyDetailsShow) {
  const auto frame = [](int k) {
    FrameFingerprint fingerprint = SpotAt(k < 60 ? k : 60);
    if (k >= 60)
      for (size_t c = 300; c < 330; ++c)
        fingerprint.details[c] = static_cast<int8_t>(60 * std::sin(0.9 * static_cast<double>(c) + 0.8 * k));
    return fingerprint;
  };
  const auto frozen = [&](int k) { return frame(k == 90 ? 89 : k); };
  const Alignment alignment = Aligned(TrackOf(0, 120, frame), TrackOf(0, 120, frozen));
  EXPECT_THAT(alignment.unmatched_reference, ElementsAre(90)) << alignment.Describe();
  EXPECT_THAT(alignment.unmatched_distorted, ElementsAre(90));
}

TEST(AlignTracks, FindsDropsAfterWhichNoNeighbourIsNearer) {
  // A bar that jumps about before a still picture: a frame is equally far from all frames except its own.
  const auto frame = [](int k) {
    FrameFingerprint fingerprint = SpotAt(std::min(k, 96));
    for (int row = 0; row < 6 && k > 96; ++row)
      fingerprint.cells[row * FrameFingerprint::kColumns + 11 * k % FrameFingerprint::kColumns] += 9000;
    return fingerprint;
  };
  const FrameTrack reference = TrackOf(0, 144, frame);
  FrameTrack distorted = reference;
  distorted.fingerprints.erase(distorted.fingerprints.begin() + 97, distorted.fingerprints.begin() + 103);
  const Alignment alignment = Aligned(reference, distorted);
  ASSERT_FALSE(alignment.pairs.empty());
  EXPECT_THAT(alignment.pairs.back(), Pair(143, 137)) << alignment.Describe();
}

TEST(AlignTracks, DoesNotGuessThePhaseOfALoop) {
  std::vector<int> loop;
  for (int k = 0; k < 200; ++k) loop.push_back(k % 20);
  EXPECT_TRUE(Aligned(Track(loop), Track(loop)).is_identity());
  const Result<Alignment> shifted = AlignTracks(Track(loop), Track({loop.begin() + 7, loop.end()}));
  ASSERT_FALSE(shifted.ok());
  EXPECT_THAT(shifted.status().message(), HasSubstr("repeats every 20 frames"));
}

/// Noise of which the encoder preserved a part.
FrameTrack NoiseTrack(uint32_t seed, double preserved) {
  std::mt19937 random(seed), lost(seed + 1000);
  const auto draw = [&](int) {
    FrameFingerprint fingerprint;
    for (uint16_t& cell : fingerprint.cells) {
      const double noise = static_cast<double>(random() % 16384), error = static_cast<double>(lost() % 16384);
      cell = static_cast<uint16_t>(25000 + preserved * noise + (1 - preserved) * 0.3 * error);
    }
    for (int8_t& detail : fingerprint.details)
      detail = static_cast<int8_t>(preserved * (static_cast<double>(random() % 100) - 50));
    return fingerprint;
  };
  return TrackOf(0, 60, draw, 25);
}

TEST(AlignTracks, TakesWhatIsLeftOfNoise) {
  const FrameTrack reference = NoiseTrack(1, 1);
  ExpectIdentity(Aligned(reference, NoiseTrack(1, 0.2)), 60);
  EXPECT_FALSE(AlignTracks(reference, NoiseTrack(2, 0.2)).ok());
}

/// A mouth of two cells that opens and closes in a picture that stands, as an encoder with errors of its own leaves it.
FrameTrack MouthTrack(int begin, uint32_t seed, double error) {
  std::mt19937 random(seed);
  const auto draw = [&](int frame) {
    FrameFingerprint fingerprint = SpotAt(20);
    const double opening = std::sin(0.05 * frame + 0.0004 * frame * frame);
    fingerprint.cells[12 * 32 + 16] = static_cast<uint16_t>(256 * (90 + 20 * opening));
    fingerprint.cells[13 * 32 + 16] = static_cast<uint16_t>(256 * (90 - 12 * opening));
    for (uint16_t& cell : fingerprint.cells) {
      const double noise = static_cast<double>(random() % 2001) / 1000 - 1;
      cell = static_cast<uint16_t>(cell + 256 * error * noise);
    }
    return fingerprint;
  };
  return TrackOf(begin, 240, draw, 60);
}

TEST(AlignTracks, FindsOffsetsOfASmallThingThatMovesInAPictureThatStands) {
  for (const int late : {-119, -63, 40}) {
    const Alignment alignment = Aligned(MouthTrack(std::max(0, late), 1, 0), MouthTrack(std::max(0, -late), 2, 0.3));
    EXPECT_EQ(alignment.late(), late) << alignment.Describe();
    EXPECT_GE(std::ssize(alignment.pairs), 240 - std::abs(late) - 16);
  }
}

TEST(AlignTracks, PreservesTheEndsOfAnEncodeThatFiltersOverTime) {
  // The first and last frames are means of those about them, which lie near to later and earlier ones.
  const auto encode = [](const FrameTrack& from) {
    FrameTrack track = from;
    const auto mix = [&](size_t to, size_t first) {
      for (size_t c = 0; c < FrameFingerprint::kCells; ++c) {
        int sum = 0;
        for (size_t k = 0; k < 5; ++k) sum += from.fingerprints[first + k].cells[c];
        track.fingerprints[to].cells[c] = static_cast<uint16_t>(sum / 5);
      }
    };
    const size_t count = from.fingerprints.size();
    for (const size_t k : {0, 1}) mix(k, 0), mix(count - 1 - k, count - 5);
    return track;
  };
  ExpectIdentity(Aligned(Scene(0, 120), encode(Scene(0, 120))), 120);
  ExpectPairs(
      Aligned(Scene(0, 160), encode(Scene(20, 140))), [](int64_t j) { return j + 20; }, 110);
}

TEST(AlignTracks, PairsTheWholeFramesOfATelecine) {
  const auto mean = [](FrameFingerprint a, const FrameFingerprint& b) {
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      a.cells[c] = static_cast<uint16_t>((a.cells[c] + b.cells[c]) / 2);
    return a;
  };
  const FrameTrack reference = TrackOf(
      0, 160, [](int k) { return SpotAt(0.5 * k); }, 24);
  FrameTrack distorted{.rate = 30};
  std::mt19937 random(3);
  for (size_t k = 0; k < 160; k += 4) {
    const auto* frames = &reference.fingerprints[k];
    for (const FrameFingerprint& frame :
         {frames[0], frames[1], mean(frames[1], frames[2]), mean(frames[2], frames[3]), frames[3]})
      distorted.fingerprints.push_back(WithNoise(frame, random, 600));
  }
  const Alignment alignment = Aligned(reference, distorted);
  EXPECT_GE(alignment.pairs.size(), 100u) << alignment.Describe();
  for (const auto& [i, j] : alignment.pairs) {
    const int64_t first = j / 5 * 4, at = j % 5;
    EXPECT_GE(i, first + (at > 1 ? at - 1 : at)) << j;
    EXPECT_LE(i, first + (at > 3 ? 3 : at)) << j;
  }
}

TEST(AlignTracks, FindsAConversionBetweenRatesThatAreNotDeclared) {
  std::mt19937 random(7);
  const FrameTrack reference = TrackOf(
      0, 120, [](int k) { return SpotAt(0.15 * k); }, 25);
  const FrameTrack distorted =
      TrackOf(0, 288, [&](int j) { return WithNoise(reference.fingerprints[j * 25 / 60], random, 500); });
  ExpectPairs(
      Aligned(reference, distorted), [](int64_t j) { return j * 25 / 60; }, 115);
}

TEST(AlignTracks, RefusesVideosOfWhichOneHasBars) {
  FrameTrack boxed = Scene(4, 150);
  for (FrameFingerprint& frame : boxed.fingerprints) {
    const FrameFingerprint whole = frame;
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c) {
      const size_t row = c / 32, from = (row * 7 / 8 + 1) * 32 + c % 32;
      frame.cells[c] = row < 2 || row > 15 ? uint16_t{16 * 256} : whole.cells[from];
    }
  }
  const Result<Alignment> alignment = AlignTracks(Scene(0, 150), boxed);
  ASSERT_FALSE(alignment.ok()) << alignment->Describe();
  EXPECT_THAT(alignment.status().message(), HasSubstr("the distorted video has black bars"));
  EXPECT_THAT(AlignTracks(boxed, Scene(0, 150)).status().message(), HasSubstr("the reference video has"));
}

TEST(AlignTracks, RefusesOtherVideos) {
  FrameTrack other = Scene(0, 100);
  for (size_t k = 0; k < other.fingerprints.size(); ++k)
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      other.fingerprints[k].cells[c] = static_cast<uint16_t>(20000 + (c * 7919 + (k / 5) * 104729) % 20011);
  const Result<Alignment> alignment = AlignTracks(Scene(0, 100), other);
  ASSERT_FALSE(alignment.ok());
  EXPECT_THAT(alignment.status().message(), HasSubstr("no frames in common"));
}

TEST(IsIdentityAlignment, SaysNothingOfAFrameThatShowsAnother) {
  std::vector<int> frames = Frames(0, 120);
  EXPECT_TRUE(IsIdentityAlignment(Track(frames), Track(frames)));
  frames[70] = 69;
  EXPECT_FALSE(IsIdentityAlignment(Scene(0, 120), Track(frames)));
  frames.erase(frames.begin() + 70);
  EXPECT_FALSE(IsIdentityAlignment(Scene(0, 120), Track(frames)));
  EXPECT_FALSE(IsIdentityAlignment(Track(std::vector<int>(120, 5)), Track(std::vector<int>(120, 5))));
}

TEST(AlignByTimes, TakesTheNearestFrame) {
  FrameTrack distorted = Scene(0, 4);
  distorted.times = {0.00, 0.05, 0.12, 0.16};  // 25 frames/s: frames 0, 1, 3 and 4
  const Alignment alignment = AlignByTimes(Scene(0, 10), distorted);
  EXPECT_THAT(alignment.pairs, ElementsAre(Pair(0, 0), Pair(1, 1), Pair(3, 2), Pair(4, 3)));
}

TEST(AlignByOffset, CountsBothWays) {
  EXPECT_THAT(AlignByOffset(5, 4, 2).pairs, ElementsAre(Pair(0, 2), Pair(1, 3)));
  EXPECT_THAT(AlignByOffset(5, 4, -3).pairs, ElementsAre(Pair(3, 0), Pair(4, 1)));
}

TEST(Alignment, WritesItsPairs) {
  EXPECT_EQ(PairsCsv({{0, 12}, {1, 13}}), "reference_frame,distorted_frame\n0,12\n1,13\n");
}

}  // namespace
}  // namespace acutance
