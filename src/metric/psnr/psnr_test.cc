#include "metric/psnr/psnr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "math/exact_math.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "metric/testing/recorder.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using testing::HasSubstr;

// --- The SIMD implementation against plain loops

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

// --- The metric as the engine sees it: planes, bands, limits and the sums over a clip

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Scores = std::map<std::string, double>;

struct Psnr : TestMetric {
  Psnr(const OptionTexts& texts, const PictureFormat& format) : TestMetric(kPsnrMetric, texts, format) {}

  Scores Values(const Picture& reference, const Picture& distorted) const {
    return Named(TestMetric::Values(reference, distorted));
  }
  Scores Values(const std::vector<int64_t>& sums) const { return Named(Finish(sums).values); }

  Scores Aggregates(const std::vector<std::vector<int64_t>>& frames) const {
    const auto sequence = extractor().MakeSequence();
    ScoreRecorder recorder;
    for (size_t i = 0; i < frames.size(); ++i) {
      ComputedFrame frame = Finish(frames[i]);
      sequence->Push(static_cast<int64_t>(i), {frame.values, frame.kept}, recorder);
    }
    sequence->Flush(recorder);
    EXPECT_EQ(recorder.size(), 0u);
    return recorder.aggregates();
  }
};

TEST(PsnrMetric, KnownAnswers) {
  const Psnr psnr({{"enable_mse", "true"}}, {400, 360, 8});
  EXPECT_EQ(psnr.Values(KnownPicture(8, 0, false), KnownPicture(8, 0, true)), (Scores{{"psnr_y", 44.19726992010097},
                                                                                      {"psnr_cb", 44.24150691578298},
                                                                                      {"psnr_cr", 44.20217379829428},
                                                                                      {"mse_y", 2.473736111111111},
                                                                                      {"mse_cb", 2.4486666666666665},
                                                                                      {"mse_cr", 2.4709444444444446}}));
  EXPECT_EQ(psnr.Values(KnownPicture(8, 1, false), KnownPicture(8, 1, true))["psnr_y"], 44.21064052107309);
  EXPECT_EQ(psnr.Values(KnownPicture(8, 2, false), KnownPicture(8, 2, true))["psnr_y"], 44.084093451713365);
}

TEST(PsnrMetric, KnownAnswersAt10Bit) {
  const Psnr psnr({{"enable_mse", "true"}}, {400, 360, 10});
  EXPECT_EQ(psnr.Values(KnownPicture(10, 0, false), KnownPicture(10, 0, true)),
            (Scores{{"psnr_y", 44.222779159105826},
                    {"psnr_cb", 44.26701615478783},
                    {"psnr_cr", 44.22768303729914},
                    {"mse_y", 39.57977777777778},
                    {"mse_cb", 39.178666666666665},
                    {"mse_cr", 39.535111111111114}}));
  EXPECT_EQ(psnr.Values(KnownPicture(10, 1, false), KnownPicture(10, 1, true))["psnr_y"], 43.928858888870714);
  EXPECT_EQ(psnr.Values(KnownPicture(10, 2, false), KnownPicture(10, 2, true))["psnr_y"], 43.8018509840468);
}

