#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "align/align_tracks.h"
#include "align/identity_alignment.h"
#include "align/path/margins.h"
#include "align/testing/tracks.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

MutablePicture Flat(const PictureFormat& format, int value) {
  MutablePicture picture = AllocatePicture(format).value();
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      if (format.bit_depth > 8) picture.Row<uint16_t>(0, y)[x] = static_cast<uint16_t>(value);
      else picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(value);
    }
  return picture;
}

TEST(FrameFingerprint, OfFlatPicturesIsTheirValueInSixteenBits) {
  for (const int side : {1, 5, 40, 641})
    for (const int bit_depth : {8, 10, 12, 16}) {
      const int value = (200 << bit_depth) / 256;
      const FrameFingerprint fingerprint =
          FingerprintOf(Flat({side, side, bit_depth, PixelFormat::k400}, value).Share());
      for (const uint16_t cell : fingerprint.cells) EXPECT_EQ(cell, 200 * 256) << side << " " << bit_depth;
    }
}

TEST(FrameFingerprint, HasTheMeansOfItsCells) {
  const PictureFormat format{64, 36, 8, PixelFormat::k400};  // cells of 2 x 2
  MutablePicture picture = Flat(format, 0);
  picture.Row<uint8_t>(0, 2)[6] = 100;
  picture.Row<uint8_t>(0, 3)[7] = 51;
  const FrameFingerprint fingerprint = FingerprintOf(picture.Share());
  EXPECT_EQ(fingerprint.cells[1 * 32 + 3], 151 * 256 / 4);
  EXPECT_EQ(fingerprint.cells[1 * 32 + 2], 0);
}

TEST(FrameFingerprint, TellsTheQuartersOfACellApart) {
  const PictureFormat format{64, 36, 8, PixelFormat::k400};  // quarters of a sample
  MutablePicture picture = Flat(format, 0);
  picture.Row<uint8_t>(0, 2)[6] = 100;
  picture.Row<uint8_t>(0, 3)[7] = 51;
  picture.Row<uint8_t>(0, 2)[9] = 8;
  const FrameFingerprint fingerprint = FingerprintOf(picture.Share());
  const auto details = [&](size_t cell) {
    return std::vector<int>(&fingerprint.details[3 * cell], &fingerprint.details[3 * cell] + 3);
  };
  EXPECT_THAT(details(1 * 32 + 3), ElementsAre(98, 98, 127));
  EXPECT_THAT(details(1 * 32 + 4), ElementsAre(-16, 16, -16));
  EXPECT_THAT(details(1 * 32 + 5), ElementsAre(0, 0, 0));
}

/// A wave that crosses the picture, sampled in the middle of each pixel.
FrameFingerprint WaveOf(int width, int height) {
  MutablePicture picture = Flat({width, height, 8, PixelFormat::k400}, 0);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double phase = 100 * (x + 0.5) / width + 60 * (y + 0.5) / height;
      picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(std::lround(120 + 60 * std::sin(phase)));
    }
  return FingerprintOf(picture.Share());
}

TEST(FrameFingerprint, IsThatOfTheSamePictureInAnotherSize) {
  const FrameFingerprint one = WaveOf(1280, 720), other = WaveOf(850, 478);
  for (size_t c = 0; c < FrameFingerprint::kCells; ++c) EXPECT_NEAR(one.cells[c], other.cells[c], 256);
  for (size_t c = 0; c < FrameFingerprint::kDetails; ++c) EXPECT_NEAR(one.details[c], other.details[c], 8);
}

FrameTrack Track(const std::vector<int>& frames, double rate = 25) {
  FrameTrack track;
  track.rate = rate;
  for (const int frame : frames) track.fingerprints.push_back(CropWindowAt(frame));
  return track;
}

std::vector<int> Frames(int first, int end) {
  std::vector<int> frames;
  for (int frame = first; frame < end; ++frame) frames.push_back(frame);
  return frames;
}

