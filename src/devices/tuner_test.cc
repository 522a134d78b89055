// The tuner's measurements on the emulator, and its error for a device that fails.
#include "devices/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "base/temp_dir.h"
#include "devices/testing/flaky_device.h"
#include "metric/registry.h"

namespace acutance {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr PictureFormat kFormat = {35, 33, 8, PixelFormat::k420};

TEST(Tuner, TimesEveryShapeInEveryBatch) {
  FlakyDevice device({});
  const auto timings = TimeKernelShapes(device, *FindMetric("psnr"), kFormat);
  ASSERT_TRUE(timings.ok()) << timings.status().message();
  std::set<std::pair<std::string, int>> seen;
  std::set<std::string> shapes;
  for (const KernelTiming& timing : *timings) {
    EXPECT_EQ(timing.kernel, "psnr_sse");
    EXPECT_GT(timing.microseconds, 0);
    seen.emplace(timing.shape, timing.batch);
    shapes.insert(timing.shape);
  }
  EXPECT_GE(shapes.size(), 3u);
  EXPECT_EQ(seen.size(), 7 * shapes.size());
  EXPECT_EQ(timings->size(), seen.size());
  EXPECT_TRUE(std::ranges::is_sorted(*timings, {}, &KernelTiming::microseconds));
}

TEST(Tuner, SaysWhyNothingRuns) {
  FlakyDevice device({.where = Fault::kSubmit, .nth = 0, .code = StatusCode::kIo});
  const auto timings = TimeKernelShapes(device, *FindMetric("psnr"), kFormat);
  EXPECT_EQ(timings.status().code(), StatusCode::kIo);
}

TEST(Tuner, PrintsAPlan) {
  const Metric &psnr = *FindMetric("psnr"), &vif = *FindMetric("vif");
  const auto plan = DescribePlan({&psnr, OptionValues(psnr.options)}, kFormat, 3, "sm_90");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_THAT(*plan, StartsWith("psnr, 35x33 8 bit, small workload, 3 frames a batch, 0 before it, "));
  EXPECT_THAT(*plan, HasSubstr(" MB, tuned for sm_90\n"));
  EXPECT_THAT(DescribePlan({&vif, OptionValues(vif.options)}, {8, 8, 8}, 0, "").status().message(),
              HasSubstr("at least 16x16"));
}

/// ssimulacra2's plan makes light of samples itself; butteraugli's reads what the shared launches make.
TEST(Tuner, PrintsLaunchesThatRun) {
  const auto plan = [](const char* name) {
    const Metric& metric = *FindMetric(name);
    return DescribePlan({&metric, OptionValues(metric.options)}, kFormat, 1, "").value();
  };
  EXPECT_THAT(plan("ssimulacra2"), Not(HasSubstr("launch: linear_rgb")));
  EXPECT_THAT(plan("ssimulacra2"), HasSubstr("launch: ssimulacra2_start"));
  EXPECT_THAT(plan("butteraugli"), HasSubstr("launch: linear_rgb"));
}

TEST(Tuner, DumpsKernels) {
  const test::TempDir folder;
  const Metric& psnr = *FindMetric("psnr");
  const auto plan = DescribePlan({&psnr, OptionValues(psnr.options)}, kFormat, 1, "", folder / "kernels");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  std::ifstream registers(folder / "kernels/registers.csv");
  std::string heading;
  ASSERT_TRUE(std::getline(registers, heading));
  EXPECT_EQ(heading, "symbol,target,registers,spilled_bytes,shared_bytes");
  for (const KernelImage& image : KernelImages()) {
    if (image.kernel != "psnr_sse" || !image.variant.starts_with("u8")) continue;
    for (const KernelBinary& binary : image.binaries)
      EXPECT_TRUE(binary.target != "ptx" || std::filesystem::exists(folder / "kernels/psnr_sse.ptx"));
  }
  std::ofstream(folder / "file") << "no folder";
  EXPECT_THAT(DescribePlan({&psnr, OptionValues(psnr.options)}, kFormat, 1, "", folder / "file/x").status().message(),
              HasSubstr("cannot make the folder"));
}

}  // namespace
}  // namespace acutance
