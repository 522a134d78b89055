#include "metric/vif/vif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "metric/testing/metric_run.h"

namespace acutance {
namespace {

using testing::HasSubstr;

Result<Plan> Make(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShapes[] = {{"vif_scale0", "", "128x1r8"}, {"vif_scale1", "", "64x1r8"}};
  return MakeTestPlan(kVifMetric, texts, format, frames, videos, kShapes);
}

TEST(VifPlan, HasALaunchForEachScale) {
  const auto plan = Make({}, {1920, 1080, 8}, 1, 3);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->sum_count(), 16);
  EXPECT_EQ(plan->launches().size(), 5u);
  EXPECT_TRUE(plan->ReadsInput(0) && plan->ReadsInput(1));
  const std::string text = plan->Print();
  // 128 - 2 * 8 columns and 8 rows a workgroup.
  EXPECT_THAT(text, HasSubstr("launch: vif_scale0 u8_128x1r8, 18x135x3 workgroups of 128x1 items, border: mirror 8\n"
                              "  buffer 1: reference y\n"
                              "  buffer 2: distorted y\n"
                              "  buffer 3: reference of scale 1\n"
                              "  buffer 4: distorted of scale 1\n"
                              "  buffer 5: parts of the logarithm\n"
                              "  buffer 6: partial sums\n"));
  // 960 x 540 pixels, 64 - 2 * 4 columns a workgroup. Rows of 960 samples, later 480 (no padding), 256 and 128.
  EXPECT_THAT(text, HasSubstr("launch: vif_scale1 64x1r8, 18x68x3 workgroups of 64x1 items, border: mirror 4\n"
                              "  buffer 1: reference of scale 1\n"
                              "  buffer 2: distorted of scale 1\n"
                              "  buffer 3: reference of scale 2\n"));
  EXPECT_THAT(text, HasSubstr("scratch: reference of scale 1, 3110400 bytes\n"));
  EXPECT_THAT(text, HasSubstr("launch: vif_scale2 128x1r8, 4x34x3 workgroups of 128x1 items, border: mirror 2\n"));
  EXPECT_THAT(text, HasSubstr("launch: vif_scale3 128x1r8, 2x17x3 workgroups of 128x1 items, border: mirror 1\n"));
  EXPECT_THAT(text, HasSubstr("launch: sum_partials 256x1, 16x1x3 workgroups"));
}

TEST(VifPlan, DeepSamplesHaveTheirOwnVariant) {
  EXPECT_THAT(Make({}, {1920, 1080, 10}, 1, 1)->Print(), HasSubstr("launch: vif_scale0 u16_128x1r8, "));
}

TEST(VifPlan, PassesTheGainLimitOn) {
  const auto square_at = [](const Plan& plan, int launch) {
    // VifGainLimit, the last member: mantissa, its square's mantissa, and both exponents.
    const auto& args = plan.launches()[launch].args;
    uint64_t mantissa;
    int32_t exponent;
    std::memcpy(&mantissa, args.data() + args.size() - 16, sizeof(mantissa));
    std::memcpy(&exponent, args.data() + args.size() - 4, sizeof(exponent));
    return std::ldexp(static_cast<double>(mantissa), exponent);
  };
  const auto plan = Make({{"vif_enhn_gain_limit", "1.3"}}, {1920, 1080, 8}, 1, 1);
  const auto unlimited = Make({}, {1920, 1080, 8}, 1, 1);
  for (int launch = 0; launch < 4; ++launch) {
    EXPECT_EQ(square_at(*plan, launch), 1.3 * 1.3);
    EXPECT_EQ(square_at(*unlimited, launch), 10000.0);
  }
}

/// Whether a SPIR-V module declares the capability Float64.
bool UsesDoubles(std::span<const std::byte> code) {
  constexpr uint32_t kOpCapability = 17, kFloat64 = 10;
  std::vector<uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  for (size_t at = 5; at < words.size() && (words[at] & 0xFFFF) == kOpCapability; at += words[at] >> 16)
    if (words[at + 1] == kFloat64) return true;
  return false;
}

TEST(VifPlan, NeedsNoDoubles) {
  for (const int depth : {8, 10}) {
    const auto plan = Make({}, {1920, 1080, depth}, 1, 1);
    for (const Plan::Launch& launch : plan->launches())
      for (const KernelBinary& binary : launch.kernel->binaries)
        if (binary.target == "spirv") {
          EXPECT_FALSE(UsesDoubles(binary.code)) << launch.kernel->symbol;
        }
  }
}

}  // namespace
}  // namespace acutance
