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
  probe.reference.color.transfer = Transfer::kPq;
  EXPECT_FALSE(CheckHdrModel(probe));
  probe.distorted.color.transfer = Transfer::kHlg;
  EXPECT_THAT(CheckHdrModel(probe)->command, EndsWith(" --no-model -f psnr"));
}

TEST(CheckModel, SaysWhatTheCallerFound) {
  Probe probe = EqualPair();
  EXPECT_FALSE(CheckModel(probe));
  probe.model_problem = {"the model is for 4K", " --viewing 4k"};
  EXPECT_EQ(CheckModel(probe)->sentence, "the model is for 4K.");
  EXPECT_EQ(CheckModel(probe)->command, "acutance score ref dis --viewing 4k");
}

}  // namespace
}  // namespace acutance
