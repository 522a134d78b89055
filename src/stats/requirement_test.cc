#include "stats/requirement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace acutance {
namespace {

using testing::HasSubstr;

TEST(Requirement, TheLastDotNamesThePooling) {
  const auto read = ParseRequirements(" vmaf_v0.6.1.p5>=90, psnr_y.mean > 38,cambi.p99<5,ciede2000.max<=3.5 ");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 4u);
  EXPECT_EQ((*read)[0].score, "vmaf_v0.6.1");
  EXPECT_EQ((*read)[0].pool->name, "p5");
  EXPECT_EQ((*read)[0].relation, Requirement::Relation::kAtLeast);
  EXPECT_EQ((*read)[0].bound, 90);
  EXPECT_EQ((*read)[0].text, "vmaf_v0.6.1.p5>=90");
  EXPECT_EQ((*read)[1].score, "psnr_y");
  EXPECT_EQ((*read)[1].relation, Requirement::Relation::kMore);
  EXPECT_EQ((*read)[2].relation, Requirement::Relation::kLess);
  EXPECT_EQ((*read)[3].relation, Requirement::Relation::kAtMost);
  EXPECT_EQ((*read)[3].bound, 3.5);
}

TEST(Requirement, AggregatesHaveNoPooling) {
  const auto read = ParseRequirements("apsnr_y>=38");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ((*read)[0].score, "apsnr_y");
  EXPECT_FALSE((*read)[0].pool);
}

TEST(Requirement, AnUnknownPoolingIsAnError) {
  const auto read = ParseRequirements("vmaf_v0.6.1>=90");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message(),
            "'vmaf_v0.6.1>=90': what follows the last dot names the pooling; if '1' belongs to the score's name, add "
            "one, such as vmaf_v0.6.1.mean>=90, else write vmaf_v0.6.p1>=90");
  EXPECT_THAT(ParseRequirements("a.foo>=90").status().message(), HasSubstr("there is no pooling 'foo'"));
}

TEST(Requirement, MalformedTexts) {
  for (const char* text : {"", " , ", "vmaf.mean", "vmaf.mean>", "vmaf.mean=90", ">=90", ".mean>90", "vmaf.mean>=9O",
                           "vmaf.mean>=inf", "vmaf.mean>=nan", "vmaf.mean=>90"})
    EXPECT_FALSE(ParseRequirements(text).ok()) << text;
}

TEST(Requirement, BoundsAreExact) {
  const Requirement at_least = ParseRequirements("a.mean>=90")->front(), more = ParseRequirements("a.mean>90")->front();
  EXPECT_TRUE(at_least.Holds(90));
  EXPECT_FALSE(more.Holds(90));
  EXPECT_TRUE(ParseRequirements("a.mean<=90")->front().Holds(90));
  EXPECT_FALSE(ParseRequirements("a.mean<90")->front().Holds(90));
}

TEST(Requirement, OnesThatAFrameSettles) {
  const auto is_per_frame = [](const char* text) { return ParseRequirements(text)->front().IsPerFrame(); };
  EXPECT_TRUE(is_per_frame("a.min>=90"));
  EXPECT_TRUE(is_per_frame("a.max<5"));
  EXPECT_FALSE(is_per_frame("a.max>=90"));
  EXPECT_FALSE(is_per_frame("a.min<=5"));
  EXPECT_FALSE(is_per_frame("a.mean>=90"));
}

TEST(Verdict, Sentences) {
  const Requirement p5 = ParseRequirements("vmaf.p5>=90")->front();
  EXPECT_EQ(Judge(p5, "a.mp4", 87.25).Sentence(), "a.mp4: vmaf.p5 is 87.2500, and must be at least 90");
  EXPECT_EQ(Judge(p5, "a.mp4", 97.0).Sentence(), "a.mp4: vmaf.p5 is 97.0000, as it must be at least 90");
  EXPECT_EQ(Judge(p5, "a.mp4", 89.99999999).Sentence(), "a.mp4: vmaf.p5 is 89.99999999, and must be at least 90");
  EXPECT_EQ(Judge(p5, "a.mp4", std::nullopt).Sentence(), "a.mp4: vmaf.p5 has no value, and must be at least 90");
  EXPECT_FALSE(Judge(p5, "a.mp4", std::nullopt).holds);
}

}  // namespace
}  // namespace acutance
