#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstring>
#include <random>
#include <vector>

#include "metric/psnr/psnr_cpu.h"
#include "metric/psnr/psnr_ref.h"

namespace acutance {
namespace {

/// A plane that begins `lead` samples into its memory, which ends right after the last sample, so that sanitizers see
/// reads beyond it. Between rows stand `gap` samples of no row.
class TestPlane {
 public:
  template <class Fill>  // (x, y) -> sample
  TestPlane(int width, int height, int bit_depth, Fill fill, int lead = 0, int gap = 0) {
    const int sample_bytes = bit_depth > 8 ? 2 : 1, pitch = width + gap;
    bytes_.resize((static_cast<size_t>(pitch) * height - gap + lead) * sample_bytes);
    std::byte* first = bytes_.data() + lead * sample_bytes;
    plane_ = {first, static_cast<ptrdiff_t>(pitch) * sample_bytes, width, height};
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < (y + 1 < height ? pitch : width); ++x) {
        const uint16_t sample = static_cast<uint16_t>(fill(x, y));
        std::byte* to = first + (static_cast<size_t>(y) * pitch + x) * sample_bytes;
        if (bit_depth > 8) std::memcpy(to, &sample, 2);
        else *to = static_cast<std::byte>(sample);
      }
  }
  TestPlane(const TestPlane&) = delete;

  const Plane& plane() const { return plane_; }

 private:
  std::vector<std::byte> bytes_;
  Plane plane_;
};

/// Runs `check` once for every instruction set that this CPU has and this build compiled.
template <class Check>
void ForEachTarget(Check check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

constexpr int kDepths[] = {8, 10, 12, 16};

TEST(SquaredError, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{1, 1},   {1, 9},   {2, 3},   {7, 2},   {8, 2},   {9, 3},    {15, 2},
                                       {16, 2},  {17, 3},  {31, 2},  {33, 2},  {63, 2},  {64, 2},   {65, 3},
                                       {127, 2}, {128, 1}, {129, 2}, {480, 3}, {481, 4}, {1000, 3}, {4099, 2}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, height, depth, noise), b(width, height, depth, noise);
      const int64_t expected = SquaredErrorRef(a.plane(), b.plane(), depth, {0, height});
      ForEachTarget([&] {
        EXPECT_EQ(SquaredError(a.plane(), b.plane(), depth, {0, height}), expected) << width << "x" << height;
        EXPECT_EQ(SquaredError(b.plane(), a.plane(), depth, {0, height}), expected) << width << "x" << height;
        EXPECT_EQ(SquaredError(a.plane(), a.plane(), depth, {0, height}), 0) << width << "x" << height;
      });
    }
}

TEST(SquaredError, RowsOfAnyAlignmentWidthAndPitch) {
  std::mt19937 random(3);
  for (const int depth : {8, 16})
    for (int width = 1; width <= 200; ++width)
      for (int lead = 0; lead < 64; ++lead) {
        const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
        const TestPlane a(width, 2, depth, noise, lead, lead / 3 % 4), b(width, 2, depth, noise, lead * 5 % 64, 1);
        const int64_t expected = SquaredErrorRef(a.plane(), b.plane(), depth, {0, 2});
        ForEachTarget([&] {
          ASSERT_EQ(SquaredError(a.plane(), b.plane(), depth, {0, 2}), expected)
              << "width " << width << ", row begins at " << lead << ", depth " << depth;
        });
      }
}

TEST(SquaredError, TheWidestRowOfTheLargestErrorsDoesNotOverflow) {
  for (const int depth : kDepths) {
    const int64_t max = (1 << depth) - 1;
    const TestPlane white(
        kMaxDimension, 2, depth, [&](int, int) { return max; }, 1);
    const TestPlane black(
        kMaxDimension, 2, depth, [](int, int) { return 0; }, 1);
    ForEachTarget([&] {
      EXPECT_EQ(SquaredError(white.plane(), black.plane(), depth, {0, 2}), 2 * kMaxDimension * max * max);
      EXPECT_EQ(SquaredError(black.plane(), white.plane(), depth, {0, 1}), kMaxDimension * max * max);
    });
  }
}

TEST(SquaredError, EachSampleCountsOnce) {
  constexpr int kWidth = 133;
  for (const int depth : kDepths) {
    const TestPlane black(kWidth, 1, depth, [](int, int) { return 0; });
    for (int at = 0; at < kWidth; ++at) {
      const TestPlane spark(kWidth, 1, depth, [&](int x, int) { return x == at ? 201 : 0; });
      ForEachTarget([&] { EXPECT_EQ(SquaredError(spark.plane(), black.plane(), depth, {0, 1}), 201 * 201) << at; });
    }
  }
}

TEST(SquaredError, BandsAddUp) {
  std::mt19937 random(2);
  for (const int depth : kDepths) {
    const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
    const TestPlane a(75, 23, depth, noise), b(75, 23, depth, noise);
    const int64_t whole = SquaredErrorRef(a.plane(), b.plane(), depth, {0, 23});
    for (const int step : {1, 2, 5, 22}) {
      int64_t sum = 0;
      for (int y = 0; y < 23; y += step) sum += SquaredError(a.plane(), b.plane(), depth, {y, std::min(y + step, 23)});
      EXPECT_EQ(sum, whole) << "bands of " << step << " rows";
    }
    EXPECT_EQ(SquaredError(a.plane(), b.plane(), depth, {7, 7}), 0);
  }
}

}  // namespace
}  // namespace acutance