TEST(FrameTrack, BelievesWhatVideosMayHave) {
  for (const double rate : {0.001, 23.976, 60.0, 1e5}) EXPECT_EQ(PlausibleRate(rate), rate);
  for (const double rate : {0.0, -25.0, 1e-9, 2e9, double{NAN}, double{INFINITY}})
    EXPECT_FALSE(PlausibleRate(rate)) << rate;
  for (const double time : {-3.5, 0.0, 1e6}) EXPECT_EQ(PlausibleTime(time), time);
  for (const double time : {-1e18, 1e18, double{NAN}, double{INFINITY}}) EXPECT_FALSE(PlausibleTime(time)) << time;
  EXPECT_FALSE(PlausibleRate(std::nullopt) || PlausibleTime(std::nullopt));
}

TEST(AlignTracks, FindsEqualVideosPlain) {
  const Alignment alignment = Aligned(Track(Frames(0, 60)), Track(Frames(0, 60)));
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_EQ(alignment.pairs.size(), 60u);
  EXPECT_EQ(alignment.Describe(), "frame by frame; confidence 0.99");
}

TEST(AlignTracks, FindsOffsets) {
  const Alignment early = Aligned(Track(Frames(0, 150)), Track(Frames(40, 150)));
  EXPECT_EQ(early.late(), -40);
  EXPECT_EQ(early.pairs.size(), 110u);
  EXPECT_EQ(early.Describe(), "distorted starts 40 frames early; confidence 0.99");
  const Alignment late = Aligned(Track(Frames(40, 150)), Track(Frames(0, 150)));
  EXPECT_EQ(late.late(), 40);
  EXPECT_EQ(late.unmatched_distorted.size(), 40u);
}

TEST(AlignTracks, FindsDropsAndRepeats) {
  std::vector<int> frames = Frames(0, 120);
  frames.erase(frames.begin() + 70, frames.begin() + 73);
  frames.insert(frames.begin() + 31, frames[30]);
  const Alignment alignment = Aligned(Track(Frames(0, 120)), Track(frames));
  EXPECT_THAT(alignment.unmatched_reference, ElementsAre(70, 71, 72));
  EXPECT_THAT(alignment.unmatched_distorted, ElementsAre(31));
  EXPECT_EQ(alignment.Describe(), "3 frames dropped; 1 frame repeated; confidence 0.99");
}

TEST(AlignTracks, ConvertsRates) {
  std::vector<int> doubled;
  for (int j = 0; j < 160; ++j) doubled.push_back(j / 2);
  const Alignment alignment = Aligned(Track(Frames(0, 80)), Track(doubled, 50));
  ASSERT_EQ(alignment.pairs.size(), 80u);
  for (int i = 0; i < 80; ++i) EXPECT_THAT(alignment.pairs[static_cast<size_t>(i)], Pair(i, 2 * i));
}

TEST(AlignTracks, PairsByIndexWhatPlaysFaster) {
  EXPECT_TRUE(Aligned(Track(Frames(0, 240), 24), Track(Frames(0, 240), 25)).is_identity());
}

TEST(AlignTracks, LeavesStandingPicturesToTheirTimes) {
  const std::vector<int> still(60, 7);
  const Alignment alignment = Aligned(Track(still), Track(still));
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_THAT(alignment.Describe(), HasSubstr("the picture stands still"));
}

/// A picture that stands still, whose encoder codes it finer every eight frames.
FrameTrack StillEncode(uint32_t seed, double coarsest) {
  FrameTrack track = Track(std::vector<int>(75, 20));
  std::mt19937 random(seed);
  std::vector<double> error(FrameFingerprint::kCells);
  for (size_t k = 0; k < track.fingerprints.size(); ++k) {
    if (k % 8 == 0)
      for (double& each : error)
        each = coarsest / static_cast<double>(1 + k / 8) * (static_cast<double>(random() % 200) - 100);
    for (size_t c = 0; c < error.size(); ++c)
      track.fingerprints[k].cells[c] = static_cast<uint16_t>(track.fingerprints[k].cells[c] + error[c]);
  }
  return track;
}

