#include "metric/psnr/psnr_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metric/psnr/psnr.h"
#include "metric/plan_context.h"

namespace acutance {
namespace {

using testing::HasSubstr;

Result<Plan> Make(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShape[] = {{"psnr_sse", "", "64x4r4"}};
  const OptionValues options = *OptionValues::Parse(kPsnrMetric.options, texts);
  PlanContext context = MakePlanContext(InputsOf(kPsnrMetric, options), format, frames, videos, "");
  context.overrides = kShape;
  return MakePsnrPlan(options, context);
}

TEST(PsnrPlan, HasALaunchForEachPlane) {
  const auto plan = Make({}, {301, 101, 8, PixelFormat::k420}, 1, 2);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  // Words of 4 samples, 64 x 16 of them a workgroup: 76 x 101 words of luma, 38 x 50 of chroma; 14 + 4 + 4 partials.
  EXPECT_THAT(plan->Print(), HasSubstr("launch: psnr_sse u8_64x4r4, 2x7x2 workgroups of 64x4 items, border: none\n"
                                       "  buffer 1: reference y\n"
                                       "  buffer 2: distorted y\n"
                                       "  buffer 3: partial sums\n"
                                       "  numbers: 8080 0 80 301 101 2 22 0"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: psnr_sse u8_64x4r4, 1x4x2 workgroups of 64x4 items, border: none\n"
                                       "  buffer 1: reference cr\n"
                                       "  buffer 2: distorted cr\n"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: sum_partials 256x1, 3x1x2 workgroups"));
  for (int input = 0; input < 6; ++input) EXPECT_TRUE(plan->ReadsInput(input)) << input;
}

TEST(PsnrPlan, LeavesChromaOut) {
  for (const auto& [texts, pixel_format] :
       {std::pair{OptionTexts{{"enable_chroma", "false"}}, PixelFormat::k444}, {OptionTexts{}, PixelFormat::k400}}) {
    const auto plan = Make(texts, {301, 101, 8, pixel_format}, 1, 1);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->first_own(), Plan::kFirstInput + 2) << "luma of both videos";
    EXPECT_EQ(plan->launches().size(), 2u);
    EXPECT_EQ(plan->sum_count(), 3);
  }
}

}  // namespace
}  // namespace acutance
