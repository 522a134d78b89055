// Every kernel that is built is launched by some plan, or by SurfaceSplitter, in each of its variants, and every plan
// finds what it launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exec/plan.h"
#include "metric/plan_context.h"
#include "metric/registry.h"
#include "tests/parity/parity.h"

namespace acutance {
namespace {

using ::testing::IsEmpty;

constexpr const char* kFamilies[] = {"", "emu", "sm_75", "sm_90", "gfx90a", "gfx1100", "llvmpipe", "nvidia", "intel"};
constexpr std::pair<int, int> kSizes[] = {{576, 324}, {1920, 1080}, {3840, 2160}};

using Names = std::set<std::string>;

Names Without(Names names, const Names& others) {
  std::erase_if(names, [&](const std::string& name) { return others.contains(name); });
  return names;
}

void AddLaunches(const Metric& metric, const PictureFormat& format, const char* family,
                 std::span<const TuningEntry> overrides, Names& launched) {
  for (const OptionTexts& options : OptionCases(metric)) {
    const OptionValues values = *OptionValues::Parse(metric.options, options);
    PlanContext context = MakePlanContext(InputsOf(metric, values), format, 2, 2, family);
    context.artifacts = true;
    context.overrides = overrides;
    const auto plan = MakePlan(metric, values, context);
    ASSERT_TRUE(plan.ok()) << metric.name << ": " << plan.status().message();
    for (const Plan::Launch& launch : plan->launches()) launched.insert(std::string(launch.kernel->symbol));
  }
}

std::set<std::string> AllShapes() {
  std::set<std::string> shapes;
  for (const KernelImage& image : KernelImages())
    for (std::string& shape : ShapesOf(image.kernel)) shapes.insert(std::move(shape));
  return shapes;
}

/// The kernels that the metric launches by its own tables and, if `every_shape`, in each shape that was built.
void AddLaunches(const Metric& metric, bool every_shape, Names& launched) {
  for (const auto& [width, height] : kSizes)
    for (const int depth : {8, 10}) {
      for (const char* family : kFamilies) AddLaunches(metric, {width, height, depth}, family, {}, launched);
      if (!every_shape) continue;
      for (const std::string& shape : AllShapes())
        AddLaunches(metric, {width, height, depth}, "", RowsOfShape(shape), launched);
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

TEST(Kernels, AllAreLaunched) {
  Names launched = {"unpack_samples_u8_64x4", "unpack_samples_u16_64x4",  // by SurfaceSplitter
                    "expand_samples_u8_64x4", "expand_samples_u16_64x4",  // by DeeperInput
                    "scale_across_u8_64x4r4", "scale_across_u16_64x4r4",  // by BatchConverter
                    "scale_down_u8_64x4",     "scale_down_u16_64x4",      // likewise
                    "convert_color_u8_64x4",  "convert_color_u8_u16_64x4", "convert_color_u16_64x4",  // likewise
                    "linear_rgb_u8_32x4",     "linear_rgb_u16_32x4"};  // by LinearRgbInput
  Names built;
  for (const Metric* metric : AllMetrics())
    if (metric->make_plan != nullptr) AddLaunches(*metric, true, launched);
  for (const KernelImage& image : KernelImages()) built.insert(std::string(image.symbol));
  EXPECT_FALSE(built.empty());
  EXPECT_THAT(Without(built, launched), IsEmpty()) << "built, and launched by nobody";
  EXPECT_THAT(Without(launched, built), IsEmpty()) << "launched, and not built";
}

TEST(Kernels, PlansFindWhatTheyLaunch) {
  Names launched;
  for (const Metric* metric : AllMetrics())
    if (metric->make_plan != nullptr) AddLaunches(*metric, false, launched);
  EXPECT_FALSE(launched.empty());
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