TEST(Margins, TellAStillFromWhatComesAgain) {
  std::vector<double> still, loop;
  for (int shift = -100; shift <= 100; ++shift) {
    still.push_back(std::abs(shift) < 13 ? 25 : 1);  // errors of encodes tell frames that are near apart
    loop.push_back(shift % 13 == 0 ? 1 : 25);
  }
  EXPECT_EQ(Margins(-100, still).doubt(), Alignment::Doubt::kStill);
  EXPECT_EQ(Margins(-100, loop).doubt(), Alignment::Doubt::kPeriodic);
  EXPECT_EQ(Margins(-100, loop).period(), 13);
}

TEST(AlignTracks, LeavesOutNoFrameOfTwoEncodesOfAStill) {
  for (const double coarsest : {1.0, 3.0, 8.0}) {
    const Alignment alignment = Aligned(StillEncode(1, coarsest / 2), StillEncode(2, coarsest));
    EXPECT_EQ(alignment.pairs.size(), 75u) << alignment.Describe();
    EXPECT_TRUE(alignment.is_identity());
  }
}

TEST(AlignTracks, LeavesOutNoFrameOfAnEncodeThatStopsWhereLittleMoves) {
  FrameTrack reference = Track(Frames(0, 80)), distorted = Track(Frames(0, 80));
  for (int k = 0; k < 60; ++k) {  // the picture creeps on, and its encode moves every sixth frame
    reference.fingerprints.push_back(CropWindowAt(80 + 0.003 * k));
    distorted.fingerprints.push_back(CropWindowAt(80 + 0.003 * (k / 6 * 6)));
  }
  for (size_t j = 0; j < distorted.fingerprints.size(); ++j)
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      distorted.fingerprints[j].cells[c] =
          static_cast<uint16_t>(distorted.fingerprints[j].cells[c] + (c * 7919 + j / 6 * 104729) % 60);
  EXPECT_TRUE(Aligned(reference, distorted).is_identity());
}

TEST(AlignTracks, GoesOnBehindAFrameThatWasCodedBadly) {
  FrameTrack distorted = Track(Frames(0, 120));
  distorted.fingerprints[60].cells.fill(30000);
  const Alignment alignment = Aligned(Track(Frames(0, 120)), distorted);
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_EQ(alignment.pairs.size(), 120u);
}

TEST(AlignTracks, LeavesOutFramesThatFitTwoPlaces) {
  // A drop in a stretch of which noise hides where.
  FrameTrack reference = Track(Frames(0, 60)), distorted = Track(Frames(0, 60));
  const auto add = [](FrameTrack& track, double t, size_t seed) {
    FrameFingerprint fingerprint = CropWindowAt(t);
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      fingerprint.cells[c] = static_cast<uint16_t>(fingerprint.cells[c] + (c * 7919 + seed * 104729) % 701);
    track.fingerprints.push_back(fingerprint);
  };
  for (int k = 0; k < 20; ++k) add(reference, 60 + 0.15 * k, 0);
  for (int k = 0; k < 20; ++k)
    if (k != 10) add(distorted, 60 + 0.15 * k, static_cast<size_t>(k) + 1);
  for (int k = 0; k < 60; ++k)
    reference.fingerprints.push_back(CropWindowAt(63 + k)), distorted.fingerprints.push_back(CropWindowAt(63 + k));
  const Alignment alignment = Aligned(reference, distorted);
  for (const auto& [i, j] : alignment.pairs) {
    if (j < 60 || j >= 79) {
      EXPECT_EQ(i, j < 60 ? j : j + 1);
    }
  }
  for (const int64_t j : alignment.doubtful) EXPECT_TRUE(j >= 60 && j < 79);
}

TEST(AlignTracks, TakesWhatComesBeforeAStandingStartForNoRepeats) {
  std::vector<int> distorted(14, 20);  // the reference begins with a picture that stood before, too
  for (const int frame : Frames(21, 150)) distorted.push_back(frame);
  const Alignment alignment = Aligned(Track(Frames(20, 150)), Track(distorted));
  ASSERT_FALSE(alignment.pairs.empty());
  EXPECT_THAT(alignment.pairs.front(), Pair(0, 13));
  EXPECT_EQ(alignment.Describe(), "distorted starts 13 frames late; confidence 0.99");
}

