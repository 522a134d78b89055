#include "metric/motion/motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metric/testing/metric_run.h"

namespace acutance {
namespace {

using testing::HasSubstr;

Result<Plan> Make(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShape[] = {{"motion_sad", "", "64x4r8"}};
  return MakeTestPlan(kMotionMetric, texts, format, frames, videos, kShape);
}

TEST(MotionPlan, CoversThePictureAndLooksBack) {
  const auto plan = Make({}, {1920, 1080, 10}, 3, 2);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  // 60 columns and 32 rows a workgroup; rows of 1920 samples, pictures of 1920 * 1080 * 2 bytes, one before the batch.
  EXPECT_EQ(plan->Print(),
            "results: 3 items, 1 sums and 0 partial results each\n"
            "scratch: partial sums, 26112 bytes\n"
            "table: ranges of the partial sums, 8 bytes\n"
            "launch: motion_sad u16_64x4r8, 32x34x3 workgroups of 64x4 items, border: mirror 2\n"
            "  buffer 1: reference y\n"
            "  buffer 2: reference y + 4147200 bytes\n"
            "  buffer 3: partial sums\n"
            "  numbers: 2073600 0 1920 1920 1080 10 1088 0\n"
            "launch: sum_partials 256x1, 1x1x3 workgroups of 256x1 items, border: none\n"
            "  buffer 1: partial sums\n"
            "  buffer 2: ranges of the partial sums\n"
            "  buffer 3: sums\n"
            "  numbers: 1088 1\n");
}

TEST(MotionPlan, FiveFrameWindowLooksBackTwice) {
  const auto plan = Make({{"motion_five_frame_window", "true"}}, {1920, 1080, 8}, 1, 1);
  EXPECT_THAT(plan->Print(), HasSubstr("buffer 1: reference y\n  buffer 2: reference y + 4147200 bytes\n"));
}

TEST(MotionPlan, ForcedZeroReadsNothing) {
  const auto plan = Make({{"motion_force_zero", "true"}}, {1920, 1080, 8}, 1, 1);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->launches().size(), 1u);
}

}  // namespace
}  // namespace acutance
