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

/// All planes of both videos, with two pictures of the reference and one of each distorted video before the batch.
PlanContext MakeContext(const PictureFormat& format, int frames, int videos) {
  PlanContext context;
  context.format = format;
  context.frames = frames;
  context.videos = videos;
  context.history = {2, 1};
  context.workload = ClassifyWorkload(format.width, format.height);
  for (const Video video : {Video::kReference, Video::kDistorted})
    for (int plane = 0; plane < format.PlaneCount(); ++plane) context.inputs.push_back({video, plane, "", format});
  return context;
}

TEST(PlanContext, RowsAreAlignedAndPlanesFollowTheFormat) {
  const PlanContext context = MakeContext({.width = 131, .height = 7, .bit_depth = 10}, 4, 3);
  const PlaneView luma = context.Input(Video::kReference);
  EXPECT_EQ(luma.width, 131);
  EXPECT_EQ(luma.row_stride, 160);  // samples of two bytes: five times 64 bytes
  EXPECT_EQ(luma.picture_stride, 160 * 7);
  EXPECT_EQ(context.Input(Video::kDistorted, 2).width, 65);
  EXPECT_EQ(context.Input(Video::kDistorted, 2).height, 3);
  EXPECT_EQ(context.pairs(), 12);
  EXPECT_EQ(context.InputBytes(context.inputs[0]), 6u * 160 * 7 * 2) << "two before, and four";
  EXPECT_EQ(context.InputBytes(context.inputs[3]), 5u * 3 * 160 * 7 * 2) << "one before and four, of three videos";
}

TEST(PlanContext, InputsAreAskedForByVideoPlaneAndFramesBack) {
  const PlanContext context = MakeContext({.width = 64, .height = 2}, 4, 3);
  const uint64_t picture = 64 * 2;
  EXPECT_EQ(context.Input(Video::kReference).data.offset, 2 * picture);
  EXPECT_EQ(context.Input(Video::kReference, 0, 2).data.offset, 0u);
  EXPECT_EQ(context.Input(Video::kDistorted).data.offset, 3 * picture) << "one frame of three videos before";
  EXPECT_EQ(context.AllPictures(Video::kDistorted, 0).data.offset, 0u);
  EXPECT_NE(context.Input(Video::kReference, 1).data.buffer, context.Input(Video::kReference).data.buffer);
  EXPECT_EQ(context.Input(Video::kReference, 0, 3).data.buffer, -1) << "not so far back";
  EXPECT_EQ(context.Input(Video::kReference, 0, 0, "half").data.buffer, -1) << "not declared";
}

TEST(PlanContext, GrayHasNoChroma) {
  const PlanContext context = MakeContext({.width = 8, .height = 8, .pixel_format = PixelFormat::k400}, 1, 1);
  EXPECT_EQ(context.Input(Video::kReference, 1).data.buffer, -1);
}

const PlanContext kContext = MakeContext({.width = 64, .height = 64}, 2, 1);

TEST(Plan, BindsAddressesAndOffsets) {
  Plan plan(kContext, 2, 3);
  const BufferRef scratch = plan.AddScratch("rows", 1000);
  const TestArgs args = {.from = BufferRef{Plan::kFirstInput, 4096}, .to = scratch, .width = 17, .height = -9};
  ASSERT_TRUE(plan.AddLaunch(kImage, {2, 3, 4}, args, "mirror 2").ok());
  const uint64_t addresses[] = {1, 2, 3, 0x7f0012340000, 5, 6, 7, 8, 9, 0x800};
  const std::vector<std::byte> bound = BindArguments(plan.launches()[0], addresses);
  TestArgs result;
  ASSERT_EQ(bound.size(), sizeof(result));
  std::memcpy(&result, bound.data(), sizeof(result));
  EXPECT_EQ(result.from, 0x7f0012340000u + 4096);
  EXPECT_EQ(result.to, 0x800u);
  EXPECT_EQ(result.width, 17);
  EXPECT_EQ(result.height, -9);
}

#if __has_builtin(__builtin_clear_padding)
TEST(Plan, ClearsPaddingOfArguments) {
  struct OddArgs {
    uint64_t to;
    int32_t width;
  };
  const KernelImage image = {
      .kernel = "fill", .variant = "any", .symbol = "fill", .args_bytes = sizeof(OddArgs), .buffer_args = 1};
  Plan plan(kContext, 2, 1);
  for (const int before : {0xff, 0x11}) {
    OddArgs args;
    std::memset(&args, before, sizeof(args));
    args.to = uint64_t{plan.Sums()};
    args.width = 17;
    ASSERT_TRUE(plan.AddLaunch(image, {}, args, "none").ok());
  }
  EXPECT_EQ(plan.launches()[0].args, plan.launches()[1].args);
}
#endif

TEST(Plan, ReportsInputsThatItReads) {
  Plan plan(kContext, 2, 1);
  const PlaneView chroma = kContext.Input(Video::kDistorted, 1);
  const TestArgs args = {.from = chroma.data, .to = plan.Sums(), .width = 1, .height = 1};
  EXPECT_FALSE(plan.ReadsInput(4));
  ASSERT_TRUE(plan.AddLaunch(kImage, {}, args, "none").ok());
  EXPECT_TRUE(plan.ReadsInput(4));
  EXPECT_FALSE(plan.ReadsInput(0));
}

TEST(Plan, ArtifactsAreOnePictureAnItem) {
  Plan plan(kContext, 2, 1);
  const PlaneView map =
      plan.AddArtifact("map", {.width = 10, .height = 3, .bit_depth = kFloatDepth, .pixel_format = PixelFormat::k400});
  EXPECT_EQ(map.row_stride, 16);
  EXPECT_EQ(map.picture_stride, 48);
  EXPECT_EQ(plan.buffers()[0].bytes, 2u * 48 * sizeof(float));
}