TEST(AlignTracks, BelievesAVideoThatEndsOutOfStep) {
  // A frame is missing from a noisy encode whose frames have something of the one before, so that neighbours fit well.
  FrameTrack reference, distorted;
  for (int k = 0; k < 240; ++k) {
    const FrameFingerprint frame = CropWindowAt(0.4 * k), before = CropWindowAt(0.4 * (k - 1));
    reference.fingerprints.push_back(frame);
    if (k == 80) continue;
    FrameFingerprint coded;
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c) {
      const size_t noise = (c * 7919 + static_cast<size_t>(k) * 104729) % 2101;
      coded.cells[c] = static_cast<uint16_t>((65 * frame.cells[c] + 35 * before.cells[c]) / 100 + noise);
    }
    distorted.fingerprints.push_back(coded);
  }
  const Alignment alignment = Aligned(reference, distorted);
  ASSERT_FALSE(alignment.pairs.empty());
  EXPECT_THAT(alignment.pairs.back(), Pair(239, 238));
}

/// An encode whose errors are far larger than what moves from frame to frame, and last.
FrameTrack EncodedBadly(const std::vector<double>& frames, int most) {
  FrameTrack track;
  track.rate = 25;
  std::vector<double> errors(FrameFingerprint::kCells);
  uint32_t random = 1;
  const auto noise = [&random](double reach) {
    random = random * 1664525 + 1013904223;
    return reach * (2.0 * (random >> 8) / (1 << 24) - 1);
  };
  for (double& error : errors) error = noise(most);
  for (const double frame : frames) {
    FrameFingerprint fingerprint = CropWindowAt(frame);
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c) {
      errors[c] = 0.99 * errors[c] + noise(0.03 * most);
      fingerprint.cells[c] = static_cast<uint16_t>(fingerprint.cells[c] + most + errors[c]);
    }
    track.fingerprints.push_back(fingerprint);
  }
  return track;
}

TEST(AlignTracks, FindsAFreezeInAnEncodeWhoseErrorsLast) {
  FrameTrack reference;
  reference.rate = 25;
  std::vector<double> shown;
  for (int k = 0; k < 150; ++k) {
    reference.fingerprints.push_back(CropWindowAt(0.15 * k));
    shown.push_back(0.15 * (k == 30 || k == 31 ? 29 : k));
  }
  const Alignment alignment = Aligned(reference, EncodedBadly(shown, 2500));
  EXPECT_GE(alignment.pairs.size(), 146u) << alignment.Describe();
  for (const auto& [i, j] : alignment.pairs) EXPECT_EQ(i, j == 30 || j == 31 ? 29 : j);
}

TEST(AlignTracks, FindsSingleRepeatsWhereAnEncodeThatIsInStepMovesSlowly) {
  FrameTrack reference, distorted;
  std::mt19937 random(1);
  for (int k = 0; k < 150; ++k) {
    reference.fingerprints.push_back(CropWindowAt(0.06 * k));
    if (k % 40 == 30) {
      distorted.fingerprints.push_back(distorted.fingerprints.back());
      continue;
    }
    FrameFingerprint& coded = distorted.fingerprints.emplace_back(reference.fingerprints.back());
    for (uint16_t& cell : coded.cells) cell = static_cast<uint16_t>(cell + random() % 300);
  }
  const Alignment alignment = Aligned(reference, distorted);
  for (const auto& [i, j] : alignment.pairs) EXPECT_EQ(i, j % 40 == 30 ? j - 1 : j);
  EXPECT_GE(alignment.pairs.size(), 140u) << alignment.Describe();
}

TEST(AlignTracks, StatesNoConfidenceWhereAnEncodeIsNoNearerToItsFrames) {
  // An encode that lags by half a frame, give or take some, and whose errors last: a repeat would not show.
  FrameTrack reference, distorted;
  std::mt19937 random(5);
  std::vector<double> error(FrameFingerprint::kCells);
  for (int k = 0; k < 160; ++k) {
    reference.fingerprints.push_back(CropWindowAt(0.4 * k));
    FrameFingerprint& coded = distorted.fingerprints.emplace_back(
        CropWindowAt(0.4 * (k - 0.001 * static_cast<double>(100 + random() % 700))));
    for (size_t c = 0; c < error.size(); ++c) {
      error[c] = 0.95 * error[c] + 0.06 * static_cast<double>(random() % 20000) - 600;
      coded.cells[c] = static_cast<uint16_t>(coded.cells[c] + 1000 + error[c]);
    }
  }
  const Alignment alignment = Aligned(reference, distorted);
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_EQ(alignment.pairs.size(), 160u);
  EXPECT_EQ(alignment.by, Alignment::By::kTimes);
  EXPECT_THAT(alignment.Describe(), HasSubstr("too little is left of how frames differ"));
}

