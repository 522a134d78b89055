// Coverage of the sweep, faults that it finds, and cases beyond it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "backend/emu/emu.h"
#include "exec/run_plan.h"
#include "metric/plan_context.h"
#include "metric/registry.h"
#include "tests/parity/sweep.h"

namespace acutance {
namespace {

std::unique_ptr<Device> Open(int wave, uint64_t seed) {
  auto device = OpenEmuDevice({.wave_size = wave, .seed = seed});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return std::move(device).value();
}

TEST(ParitySweep, CoversEveryDepthContentFormatAndOption) {
  for (const Metric* metric : AllMetrics()) {
    if (metric->make_plan == nullptr) continue;
    SCOPED_TRACE(metric->name);
    std::set<int> depths;
    std::set<Content> contents;
    std::set<PixelFormat> pixel_formats;
    std::set<std::string> options;
    for (const SweepCase& which : SweepCases(*metric, SweepExtent::kFull)) {
      depths.insert(which.parity.format.bit_depth);
      contents.insert(which.parity.content);
      pixel_formats.insert(which.parity.format.pixel_format);
      for (const auto& [option, value] : which.parity.options) options.insert(option);
    }
    std::set<int> accepted;
    for (const int depth : {8, 10, 12, 16})
      if (Accepts(*metric, {}, {512, 512, depth})) accepted.insert(depth);
    EXPECT_EQ(depths, accepted);
    EXPECT_EQ(contents.size(), std::size(kContents));
    EXPECT_EQ(pixel_formats.size(), Accepts(*metric, {}, {512, 512, 8, PixelFormat::k400}) ? 4u : 3u);
    for (const OptionSpec& option : metric->options) {
      const bool stays_on_cpu = metric->name == "cvvdp" && option.name == "resize";  // Metric::stays_on_cpu
      EXPECT_TRUE(stays_on_cpu || options.contains(std::string(option.name))) << option.name;
    }
  }
}

TEST(ParitySweep, LaunchesEveryShape) {
  std::set<const KernelImage*> launched;
  for (const Metric* metric : AllMetrics())
    if (metric->make_plan != nullptr)
      for (const KernelImage* image : LaunchedKernels(SweepCases(*metric, SweepExtent::kFull), ""))
        launched.insert(image);
  // Scorers of single frames alone launch cvvdp_stream: the metric's self-test and frame_device_test compare it.
  for (const KernelImage& image : KernelImages())
    if (!image.kernel.starts_with("unpack_") && !image.kernel.starts_with("scale_") &&
        image.kernel != "expand_samples" && image.kernel != "convert_color" && image.kernel != "cvvdp_stream") {
      EXPECT_TRUE(launched.contains(&image)) << image.symbol;
    }
}

/// cvvdp's kernels convert samples to light themselves: no launch computes the derived pictures that its code for the
/// CPU reads.
TEST(Parity, PicturesThatNoPlanReadsAreNotComputed) {
  const Metric* metric = FindMetric("cvvdp");
  const OptionValues options = OptionValues::Parse(metric->options, {}).value();
  const std::vector<InputSpec> inputs = InputsOf(*metric, options);
  const PictureFormat format = {64, 48, 8};
  const PlanContext context = MakePlanContext(inputs, format, 2, 1, "");
  const auto derive = MakeDerivePlan(inputs, context);
  const auto plan = MakePlan(*metric, options, context);
  ASSERT_TRUE(plan.ok() && derive.ok() && derive->has_value());
  EXPECT_EQ(PlanRunner::DeviceBytes({*plan}, *derive, context),
            PlanRunner::DeviceBytes({*plan}, std::nullopt, context));
}

/// Pictures that cambi halves first, and the largest window.
TEST(Parity, CambiAtSizesBeyondTheSweep) {
  const Metric* cambi = FindMetric("cambi");
  const OptionTexts halved = {{"cambi_high_res_speedup", "1080"}}, widest = {{"window_size", "127"}};
  EXPECT_EQ(CheckParity(*Open(32, 1), {cambi, halved, {1920, 1080, 8}, Content::kBands, 1, 1, 1, ""}).message(), "");
  EXPECT_EQ(CheckParity(*Open(8, 2), {cambi, widest, {2900, 171, 10}, Content::kBands, 1, 1, 1, ""}).message(), "");
}

TEST(Parity, FloatSsimShrunkByEveryFactor) {
  for (int factor = 2; factor <= 10; ++factor) {
    const ParityCase which = {.metric = FindMetric("float_ssim"),
                              .options = {{"scale", std::to_string(factor)}, {"enable_lcs", "true"}},
                              .format = {12 * factor + factor % 3, 13 * factor + factor % 2, factor % 4 ? 8 : 16}};
    EXPECT_EQ(CheckParity(*Open(16, factor), which).message(), "");
  }
}

/// Sums over many turns of a workgroup. In pictures of one value each all terms are equal: every sum of two binades
/// lies in the middle of two floats.
TEST(Parity, PsnrHvsAddsManyBlocks) {
  const Metric* psnr_hvs = FindMetric("psnr_hvs");
  for (const Content content : {Content::kNoise, Content::kFilm, Content::kFlips})
    for (const std::string shape : {"256x1", "512x1"})
      EXPECT_EQ(CheckParity(*Open(16, 3), {psnr_hvs, {}, {701, 260, 8}, content, 2, 2, 1, shape}).message(), "");
}

TEST(Parity, FindsADifference) {
  ParityCase which = {FindMetric("motion"), {}, {40, 30, 8}, Content::kNoise, 3, 1, 1, ""};
  Metric broken = *which.metric;
  broken.make_plan = [](const acutance::Setup& setup, const PlanContext& context) {
    PlanContext wrong = context;
    wrong.inputs[0].format.width -= 1;
    return FindMetric("motion")->make_plan(setup, wrong);
  };
  which.metric = &broken;
  const Status status = CheckParity(*Open(32, 1), which);
  EXPECT_THAT(status.message(), testing::HasSubstr("motion 40x30 420 8 bit, noise, 3 frames, batch 1, seed 1, video "
                                                   "0: frame 1: bits of output 0 is"));
}

}  // namespace
}  // namespace acutance