TEST(Plan, RefusesWrongLaunches) {
  Plan plan(kContext, 2, 1);
  const TestArgs good = {.from = kContext.Input(Video::kReference).data, .to = plan.Sums(), .width = 1, .height = 1};
  EXPECT_THAT(plan.AddLaunch(kImage, {}, int64_t{1}, "").message(), HasSubstr("takes 24 bytes of arguments"));
  EXPECT_THAT(plan.AddLaunch(kImage, {.y = 0}, good, "").message(), HasSubstr("empty grid: 1x0x1"));
  TestArgs bad = good;
  bad.to = 0;
  EXPECT_THAT(plan.AddLaunch(kImage, {}, bad, "").message(), HasSubstr("argument 2 names no buffer"));
  bad.to = BufferRef{plan.first_own(), 0};  // there is none yet
  EXPECT_FALSE(plan.AddLaunch(kImage, {}, bad, "").ok());
  bad.to = kContext.Input(Video::kReference, 0, 3).data;
  EXPECT_THAT(plan.AddLaunch(kImage, {}, bad, "").message(), HasSubstr("nor a declared input"));
  EXPECT_TRUE(plan.launches().empty());
}

TEST(Plan, PrintsReadableText) {
  Plan plan(kContext, 4, 2, 1);
  const BufferRef table = plan.AddTable("ranges", std::vector<std::byte>(16));
  plan.AddScratch("rows", 1000);
  const TestArgs args = {.from = BufferRef{table.buffer, 8}, .to = plan.Sums(), .width = 5, .height = -1};
  ASSERT_TRUE(plan.AddLaunch(kImage, {2, 3, 4}, args, "mirror 2").ok());
  EXPECT_EQ(plan.Print(),
            "results: 4 items, 2 sums and 1 partial results each\n"
            "table: ranges, 16 bytes\n"
            "scratch: rows, 1000 bytes\n"
            "launch: blur u8_32x8, 2x3x4 workgroups of 32x8 items, border: mirror 2\n"
            "  buffer 1: ranges + 8 bytes\n"
            "  buffer 2: sums\n"
            "  numbers: 5 -1\n");
}

constexpr TuningEntry kTable[] = {
    {"blur", "sm_", "wide"},
    {"blur", "sm_90", "wider"},
    {"blur", "sm_90", "small", WorkloadClass::kSmall},
    {"blur", "", "plain"},
    {"blur", "", "large", WorkloadClass::kLarge},
    {"sum", "", "other", WorkloadClass::kSmall},
};

TEST(Tuning, LongestFamilyWinsThenTheClass) {
  const auto shape = [](WorkloadClass workload, std::string_view family) {
    return FindTuning(kTable, "blur", workload, family)->shape;
  };
  EXPECT_EQ(shape(WorkloadClass::kMedium, "sm_90"), "wider");
  EXPECT_EQ(shape(WorkloadClass::kSmall, "sm_90"), "small");
  EXPECT_EQ(shape(WorkloadClass::kSmall, "sm_86"), "wide");
  EXPECT_EQ(shape(WorkloadClass::kLarge, "gfx1100"), "large");
  EXPECT_EQ(shape(WorkloadClass::kMedium, "gfx1100"), "plain");
  EXPECT_EQ(FindTuning(kTable, "sum", WorkloadClass::kLarge, "sm_90"), nullptr);
}

TEST(Tuning, BatchesShrinkWithThePicture) {
  for (const std::string_view family :
       {"", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "nvidia", "gfx90a", "gfx942", "gfx1030",
        "gfx1100", "gfx1201", "amd", "intel", "llvmpipe"}) {
    const int small = PreferredBatch(WorkloadClass::kSmall, family);
    const int medium = PreferredBatch(WorkloadClass::kMedium, family);
    const int large = PreferredBatch(WorkloadClass::kLarge, family);
    EXPECT_GE(small, medium) << family;
    EXPECT_GE(medium, large) << family;
    EXPECT_GE(large, 2) << family;
  }
  EXPECT_EQ(PreferredBatch(WorkloadClass::kMedium, "sm_90"), 16);
  EXPECT_EQ(PreferredBatch(WorkloadClass::kMedium, "unheard of"), 8);
}

TEST(Tuning, KernelsWithoutSamplesAreNamedByShapeAlone) {
  constexpr TuningEntry kSum[] = {{"sum_partials", "", "256x1"}};
  const auto chosen = ChooseVariant(kSum, "sum_partials", kContext);
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  EXPECT_EQ(*chosen, FindKernelImage("sum_partials", "256x1"));
}

TEST(Tuning, MissingEntriesAndShapesAreErrors) {
  PlanContext context = MakeContext({.width = 16, .height = 16, .bit_depth = 10}, 1, 1);
  context.family = "sm_90";
  VariantChoice floats = context.Choice();
  floats.sample_bytes = sizeof(float);
  EXPECT_THAT(ChooseVariant(kTable, "vague", context).status().message(), HasSubstr("no tuning entry for small"));
  EXPECT_THAT(ChooseVariant(kTable, "blur", context).status().message(), HasSubstr("not built as u16_small"));
  EXPECT_THAT(ChooseVariant(kTable, "blur", floats).status().message(), HasSubstr("not built as f32_small"));
  constexpr TuningEntry kOverride[] = {{"blur", "", "forced"}};
  context.overrides = kOverride;
  EXPECT_THAT(ChooseVariant(kTable, "blur", context).status().message(), HasSubstr("not built as u16_forced"));
}

}  // namespace
}  // namespace acutance