TEST(AlignTracks, FindsAFreezeThatOnlyDetailsShow) {
  const auto frame = [](int k) {
    FrameFingerprint fingerprint = CropWindowAt(k < 60 ? k : 60);
    if (k >= 60)
      for (size_t c = 300; c < 330; ++c)
        fingerprint.details[c] = static_cast<int8_t>(60 * std::sin(0.9 * static_cast<double>(c) + 0.8 * k));
    return fingerprint;
  };
  FrameTrack reference, distorted;
  for (int k = 0; k < 120; ++k) {
    reference.fingerprints.push_back(frame(k));
    distorted.fingerprints.push_back(frame(k == 90 ? 89 : k));
  }
  const Alignment alignment = Aligned(reference, distorted);
  EXPECT_THAT(alignment.unmatched_reference, ElementsAre(90)) << alignment.Describe();
  EXPECT_THAT(alignment.unmatched_distorted, ElementsAre(90));
}

TEST(AlignTracks, FindsDropsAfterWhichNoNeighbourIsNearer) {
  // A bar that jumps about before a still picture: of all frames but its own a frame is equally far.
  const auto frame = [](int k) {
    FrameFingerprint fingerprint = CropWindowAt(std::min(k, 96));
    for (size_t row = 0; row < 6 && k > 96; ++row)
      fingerprint.cells[row * FrameFingerprint::kColumns + static_cast<size_t>(11 * k % FrameFingerprint::kColumns)] +=
          9000;
    return fingerprint;
  };
  FrameTrack reference, distorted;
  for (int k = 0; k < 144; ++k) {
    reference.fingerprints.push_back(frame(k));
    if (k < 97 || k > 102) distorted.fingerprints.push_back(frame(k));
  }
  const Alignment alignment = Aligned(reference, distorted);
  ASSERT_FALSE(alignment.pairs.empty());
  EXPECT_THAT(alignment.pairs.back(), Pair(143, 137)) << alignment.Describe();
}

TEST(IsIdentityAlignment, SaysNothingOfAFrameThatShowsAnother) {
  std::vector<int> frames = Frames(0, 120);
  EXPECT_TRUE(IsIdentityAlignment(Track(frames), Track(frames)));
  frames[70] = 69;
  EXPECT_FALSE(IsIdentityAlignment(Track(Frames(0, 120)), Track(frames)));
  frames.erase(frames.begin() + 70);
  EXPECT_FALSE(IsIdentityAlignment(Track(Frames(0, 120)), Track(frames)));
  EXPECT_FALSE(IsIdentityAlignment(Track(std::vector<int>(120, 5)), Track(std::vector<int>(120, 5))));
}

