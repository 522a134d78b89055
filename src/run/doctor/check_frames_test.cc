#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/doctor/checks.h"
#include "run/doctor/testing/probes.h"

namespace acutance {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(CheckDamage, NamesTheVideoAndScoresWhatIsBefore) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckReferenceDamage(probe) || CheckDistortedDamage(probe));
  probe.distorted.damage = Error(StatusCode::kBadData, "packet 7 is broken");
  EXPECT_FALSE(CheckReferenceDamage(probe));
  const Finding finding = CheckDistortedDamage(probe).value();
  EXPECT_EQ(finding.cause, "damage");
  EXPECT_EQ(finding.sentence, "dis breaks off or is damaged: packet 7 is broken.");
  EXPECT_EQ(finding.command, "acutance score ref dis --frames 0:80");
}

Probe ShortPair(int64_t frames) {
  Probe probe = AlignedPair(AlignByOffset(80, frames, 0));
  probe.distorted = VideoOf("dis", SceneTrack(frames));
  return probe;
}

TEST(CheckMissingEnd, IsMoreThanAFewFrames) {
  EXPECT_FALSE(CheckMissingEnd(ShortPair(73)));
  const Finding finding = CheckMissingEnd(ShortPair(50)).value();
  EXPECT_EQ(finding.sentence, "dis ends 30 frames before ref does: its end is missing, or was trimmed.");
  EXPECT_NEAR(finding.confidence, 0.6 + 30.0 / 80 / 2, 1e-9);
}

TEST(CheckMissingEnd, IsLessSureNextToAnotherCause) {
  Probe probe = ShortPair(50);
  probe.alignment = AlignByOffset(80, 50, 9);
  const Finding finding = CheckMissingEnd(probe).value();
  EXPECT_THAT(finding.sentence, HasSubstr("dis ends 39 frames before"));
  EXPECT_NEAR(finding.confidence, 0.4 + 39.0 / 80 / 2, 1e-9);
}

TEST(CheckMissingEnd, IsNotSaidOfVideosThatWereNotReadToTheirEnds) {
  Probe probe = ShortPair(50);
  probe.reference.track.is_whole = false;
  EXPECT_FALSE(CheckMissingEnd(probe));
}

TEST(CheckOrder, AddsUpSigns) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckOrder(probe));
  probe.reference.format.width = 320;
  EXPECT_EQ(CheckOrder(probe)->sentence, "ref looks like the encode of dis: it is smaller.");
  EXPECT_EQ(CheckOrder(probe)->command, "acutance score dis ref");
  probe.distorted.facts.codec = "h264";  // but only the distorted video is compressed
  EXPECT_FALSE(CheckOrder(probe));
  probe.reference.facts = probe.distorted.facts;
  probe.reference.facts.bit_rate = 100'000, probe.distorted.facts.bit_rate = 1'000'000;
  EXPECT_THAT(CheckOrder(probe)->sentence, HasSubstr("smaller, it has fewer bits a second"));
}

TEST(CheckOrder, LessDetailAloneIsASign) {
  Probe probe = EqualPair();
  probe.reference.detail = 2, probe.distorted.detail = 3;
  EXPECT_THAT(CheckOrder(probe)->sentence, HasSubstr("it has less detail"));
  std::swap(probe.reference.detail, probe.distorted.detail);
  EXPECT_FALSE(CheckOrder(probe));
}

TEST(CheckHdrModel, IsOfTwoHdrVideos) {
  Probe probe = EqualPair();
  probe.names_model = true;
  probe.reference.color.transfer = Transfer::kPq;
  EXPECT_FALSE(CheckHdrModel(probe));
  probe.distorted.color.transfer = Transfer::kHlg;
  EXPECT_EQ(CheckHdrModel(probe)->command, "acutance score ref dis");
  EXPECT_THAT(CheckHdrModel(probe)->sentence, HasSubstr("metrics of HDR"));
  probe.names_model = false;
  EXPECT_FALSE(CheckHdrModel(probe));
}

TEST(CheckModel, SaysWhatTheCallerFound) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckModel(probe));
  probe.model_problem = {"the model is for 4K", " --viewing 4k"};
  EXPECT_EQ(CheckModel(probe)->sentence, "the model is for 4K.");
  EXPECT_EQ(CheckModel(probe)->command, "acutance score ref dis --viewing 4k");
}

TEST(CheckSinglePicture, IsNoVideo) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckSinglePicture(probe));
  probe.distorted = VideoOf("dis", SceneTrack(1));
  EXPECT_EQ(CheckSinglePicture(probe)->sentence, "dis has one frame, and ref has 80 or more.");
  probe.reference = VideoOf("ref", SceneTrack(1));
  EXPECT_FALSE(CheckSinglePicture(probe)) << "two pictures are compared";
}

TEST(CheckFrameRate, TakesDeclaredRates) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckFrameRate(probe));
  probe.distorted.frame_rate = 30;
  EXPECT_THAT(CheckFrameRate(probe)->sentence, HasSubstr("ref has 25 frames/s and dis 30, so that"));
  EXPECT_THAT(CheckFrameRate(probe)->command, EndsWith(" --align time"));
  probe.distorted.frame_rate = 24.99;
  EXPECT_FALSE(CheckFrameRate(probe)) << "25 within a hundredth";
}

