#include "exec/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace acutance {
namespace {

using testing::HasSubstr;

struct TestArgs {
  uint64_t from;
  uint64_t to;
  int32_t width;
  int32_t height;
};

constexpr KernelImage kImage = {.kernel = "blur",
                                .variant = "u8_32x8",
                                .symbol = "blur_u8_32x8",
                                .group_x = 32,
                                .group_y = 8,
                                .args_bytes = sizeof(TestArgs),
                                .buffer_args = 2};

TEST(WorkloadClass, IsByLumaPixels) {
  EXPECT_EQ(ClassifyWorkload(1, 1), WorkloadClass::kSmall);
  EXPECT_EQ(ClassifyWorkload(1280, 719), WorkloadClass::kSmall);
  EXPECT_EQ(ClassifyWorkload(1280, 720), WorkloadClass::kMedium);
  EXPECT_EQ(ClassifyWorkload(720, 1280), WorkloadClass::kMedium);
  EXPECT_EQ(ClassifyWorkload(3840, 2159), WorkloadClass::kMedium);
  EXPECT_EQ(ClassifyWorkload(3840, 2160), WorkloadClass::kLarge);
  EXPECT_EQ(ClassifyWorkload(kMaxDimension, kMaxDimension), WorkloadClass::kLarge);
  EXPECT_EQ(WorkloadClassName(WorkloadClass::kMedium), "medium");
}

TEST(PlanContext, RowsAreAlignedAndPlanesFollowTheFormat) {
  const PictureFormat format = {.width = 131, .height = 7, .bit_depth = 10, .pixel_format = PixelFormat::k420};
  const PlanContext context = MakePlanContext(format, 4, 2, "sm_90");
  const PlaneLayout& luma = context.layout(PlanInput::kReferenceY);
  EXPECT_EQ(luma.width, 131);
  EXPECT_EQ(luma.row_stride, 160);  // samples of two bytes: five times 64 bytes
  EXPECT_EQ(luma.picture_stride, 160 * 7);
  EXPECT_EQ(luma.history, 2);
  EXPECT_EQ(context.layout(PlanInput::kDistortedY).history, 0);
  EXPECT_EQ(context.layout(PlanInput::kDistortedCr).width, 65);
  EXPECT_EQ(context.layout(PlanInput::kDistortedCr).height, 3);
  EXPECT_EQ(context.workload, WorkloadClass::kSmall);
}

TEST(PlanContext, GrayHasNoChroma) {
  const PlanContext context = MakePlanContext({.width = 8, .height = 8, .pixel_format = PixelFormat::k400}, 1, 0, "");
  EXPECT_EQ(context.layout(PlanInput::kReferenceCb).width, 0);
}

TEST(Plan, BindsAddressesAndOffsets) {
  Plan plan(3);
  const BufferRef scratch = plan.AddScratch("rows", 1000);
  const TestArgs args = {
      .from = BufferRef{static_cast<int>(PlanInput::kReferenceY), 4096}, .to = scratch, .width = 17, .height = -9};
  ASSERT_TRUE(plan.AddLaunch(kImage, {2, 3, 4}, args, "mirror 2").ok());
  const uint64_t addresses[] = {0x7f0012340000, 2, 3, 4, 5, 6, 7, 0x800};
  const std::vector<std::byte> bound = BindArguments(plan.launches()[0], addresses);
  TestArgs result;
  ASSERT_EQ(bound.size(), sizeof(result));
  std::memcpy(&result, bound.data(), sizeof(result));
  EXPECT_EQ(result.from, 0x7f0012340000u + 4096);
  EXPECT_EQ(result.to, 0x800u);
  EXPECT_EQ(result.width, 17);
  EXPECT_EQ(result.height, -9);
}

TEST(Plan, KnowsWhatItReads) {
  Plan plan(1);
  const TestArgs args = {.from = plan.Input(PlanInput::kDistortedCb), .to = plan.Sums(), .width = 1, .height = 1};
  EXPECT_FALSE(plan.Reads(PlanInput::kDistortedCb));
  ASSERT_TRUE(plan.AddLaunch(kImage, {}, args, "none").ok());
  EXPECT_TRUE(plan.Reads(PlanInput::kDistortedCb));
  EXPECT_FALSE(plan.Reads(PlanInput::kReferenceY));
}

TEST(Plan, RefusesWrongLaunches) {
  Plan plan(1);
  const TestArgs good = {.from = plan.Input(PlanInput::kReferenceY), .to = plan.Sums(), .width = 1, .height = 1};
  EXPECT_THAT(plan.AddLaunch(kImage, {}, int64_t{1}, "").message(), HasSubstr("takes 24 bytes of arguments"));
  EXPECT_THAT(plan.AddLaunch(kImage, {.y = 0}, good, "").message(), HasSubstr("empty grid: 1x0x1"));
  TestArgs bad = good;
  bad.to = 0;
  EXPECT_THAT(plan.AddLaunch(kImage, {}, bad, "").message(), HasSubstr("argument 2 names no buffer"));
  bad.to = BufferRef{Plan::kFirstOwnBuffer, 0};  // there is none yet
  EXPECT_FALSE(plan.AddLaunch(kImage, {}, bad, "").ok());
  EXPECT_TRUE(plan.launches().empty());
}

TEST(Plan, PrintsForPeople) {
  Plan plan(2);
  const BufferRef table = plan.AddTable("ranges", std::vector<std::byte>(16));
  plan.AddScratch("rows", 1000);
  const TestArgs args = {.from = BufferRef{table.buffer, 8}, .to = plan.Sums(), .width = 5, .height = -1};
  ASSERT_TRUE(plan.AddLaunch(kImage, {2, 3, 4}, args, "mirror 2").ok());
  EXPECT_EQ(plan.Print(),
            "sums: 2 a frame\n"
            "table: ranges, 16 bytes\n"
            "scratch: rows, 1000 bytes\n"
            "launch: blur u8_32x8, 2x3x4 workgroups of 32x8 items, border: mirror 2\n"
            "  buffer 1: ranges + 8 bytes\n"
            "  buffer 2: sums\n"
            "  numbers: 5 -1\n");
}

TEST(Plan, KeepsTheLargestBatch) {
  Plan plan(1);
  EXPECT_EQ(plan.preferred_batch(), 1);
  plan.PreferBatch(8);
  plan.PreferBatch(4);
  EXPECT_EQ(plan.preferred_batch(), 8);
}

constexpr TuningEntry kTable[] = {
    {"blur", WorkloadClass::kSmall, "sm_", "wide", 4},
    {"blur", WorkloadClass::kSmall, "sm_90", "wider", 8},
    {"blur", WorkloadClass::kSmall, "", "plain", 2},
    {"sum", WorkloadClass::kSmall, "", "other", 1},
};

TEST(Tuning, LongestFamilyWins) {
  EXPECT_EQ(FindTuning(kTable, "blur", WorkloadClass::kSmall, "sm_90")->shape, "wider");
  EXPECT_EQ(FindTuning(kTable, "blur", WorkloadClass::kSmall, "sm_86")->shape, "wide");
  EXPECT_EQ(FindTuning(kTable, "blur", WorkloadClass::kSmall, "gfx1100")->shape, "plain");
  EXPECT_EQ(FindTuning(kTable, "blur", WorkloadClass::kLarge, "sm_90"), nullptr);
}

TEST(Tuning, KernelsWithoutSamplesAreNamedByShapeAlone) {
  constexpr TuningEntry kSum[] = {{"sum_partials", WorkloadClass::kSmall, "", "256x1", 3}};
  const auto chosen = ChooseVariant(kSum, "sum_partials", MakePlanContext({.width = 16, .height = 16}, 1, 0, ""));
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  EXPECT_EQ(chosen->image, FindKernelImage("sum_partials", "256x1"));
  EXPECT_EQ(chosen->batch, 3);
}

TEST(Tuning, MissingEntriesAndShapesAreErrors) {
  PlanContext context = MakePlanContext({.width = 16, .height = 16, .bit_depth = 10}, 1, 0, "sm_90");
  EXPECT_THAT(ChooseVariant(kTable, "vague", context).status().message(), HasSubstr("no tuning entry for small"));
  EXPECT_THAT(ChooseVariant(kTable, "blur", context).status().message(), HasSubstr("not built as u16_wider"));
  constexpr TuningEntry kOverride[] = {{"blur", WorkloadClass::kSmall, "", "forced", 1}};
  context.overrides = kOverride;
  EXPECT_THAT(ChooseVariant(kTable, "blur", context).status().message(), HasSubstr("not built as u16_forced"));
}

}  // namespace
}  // namespace acutance
