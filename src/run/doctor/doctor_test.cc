#include "run/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/doctor/testing/probes.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> CausesOf(const Probe& probe) {
  std::vector<std::string> causes;
  for (const Finding& finding : FindCauses(probe)) causes.push_back(finding.cause);
  return causes;
}

TEST(FindCauses, IsNoneWhereVideosAreAligned) {
  const std::vector<Finding> findings = FindCauses(AlignedPair(IdentityOf()));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].cause, "none");
  EXPECT_EQ(findings[0].confidence, 0.95);
  EXPECT_EQ(FindCauses(EqualPair())[0].confidence, 0.5) << "not aligned";
}

TEST(FindCauses, PutsTheSurestFirst) {
  Probe probe = AlignedPair(AlignByOffset(80, 80, 7));
  probe.distorted.format.width = 320, probe.distorted.format.height = 180;
  probe.distorted.content = Rectangle{320, 180};
  probe.distorted.color.full_range = true;
  EXPECT_THAT(CausesOf(probe), ElementsAre("offset", "size", "range"));
}

TEST(FindCauses, EndsWhereNothingElseCanBeSaid) {
  Probe probe = EqualPair();
  probe.distorted = VideoOf("dis", SceneTrack(1), 320, 180);
  EXPECT_THAT(CausesOf(probe), ElementsAre("drops"));
}

TEST(Diagnose, FailsWhereAFileIsMissing) { EXPECT_FALSE(Diagnose({"/nowhere/ref.y4m", "/nowhere/dis.y4m", {}}).ok()); }

}  // namespace
}  // namespace acutance