Alignment Retimed(double rate, int64_t count = 40) {
  Alignment alignment{.by = Alignment::By::kFingerprints};
  for (int64_t j = 0; j < count; ++j) alignment.pairs.emplace_back(std::llround(rate * static_cast<double>(j)), j);
  return alignment;
}

TEST(CheckFrameRate, FindsAConversionInTheAlignment) {
  EXPECT_THAT(CheckFrameRate(AlignedPair(Retimed(2)))->sentence, HasSubstr("A frame of dis lasts 2 frames of ref"));
  EXPECT_THAT(CheckFrameRate(AlignedPair(Retimed(1.25)))->sentence, HasSubstr("lasts 1.25 frames"));
  EXPECT_FALSE(CheckFrameRate(AlignedPair(Retimed(1.13)))) << "no usual conversion";
  EXPECT_FALSE(CheckFrameRate(AlignedPair(IdentityOf())));
}

TEST(CheckFrameRate, DropsAreNone) {
  Alignment alignment = IdentityOf(40);
  for (int64_t k = 20; k < 40; ++k) alignment.pairs[static_cast<size_t>(k)].first += 15;
  EXPECT_FALSE(CheckFrameRate(AlignedPair(alignment)));
}

TEST(CheckOffset, SaysWhichVideoIsBehind) {
  EXPECT_FALSE(CheckOffset(AlignedPair(IdentityOf())));
  Alignment late = AlignByOffset(80, 80, 5);
  late.confidence = 0.9;
  const Finding finding = CheckOffset(AlignedPair(late)).value();
  EXPECT_EQ(finding.sentence, "dis is 5 frames late: what the first frame of ref shows, frame 5 of dis does.");
  EXPECT_EQ(finding.command, "acutance score ref dis --align +5");
  EXPECT_NEAR(finding.confidence, 0.95 * 0.9, 1e-9);
  const Finding early = CheckOffset(AlignedPair(AlignByOffset(80, 80, -1))).value();
  EXPECT_EQ(early.sentence, "dis is 1 frame early: what the first frame of dis shows, frame 1 of ref does.");
}

TEST(CheckOffset, IsLessSureOfCroppedPictures) {
  Probe probe = AlignedPair(AlignByOffset(80, 80, 5));
  probe.placement = FoundPlacement{{0.1, 0.1, 0.8, 0.8}};
  EXPECT_NEAR(CheckOffset(probe)->confidence, 0.95 * 0.9, 1e-9);
}

TEST(CheckDrops, CountsWhatTheAlignmentLeavesOut) {
  EXPECT_FALSE(CheckDrops(AlignedPair(IdentityOf())));
  Alignment path{.by = Alignment::By::kFingerprints};
  for (int64_t k = 0; k < 77; ++k) path.pairs.emplace_back(k < 30 ? k : k + 3, k);
  NoteUnmatched(80, 77, path);
  const Finding finding = CheckDrops(AlignedPair(path)).value();
  EXPECT_EQ(finding.sentence, "Frames of dis are missing or repeated: 3 were dropped, and 0 come twice or more.");
  EXPECT_NEAR(finding.confidence, 0.9, 1e-9);
}

TEST(CheckDrops, SeesRepeatsThatAreTooFewForTheAlignment) {
  Probe probe = AlignedPair(IdentityOf());
  probe.distorted = VideoOf("dis", SceneTrack(80, [](int64_t k) { return k == 20 || k == 50 ? k - 1.0 : k; }));
  EXPECT_THAT(CheckDrops(probe)->sentence, HasSubstr("2 repeat the one before"));
  probe.distorted = VideoOf("dis", SceneTrack(80, [](int64_t k) { return k == 20 ? 19.0 : k; }));
  EXPECT_FALSE(CheckDrops(probe)) << "one may be chance";
}

TEST(CheckContent, IsOtherWhereNothingIsAlignedOrAlike) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckContent(probe));
  probe.are_unlike = true;
  EXPECT_EQ(CheckContent(probe)->cause, "different");
  probe.alignment = IdentityOf();
  EXPECT_FALSE(CheckContent(probe));
}

TEST(Compare, AlignsAndSamplesPairs) {
  Probe probe = EqualPair();
  probe.distorted = VideoOf("dis", SceneTrack(80, [](int64_t k) { return k - 4.0; }));
  Compare(probe);
  ASSERT_TRUE(probe.alignment);
  EXPECT_EQ(probe.alignment->late(), 4);
  EXPECT_FALSE(probe.are_unlike);
  ASSERT_EQ(probe.reference_frames.size(), 12);
  EXPECT_EQ(probe.reference_frames.fingerprints, probe.distorted_frames.fingerprints);
}

TEST(Compare, FindsRatesThatNoStreamDeclares) {
  Probe probe = EqualPair(160);
  probe.distorted = VideoOf("dis", SceneTrack(80, [](int64_t k) { return 2.0 * k; }));
  Compare(probe);
  EXPECT_THAT(CheckFrameRate(probe).value().sentence, HasSubstr("A frame of dis lasts 2 frames of ref"));
}

TEST(Compare, LeavesStillsUndecided) {
  Probe probe;
  probe.reference = VideoOf("ref", SceneTrack(40, [](int64_t) { return 0.0; }));
  probe.distorted = VideoOf("dis", SceneTrack(40, [](int64_t) { return 0.0; }));
  Compare(probe);
  EXPECT_FALSE(probe.alignment);
  EXPECT_FALSE(probe.are_unlike);
}

}  // namespace
}  // namespace acutance