TEST(AlignTracks, DoesNotGuessThePhaseOfALoop) {
  std::vector<int> loop;
  for (int k = 0; k < 200; ++k) loop.push_back(k % 20);
  const Alignment alignment = Aligned(Track(loop), Track(loop));
  EXPECT_TRUE(alignment.is_identity());
  const Result<Alignment> shifted = AlignTracks(Track(loop), Track({loop.begin() + 7, loop.end()}));
  ASSERT_FALSE(shifted.ok());
  EXPECT_THAT(shifted.status().message(), HasSubstr("repeats every 20 frames"));
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

/// Slopes of which the encoder codes every 20th frame alone, coarsely.
FrameTrack WeakEncode(const std::vector<int>& frames) {
  FrameTrack track;
  track.rate = 25;
  for (const int frame : frames) {
    FrameFingerprint fingerprint = SlopeAt(frame - frame % 20);
    for (uint16_t& cell : fingerprint.cells) cell = static_cast<uint16_t>((cell + 512) / 1024 * 1024);
    track.fingerprints.push_back(fingerprint);
  }
  return track;
}

TEST(AlignTracks, LeavesAWeakEncodeOfWhatHardlyMovesToItsTimes) {
  FrameTrack reference;
  reference.rate = 25;
  for (int k = 0; k < 160; ++k) reference.fingerprints.push_back(SlopeAt(k));
  FrameTrack encode = WeakEncode(Frames(0, 160));
  const Alignment alignment = Aligned(reference, encode);
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_EQ(alignment.pairs.size(), 160u);
  EXPECT_EQ(alignment.by, Alignment::By::kTimes);
  // Neither of another length, nor where frames are off by what one can see.
  encode.fingerprints.pop_back();
  EXPECT_FALSE(AlignTracks(reference, encode).ok());
  const Result<Alignment> far = AlignTracks(reference, WeakEncode(Frames(100, 260)));
  EXPECT_TRUE(!far.ok() || !far->is_identity());
}

TEST(IdentityEvidenceOf, TakesAnEncodeThatComesBackToItsNumberForLate) {
  const auto frame = [](int k) {
    FrameFingerprint fingerprint = SlopeAt(3 * k);
    for (size_t c = 0; c < FrameFingerprint::kDetails; ++c)
      fingerprint.details[c] = static_cast<int8_t>(std::lround(20 * std::sin(static_cast<double>(c) + 0.05 * k)));
    return fingerprint;
  };
  const auto encode = [&](int every) {  // up to three frames late, except those that are coded alone
    FrameTrack track;
    std::mt19937 random(1);
    for (int k = 0; k < 160; ++k) {
      FrameFingerprint& coded = track.fingerprints.emplace_back(frame(std::max(k - 3, k - k % every)));
      for (uint16_t& cell : coded.cells) cell = static_cast<uint16_t>(cell + random() % 200);
    }
    return track;
  };
  FrameTrack reference;
  for (int k = 0; k < 160; ++k) reference.fingerprints.push_back(frame(k));
  EXPECT_EQ(IdentityEvidenceOf(reference, encode(12)), IdentityEvidence::kTooLittle);
  EXPECT_EQ(IdentityEvidenceOf(reference, encode(1000)), IdentityEvidence::kAgainst);
}

/// Noise of which the encoder kept a part.
FrameTrack NoiseTrack(uint32_t seed, double kept, int count) {
  FrameTrack track;
  track.rate = 25;
  std::mt19937 random(seed), lost(seed + 1000);
  for (int k = 0; k < count; ++k) {
    FrameFingerprint& fingerprint = track.fingerprints.emplace_back();
    for (uint16_t& cell : fingerprint.cells) {
      const double noise = static_cast<double>(random() % 16384), error = static_cast<double>(lost() % 16384);
      cell = static_cast<uint16_t>(25000 + kept * noise + (1 - kept) * 0.3 * error);
    }
    for (int8_t& detail : fingerprint.details)
      detail = static_cast<int8_t>(kept * (static_cast<double>(random() % 100) - 50));
  }
  return track;
}

TEST(AlignTracks, TakesWhatIsLeftOfNoise) {
  const FrameTrack reference = NoiseTrack(1, 1, 60);
  const Alignment alignment = Aligned(reference, NoiseTrack(1, 0.2, 60));
  EXPECT_TRUE(alignment.is_identity());
  EXPECT_EQ(alignment.pairs.size(), 60u);
  EXPECT_FALSE(AlignTracks(reference, NoiseTrack(2, 0.2, 60)).ok());
}

/// A mouth of two cells that opens and closes in a picture that stands, as an encoder with errors of its own leaves it.
FrameTrack MouthTrack(const std::vector<int>& frames, uint32_t seed, double error) {
  std::mt19937 random(seed);
  FrameTrack track;
  track.rate = 60;
  for (const int frame : frames) {
    FrameFingerprint fingerprint = CropWindowAt(20);
    const double opening = std::sin(0.05 * frame + 0.0004 * frame * frame);
    fingerprint.cells[12 * 32 + 16] = static_cast<uint16_t>(256 * (90 + 20 * opening));
    fingerprint.cells[13 * 32 + 16] = static_cast<uint16_t>(256 * (90 - 12 * opening));
    for (uint16_t& cell : fingerprint.cells) {
      const double noise = static_cast<double>(random() % 2001) / 1000 - 1;
      cell = static_cast<uint16_t>(cell + 256 * error * noise);
    }
    track.fingerprints.push_back(fingerprint);
  }
  return track;
}

TEST(AlignTracks, FindsOffsetsOfASmallThingThatMovesInAPictureThatStands) {
  for (const int late : {-119, -63, 40}) {
    const FrameTrack reference = MouthTrack(Frames(std::max(0, late), 240), 1, 0);
    const Alignment alignment = Aligned(reference, MouthTrack(Frames(std::max(0, -late), 240), 2, 0.3));
    EXPECT_EQ(alignment.late(), late) << alignment.Describe();
    EXPECT_GE(std::ssize(alignment.pairs), 240 - std::abs(late) - 16);
  }
}

TEST(AlignTracks, KeepsTheEndsOfAnEncodeThatFiltersOverTime) {
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
  const Alignment whole = Aligned(Track(Frames(0, 120)), encode(Track(Frames(0, 120))));
  EXPECT_TRUE(whole.is_identity()) << whole.Describe();
  EXPECT_EQ(whole.pairs.size(), 120u);
  const Alignment part = Aligned(Track(Frames(0, 160)), encode(Track(Frames(20, 140))));
  EXPECT_GE(part.pairs.size(), 110u) << part.Describe();
  for (const auto& [i, j] : part.pairs) EXPECT_EQ(i, j + 20);
}

TEST(AlignTracks, LeavesStillsOfOtherLengthsToTheirTimes) {
  FrameTrack longer = StillEncode(2, 3), reference = StillEncode(1, 3);
  const FrameTrack more = StillEncode(3, 6);
  longer.fingerprints.insert(longer.fingerprints.end(), more.fingerprints.begin(), more.fingerprints.begin() + 24);
  const Alignment alignment = Aligned(reference, longer);
  EXPECT_EQ(alignment.pairs.size(), 75u) << alignment.Describe();
  EXPECT_THAT(alignment.Describe(), HasSubstr("the picture stands still"));
}

TEST(AlignTracks, RefusesVideosOfWhichOneHasBars) {
  FrameTrack boxed = Track(Frames(4, 150));
  for (FrameFingerprint& frame : boxed.fingerprints) {
    const FrameFingerprint whole = frame;
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c) {
      const size_t row = c / 32, from = (row * 7 / 8 + 1) * 32 + c % 32;
      frame.cells[c] = row < 2 || row > 15 ? uint16_t{16 * 256} : whole.cells[from];
    }
  }
  const Result<Alignment> alignment = AlignTracks(Track(Frames(0, 150)), boxed);
  ASSERT_FALSE(alignment.ok()) << alignment->Describe();
  EXPECT_THAT(alignment.status().message(), HasSubstr("the distorted video has black bars"));
  EXPECT_THAT(AlignTracks(boxed, Track(Frames(0, 150))).status().message(), HasSubstr("the reference video has"));
}

TEST(AlignTracks, RefusesOtherVideos) {
  FrameTrack other = Track(Frames(0, 100));
  for (size_t k = 0; k < other.fingerprints.size(); ++k)
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      other.fingerprints[k].cells[c] = static_cast<uint16_t>(20000 + (c * 7919 + (k / 5) * 104729) % 20011);
  const Result<Alignment> alignment = AlignTracks(Track(Frames(0, 100)), other);
  ASSERT_FALSE(alignment.ok());
  EXPECT_THAT(alignment.status().message(), HasSubstr("no frames in common"));
}

TEST(AlignByTimes, TakesTheNearestFrame) {
  FrameTrack distorted = Track(Frames(0, 4));
  distorted.times = {0.00, 0.05, 0.12, 0.16};  // 25 frames/s: frames 0, 1, 3 and 4
  const Alignment alignment = AlignByTimes(Track(Frames(0, 10)), distorted);
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
