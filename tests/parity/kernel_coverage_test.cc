// Plans find the kernels that they launch on every family of devices, and kernel images are complete. That each kernel
// is launched in each of its variants is a test of the sweep (parity_test.cc).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "exec/plan.h"
#include "metric/plan_context.h"
#include "metric/registry.h"
#include "tests/parity/parity.h"

namespace acutance {
namespace {

constexpr const char* kFamilies[] = {"", "emu", "sm_75", "sm_90", "gfx90a", "gfx1100", "llvmpipe", "nvidia", "intel"};
constexpr std::pair<int, int> kSizes[] = {{576, 324}, {1920, 1080}, {3840, 2160}};

void MakePlans(const Metric& metric, const PictureFormat& format, const char* family) {
  for (const OptionTexts& options : OptionCases(metric)) {
    const OptionValues values = *OptionValues::Parse(metric.options, options);
    PlanContext context = MakePlanContext(InputsOf(metric, values), format, 2, 2, family);
    context.artifacts = true;
    const auto plan = MakePlan(metric, values, context);
    ASSERT_TRUE(plan.ok()) << metric.name << ": " << plan.status().message();
  }
}

// No feature of a model or a preset leaves a device's session for the CPU.
TEST(Kernels, LibvmafsMetricsHavePlans) {
  for (const char* name : {"adm", "cambi", "ciede", "float_adm", "float_ansnr", "float_moment", "float_motion",
                           "float_ms_ssim", "float_psnr", "float_ssim", "float_vif", "motion", "psnr", "psnr_hvs",
                           "speed_chroma", "speed_temporal", "vif"}) {
    const Metric* metric = FindMetric(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_NE(metric->make_plan, nullptr) << name;
  }
}

TEST(Kernels, PlansFindKernelsThatTheyLaunch) {
  for (const Metric* metric : AllMetrics()) {
    if (metric->make_plan == nullptr) continue;
    for (const auto& [width, height] : kSizes)
      for (const int depth : {8, 10})
        for (const char* family : kFamilies) MakePlans(*metric, {width, height, depth}, family);
  }
}

TEST(Kernels, ImagesAreWhole) {
  for (const KernelImage& image : KernelImages()) {
    SCOPED_TRACE(image.symbol);
    EXPECT_EQ(std::string(image.symbol), std::string(image.kernel) + "_" + std::string(image.variant));
    EXPECT_EQ(FindKernelImage(image.kernel, image.variant), &image);
    EXPECT_NE(image.emu, nullptr);
    EXPECT_EQ(image.group_x * image.group_y % 64, 0);
    EXPECT_GT(image.buffer_args, 0u);
    EXPECT_LE(image.buffer_args * 8, image.args_bytes);
    EXPECT_LE(image.args_bytes, 128u) << "push constants that every Vulkan device has";
    EXPECT_LE(image.shared_bytes, 32u * 1024) << "what the smallest GPUs share";
    EXPECT_NE(image.sycl_source.find("void " + std::string(image.symbol) + "("), std::string_view::npos);
    for (const KernelBinary& binary : image.binaries) {
      EXPECT_FALSE(binary.code.empty()) << binary.target;
      EXPECT_EQ(*(binary.code.data() + binary.code.size()), std::byte{0}) << binary.target;
    }
  }
}

TEST(Kernels, UnknownOnesAreNotFound) {
  EXPECT_EQ(FindKernelImage("motion_sad", "u8"), nullptr);
  EXPECT_EQ(FindKernelImage("motion", "u8_64x4r8"), nullptr);
}

}  // namespace
}  // namespace acutance
