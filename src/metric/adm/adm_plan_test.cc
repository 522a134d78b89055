#include "metric/adm/adm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metric/testing/metric_run.h"

namespace acutance {
namespace {

using testing::HasSubstr;

Result<Plan> Make(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShapes[] = {
      {"adm_scale0", "", "16x16r4"}, {"adm_scale0", "", "16x16r4"}, {"adm_scale1", "", "16x16r4"},
      {"adm_scale1", "", "16x16r4"}, {"adm_scale2", "", "16x16r4"}, {"adm_scale2", "", "16x16r4"},
      {"adm_scale3", "", "16x16r4"}, {"adm_scale3", "", "16x16r4"},
  };
  return MakeTestPlan(kAdmMetric, texts, format, frames, videos, kShapes);
}

TEST(AdmPlan, HasALaunchForEachScale) {
  const auto plan = Make({}, {1920, 1080, 10}, 1, 3);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_TRUE(plan->ReadsInput(0) && plan->ReadsInput(1));
  // Tiles of 60x14 in bands of 960x540, 480x270, 240x135 and 120x68; scored: 770x434, 386x218, 194x109, 98x56 in 14, 8,
  // 4 and 2 columns of tiles; nine sums of eight bytes for each of their rows.
  EXPECT_THAT(plan->Print(), HasSubstr("results: 3 items, 36 sums and 0 partial results each\n"
                                       "scratch: row sums, 1807488 bytes\n"
                                       "scratch: band a of scale 0, 6220800 bytes\n"
                                       "scratch: band a of scale 1, 3110400 bytes\n"
                                       "scratch: band a of scale 2, 829440 bytes\n"
                                       "table: rows of the sums, 576 bytes\n"
                                       "launch: adm_scale0 u16_16x16r4, 16x39x3 workgroups of 16x16 items, border: -1 "
                                       "reads 1, n reads n - 1\n"
                                       "  buffer 1: reference y\n"
                                       "  buffer 2: distorted y\n"
                                       "  buffer 3: band a of scale 0\n"
                                       "  buffer 4: row sums\n"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_scale1 16x16r4, 8x20x3 workgroups of 16x16 items"));
  EXPECT_THAT(plan->Print(), HasSubstr("  buffer 1: band a of scale 0\n"
                                       "  buffer 2: band a of scale 0 + 1036800 bytes\n"
                                       "  buffer 3: band a of scale 1\n"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_scale2 16x16r4, 4x10x3 workgroups of 16x16 items"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_scale3 16x16r4, 2x5x3 workgroups of 16x16 items"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_sum 256x1, 36x1x3 workgroups of 256x1 items"));
}

TEST(AdmPlan, SkippedScaleHasNoRowSums) {
  const auto plan = Make({{"adm_skip_scale0", "true"}}, {64, 48, 8}, 1, 1);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->launches().size(), 5u);
  // One tile column each; 12, 6 and 4 scored rows of nine sums.
  EXPECT_THAT(plan->Print(), HasSubstr("scratch: row sums, 1512 bytes\n"));
}

TEST(AdmPlan, RefusesWhatTheMetricRefuses) {
  EXPECT_THAT(Make({{"adm_norm_view_dist", "2"}}, {64, 48, 8}, 1, 1).status().message(), HasSubstr("3240"));
}

}  // namespace
}  // namespace acutance
