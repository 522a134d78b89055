#include "report/sampled_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace acutance {
namespace {

TEST(SampledFrames, AreAllOfAShortVideo) {
  EXPECT_EQ(SampledFrames(4, 1, 4), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(SampledFrames(8, 3, 4), (std::vector<int64_t>{0, 3, 6}));
  EXPECT_TRUE(SampledFrames(0, 1, 4).empty());
}

TEST(SampledFrames, LieInOrderAndAreScored) {
  const std::vector<int64_t> frames = SampledFrames(100'001, 7, 400);
  EXPECT_EQ(frames.size(), 400u);
  EXPECT_TRUE(std::ranges::is_sorted(frames));
  EXPECT_LT(frames.back(), 100'001);
  for (const int64_t frame : frames) EXPECT_EQ(frame % 7, 0);
}

// Samples at equal distances saw key frames alone, or none.
TEST(SampledFrames, SeeKeyFramesAsOftenAsTheyAre) {
  for (const int period : {2, 5, 10, 12, 24, 25, 48, 50, 125, 250})
    for (const int64_t length : {10'000, 50'000, 100'000}) {
      const std::vector<int64_t> frames = SampledFrames(length, 1, 400);
      const auto keys = std::ranges::count_if(frames, [&](int64_t frame) { return frame % period == 0; });
      EXPECT_NEAR(static_cast<double>(keys) / std::ssize(frames), 1.0 / period, 0.03) << period << " of " << length;
    }
}

}  // namespace
}  // namespace acutance