TEST(PsnrMetric, BandsCoverEachRowOfEachPlaneOnce) {
  for (const PixelFormat pixel_format : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    for (const int height : {2, 3, 7, 16, 33}) {
      const PictureFormat format = {11, height, 8, pixel_format};
      const Picture film =
          MakeTestPicture(format, [](int p, int x, int y) { return KnownSample(p, x, y, 0, false, 8); });
      const Picture black = MakeTestPicture(format, [](int, int, int) { return 0; });
      const Psnr psnr({}, format);
      std::vector<int64_t> expected(3);
      for (int p = 0; p < format.PlaneCount(); ++p)
        for (int y = 0; y < format.PlaneHeight(p); ++y)
          for (int x = 0; x < format.PlaneWidth(p); ++x) expected[p] += std::pow(KnownSample(p, x, y, 0, false, 8), 2);
      for (const int rows : {1, 2, 3, 5, 32, 64})
        EXPECT_EQ(psnr.Sums(film, black, BandsOf(rows)), expected)
            << PixelFormatName(pixel_format) << " " << height << " " << rows;
    }
}

TEST(PsnrMetric, LumaAlone) {
  const Picture film = KnownPicture(8, 0, false), distorted = KnownPicture(8, 0, true);
  const Psnr without_chroma({{"enable_chroma", "false"}}, {400, 360, 8});
  EXPECT_EQ(without_chroma.Values(film, distorted), (Scores{{"psnr_y", 44.19726992010097}}));
  EXPECT_EQ(InputsOf(kPsnrMetric, without_chroma.options())[1].planes, kLuma);
  EXPECT_EQ(InputsOf(kPsnrMetric, OptionValues(kPsnrMetric.options))[1].planes, kAllPlanes);
  const Psnr mono({}, {400, 360, 8, PixelFormat::k400});
  EXPECT_EQ(mono.Values(film, distorted), (Scores{{"psnr_y", 44.19726992010097}}));
}

TEST(PsnrMetric, IdenticalPicturesReachTheLimit) {
  const std::vector<int64_t> none(3);
  for (const auto& [depth, limit] : {std::pair{8, 60.0}, {10, 72.0}, {12, 84.0}, {16, 108.0}}) {
    const PictureFormat format = {480, 270, depth};
    EXPECT_EQ(Psnr({}, format).Values(none), (Scores{{"psnr_y", limit}, {"psnr_cb", limit}, {"psnr_cr", limit}}));
  }
  // ceil(10 log10(255^2 / (0.5 / (480 * 270)))) and the same of 240 * 135
  EXPECT_EQ(Psnr({{"min_sse", "0.5"}}, {480, 270, 8}).Values(none),
            (Scores{{"psnr_y", 103}, {"psnr_cb", 97}, {"psnr_cr", 97}}));
}

TEST(PsnrMetric, ReducedPeakCountsAbove8Bit) {
  const OptionTexts reduced = {{"reduced_hbd_peak", "true"}, {"enable_chroma", "false"}};
  const std::vector<int64_t> sums = {10 * 400 * 360, 0, 0};
  const PictureFormat ten_bit = {400, 360, 10};
  EXPECT_EQ(Psnr({{"enable_chroma", "false"}}, ten_bit).Values(sums)["psnr_y"], 10 * Log10(1023.0 * 1023 / 10));
  EXPECT_EQ(Psnr(reduced, ten_bit).Values(sums)["psnr_y"], 10 * Log10(1020.0 * 1020 / 10));
  EXPECT_EQ(Psnr(reduced, {400, 360, 8}).Values(sums)["psnr_y"], 10 * Log10(255.0 * 255 / 10));
}

TEST(PsnrMetric, NoChromaSamplesAreRefused) {
  for (const auto& [width, height] : {std::pair{1, 8}, {8, 1}, {1, 1}}) {
    EXPECT_THAT(RefusalOf(kPsnrMetric, {}, {width, height, 8}), HasSubstr("enable_chroma=false"));
    Psnr({{"enable_chroma", "false"}}, {width, height, 8});
    Psnr({}, {width, height, 8, PixelFormat::k444});
  }
}

TEST(AveragePsnr, IsTakenOverAllFrames) {
  const Psnr psnr({{"enable_apsnr", "true"}}, {400, 360, 8});
  const double luma = 10 * (Log10(65025.0) + Log10(2.0 * 400 * 360) - Log10(3000.0));
  const double chroma = 10 * (Log10(65025.0) + Log10(2.0 * 200 * 180) - Log10(50.0));
  EXPECT_EQ(psnr.Aggregates({{1000, 20, 0}, {2000, 30, 50}}),
            (Scores{{"apsnr_y", luma}, {"apsnr_cb", chroma}, {"apsnr_cr", chroma}}));
}

TEST(AveragePsnr, IdenticalClipsReachTheLimit) {
  const Psnr psnr({{"enable_apsnr", "true"}}, {480, 270, 10});
  const std::vector<std::vector<int64_t>> frames(5, std::vector<int64_t>(3));
  EXPECT_EQ(psnr.Aggregates(frames), (Scores{{"apsnr_y", 122}, {"apsnr_cb", 116}, {"apsnr_cr", 116}}));
}

TEST(AveragePsnr, PlanesLeftOutAreMinusInfinity) {
  const OptionTexts luma_alone = {{"enable_apsnr", "true"}, {"enable_chroma", "false"}};
  const double luma = 10 * (Log10(65025.0) + Log10(1.0 * 400 * 360) - Log10(1000.0));
  const Scores expected = {{"apsnr_y", luma}, {"apsnr_cb", -kInfinity}, {"apsnr_cr", -kInfinity}};
  EXPECT_EQ(Psnr(luma_alone, {400, 360, 8}).Aggregates({{1000, 0, 0}}), expected);
  EXPECT_EQ(Psnr({{"enable_apsnr", "true"}}, {400, 360, 8, PixelFormat::k400}).Aggregates({{1000, 0, 0}}), expected);
}

TEST(AveragePsnr, IsThereOnlyOnRequest) { EXPECT_EQ(Psnr({}, {64, 64, 8}).extractor().MakeSequence(), nullptr); }

// --- The plan

Result<Plan> MakePlan(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShape[] = {{"psnr_sse", "", "64x4r4"}};
  return MakeTestPlan(kPsnrMetric, texts, format, frames, videos, kShape);
}

TEST(PsnrPlan, HasALaunchForEachPlane) {
  const auto plan = MakePlan({}, {301, 101, 8, PixelFormat::k420}, 1, 2);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  // A 32-bit load has 4 samples, a workgroup 64 x 16 loads: 76 x 101 loads of luma, 38 x 50 of chroma; 14 + 4 + 4
  // partials.
  EXPECT_THAT(plan->Print(), HasSubstr("launch: psnr_sse u8_64x4r4, 2x7x2 workgroups of 64x4 items, border: none\n"
                                       "  buffer 1: reference y\n"
                                       "  buffer 2: distorted y\n"
                                       "  buffer 3: partial sums\n"
                                       "  numbers: 8080 0 80 301 101 2147483647 22 0"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: psnr_sse u8_64x4r4, 1x4x2 workgroups of 64x4 items, border: none\n"
                                       "  buffer 1: reference cr\n"
                                       "  buffer 2: distorted cr\n"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: sum_partials 256x1, 3x1x2 workgroups"));
  for (int input = 0; input < 6; ++input) EXPECT_TRUE(plan->ReadsInput(input)) << input;
}

TEST(PsnrPlan, LeavesChromaOut) {
  for (const auto& [texts, pixel_format] :
       {std::pair{OptionTexts{{"enable_chroma", "false"}}, PixelFormat::k444}, {OptionTexts{}, PixelFormat::k400}}) {
    const auto plan = MakePlan(texts, {301, 101, 8, pixel_format}, 1, 1);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan->first_own(), Plan::kFirstInput + 2) << "luma of both videos";
    EXPECT_EQ(plan->launches().size(), 2u);
    EXPECT_EQ(plan->sum_count(), 3);
  }
}

}  // namespace
}  // namespace acutance
