#include "metric/motion/motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "metric/joined_options.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using testing::HasSubstr;

int64_t Sad(const Plane& a, const Plane& b, int bit_depth, RowBand band) {
  static const auto rows = std::make_unique<MotionRows>();  // reused, dirty, as the engine does
  return MotionSad(a, b, bit_depth, band, *rows);
}

int64_t Sad(const TestPlane& a, const TestPlane& b, int bit_depth, RowBand band) {
  return Sad(a.plane(), b.plane(), bit_depth, band);
}

void ExpectEqualToRef(const TestPlane& a, const TestPlane& b, int bit_depth) {
  const RowBand all = {0, a.plane().height};
  const int64_t forward = MotionSadRef(a.plane(), b.plane(), bit_depth, all);
  const int64_t backward = MotionSadRef(b.plane(), a.plane(), bit_depth, all);
  ForEachTarget([&] {
    EXPECT_EQ(Sad(a, b, bit_depth, all), forward) << a.plane().width << "x" << a.plane().height << " " << bit_depth;
    EXPECT_EQ(Sad(b, a, bit_depth, all), backward) << a.plane().width << "x" << a.plane().height << " " << bit_depth;
  });
}

constexpr int kDepths[] = {8, 10, 12, 16};

TEST(MotionSad, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{3, 3},    {3, 4},    {4, 3},    {5, 7},    {8, 8},    {15, 5},
                                       {16, 6},   {17, 9},   {31, 5},   {32, 11},  {33, 12},  {34, 13},
                                       {63, 4},   {65, 10},  {127, 7},  {431, 9},  {3, 40},   {1023, 5},
                                       {1024, 6}, {1025, 5}, {1026, 4}, {1056, 3}, {2049, 4}, {3841, 5}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      ExpectEqualToRef(TestPlane(width, height, depth, noise), TestPlane(width, height, depth, noise), depth);
    }
}

// Rows are stored whole where every y fits int16, and split where one does not: here both, side by side.
TEST(MotionSad, SmallDifferencesWithAndWithoutSparks) {
  std::mt19937 random(4);
  for (const int depth : kDepths) {
    const int quarter = 1 << (depth - 2);
    const auto soft = [&](int, int) { return static_cast<int>(random() % quarter) + quarter; };
    for (const int width : {7, 40, 431, 1100}) {
      const TestPlane a(width, 30, depth, soft), b(width, 30, depth, soft);
      const TestPlane sparks(width, 30, depth, [&](int x, int y) {
        const bool bright = y / 3 % 3 == 1 && x * 5 / width == 3;
        return bright ? (1 << depth) - 1 : soft(x, y);
      });
      ExpectEqualToRef(a, b, depth);
      ExpectEqualToRef(a, sparks, depth);
    }
  }
}

TEST(MotionSad, ConstantDifferencesAtTheLimitsOfInt16) {
  for (const int depth : kDepths) {
    const int half = 1 << (depth - 1);
    for (const int difference : {half - 2, half - 1, half, half + 1}) {
      const TestPlane bright(70, 8, depth, [&](int, int) { return difference; });
      const TestPlane black(70, 8, depth, [](int, int) { return 0; });
      const int64_t sad = (int64_t{difference} << (16 - depth)) * 70 * 8;
      ForEachTarget([&] {
        EXPECT_EQ(Sad(bright, black, depth, {0, 8}), sad) << difference;
        EXPECT_EQ(Sad(black, bright, depth, {0, 8}), sad) << -difference;
      });
    }
  }
}

TEST(MotionSad, ExtremePatterns) {
  using Pattern = bool (*)(int, int);
  const Pattern patterns[] = {
      [](int, int) { return true; },
      [](int x, int y) { return (x + y) % 2 == 0; },
      [](int x, int) { return x % 2 == 0; },
      [](int, int y) { return y % 2 == 0; },
      [](int x, int y) { return x / 3 % 2 == y / 3 % 2; },
      [](int x, int y) { return (x * 7 + y * 13) % 11 < 5; },
  };
  for (const int depth : kDepths) {
    const int max = (1 << depth) - 1;
    for (const Pattern pattern : patterns) {
      const TestPlane a(67, 21, depth, [&](int x, int y) { return pattern(x, y) ? max : 0; });
      const TestPlane b(67, 21, depth, [&](int x, int y) { return pattern(x, y) ? 0 : max; });
      const TestPlane black(67, 21, depth, [](int, int) { return 0; });
      const TestPlane near(67, 21, depth, [&](int x, int y) { return pattern(x, y) ? max - 1 : 1; });
      ExpectEqualToRef(a, b, depth);
      ExpectEqualToRef(a, black, depth);
      ExpectEqualToRef(a, near, depth);
    }
  }
}

TEST(MotionSad, FullRangeDifferenceIsTheLargestValue) {
  for (const int depth : kDepths) {
    const int max = (1 << depth) - 1;
    const TestPlane white(40, 10, depth, [&](int, int) { return max; });
    const TestPlane black(40, 10, depth, [](int, int) { return 0; });
    // y = max * 65536 >> depth, the horizontal filter keeps a constant
    const int64_t largest = ((int64_t{max} << 16) + (1 << (depth - 1))) >> depth;
    ForEachTarget([&] { EXPECT_EQ(Sad(white, black, depth, {0, 10}), largest * 400); });
  }
}

TEST(MotionSad, BandsAddUp) {
  std::mt19937 random(2);
  for (const int depth : kDepths) {
    const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
    const TestPlane a(75, 23, depth, noise), b(75, 23, depth, noise);
    const int64_t whole = MotionSadRef(a.plane(), b.plane(), depth, {0, 23});
    ForEachTarget([&] {
      for (const int step : {1, 2, 3, 5, 8, 22}) {
        int64_t sum = 0;
        for (int y = 0; y < 23; y += step) sum += Sad(a, b, depth, {y, std::min(y + step, 23)});
        EXPECT_EQ(sum, whole) << "bands of " << step << " rows";
      }
    });
  }
}

TEST(MotionSad, KnownAnswers) {
  const int64_t forward[] = {4944739, 4941022, 5005315}, backward[] = {4944733, 4941017, 5005310};
  for (const int depth : {8, 10})
    for (int k = 0; k < 3; ++k) {
      const PictureFormat format = {64, 48, depth, PixelFormat::k400};
      const Picture first = FilmPicture(format, k), second = FilmPicture(format, k + 1);
      const Plane &a = first.planes[0], &b = second.planes[0];
      EXPECT_EQ(MotionSadRef(a, b, depth, {0, 48}), forward[k]);
      ForEachTarget([&] {
        EXPECT_EQ(Sad(a, b, depth, {0, 48}), forward[k]);
        EXPECT_EQ(Sad(b, a, depth, {0, 48}), backward[k]);
      });
    }
}

// ---- the metric as the engine sees it

constexpr PictureFormat kFilm = {.width = 64, .height = 48, .pixel_format = PixelFormat::k400};

/// The value of the second frame, with this sum.
double SadValue(const OptionTexts& texts, int64_t sum) {
  const std::vector<double> values = TestMetric(kMotionMetric, texts, kFilm).Finish({sum}, 1).values;
  EXPECT_TRUE(std::isnan(values[2]) && std::isnan(values[3]));  // the sequence writes these
  return values[0];
}

TEST(MotionMetric, FinishScalesAndClips) {
  EXPECT_EQ(SadValue({}, 4944739), 6.2875607808430987);
  EXPECT_EQ(SadValue({{"motion_fps_weight", "0.5"}}, 4944739), 6.2875607808430987 * 0.5);
  EXPECT_EQ(SadValue({{"mmxv", "6.25"}}, 4944739), 6.25);
  EXPECT_EQ(SadValue({}, 0), 0.0);
}

TEST(MotionMetric, DebugRepeatsTheValue) {
  const TestMetric motion(kMotionMetric, {{"debug", "true"}}, kFilm);
  const std::vector<double> values = motion.Finish({4944739}, 1).values;
  EXPECT_EQ(values[0], 6.2875607808430987);
  EXPECT_EQ(values[1], 6.2875607808430987);
}

TEST(MotionMetric, ReadsEarlierMinusCurrent) {
  const TestMetric motion(kMotionMetric, {}, kFilm);
  const std::vector<Picture> film = {FilmPicture(kFilm, 0), FilmPicture(kFilm, 1)};
  EXPECT_EQ(motion.Run(film, {}, BandsOf(17)).sums, std::vector<int64_t>{4944739});
  EXPECT_EQ(motion.Run({film[0]}, {}).sums, std::vector<int64_t>{0}) << "the first frame has none before it";
}

TEST(MotionMetric, FramesWithoutAPredecessorAreZero) {
  const std::vector<Picture> film = {FilmPicture(kFilm, 0), FilmPicture(kFilm, 1)};
  for (const bool five : {false, true}) {
    const TestMetric motion(kMotionMetric, {{"motion_five_frame_window", five ? "true" : "false"}}, kFilm);
    EXPECT_EQ(motion.Run({film[0]}, {}).values[0], 0.0);
    EXPECT_EQ(motion.Run(film, {}).values[0], five ? 0.0 : 6.2875607808430987);
    EXPECT_EQ(motion.Finish({0x7777}).values[0], 0.0) << "what a device makes of a picture that is not there";
  }
}

TEST(MotionMetric, LooksBackAndReadsNothingWhenForced) {
  const auto history = [](const OptionTexts& texts) {
    const TestMetric motion(kMotionMetric, texts, kFilm);
    int most = 0;
    for (const InputSpec& input : InputsOf(kMotionMetric, motion.options())) most = std::max(most, input.history);
    return most;
  };
  EXPECT_EQ(history({}), 1);
  EXPECT_EQ(history({{"motion_five_frame_window", "true"}}), 2);
  EXPECT_EQ(history({{"motion_force_zero", "true"}}), 0);
  EXPECT_TRUE(TestMetric(kMotionMetric, {{"motion_force_zero", "true"}}, kFilm).extractor().spec().stages.empty());
}

TEST(MotionMetric, JoinsThoseOfTheSameLag) {
  const PictureFormat format{8, 8, 8, PixelFormat::k400};
  const auto joins = [&](const OptionTexts& first, const OptionTexts& other) {
    const TestMetric a(kMotionMetric, first, format), b(kMotionMetric, other, format);
    return dynamic_cast<const JoinedOptions&>(a.extractor()).CanJoin(b.extractor());
  };
  const OptionTexts limited = {{"motion_max_val", "18"}}, wide = {{"mffw", "true"}}, forced = {{"force_0", "true"}};
  EXPECT_TRUE(joins({}, limited));
  EXPECT_FALSE(joins({}, wide));
  EXPECT_FALSE(joins(forced, {}));
  EXPECT_FALSE(joins({}, forced));
}

TEST(MotionMetric, TooSmallPicturesAreRefused) {
  for (const auto& [width, height] : {std::pair{2, 48}, {64, 2}, {1, 1}})
    EXPECT_THAT(RefusalOf(kMotionMetric, {}, {.width = width, .height = height}), HasSubstr("3x3"));
  EXPECT_EQ(RefusalOf(kMotionMetric, {}, {.width = 3, .height = 3}), "");
}

TEST(MotionMetric, KeysCarryOptions) {
  const auto options = *OptionValues::Parse(kMotionMetric.options, {{"motion_five_frame_window", "true"},
                                                                    {"motion_max_val", "18"},
                                                                    {"motion_moving_average", "true"},
                                                                    {"debug", "true"}});
  EXPECT_EQ(MakeOutputKey(kMotionMetric.outputs[3], options).shown, "integer_motion3_mffw_mmxv_18_mma");
  EXPECT_EQ(MakeOutputKey(kMotionMetric.outputs[0], options).shown,
            "VMAF_integer_feature_motion_sad_score_mffw_mmxv_18_mma");
}

// --- The plan

Result<Plan> MakePlan(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShape[] = {{"motion_sad", "", "64x4r8"}};
  return MakeTestPlan(kMotionMetric, texts, format, frames, videos, kShape);
}

TEST(MotionPlan, CoversThePictureAndLooksBack) {
  const auto plan = MakePlan({}, {1920, 1080, 10}, 3, 2);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  // 60 columns and 32 rows a workgroup; rows of 1920 samples, pictures of 1920 * 1080 * 2 bytes, one before the batch.
  EXPECT_EQ(plan->Print(),
            "results: 3 items, 1 sums and 0 partial results each\n"
            "scratch: partial sums, 26112 bytes\n"
            "table: ranges of the partial sums, 8 bytes\n"
            "launch: motion_sad u16_64x4r8, 32x34x3 workgroups of 64x4 items, border: mirror 2\n"
            "  buffer 1: reference y\n"
            "  buffer 2: reference y + 4147200 bytes\n"
            "  buffer 3: partial sums\n"
            "  numbers: 2073600 0 1920 1920 1080 -1 10 1088 0 0\n"
            "launch: sum_partials 256x1, 1x1x3 workgroups of 256x1 items, border: none\n"
            "  buffer 1: partial sums\n"
            "  buffer 2: ranges of the partial sums\n"
            "  buffer 3: sums\n"
            "  numbers: 1088 1\n");
}

TEST(MotionPlan, FiveFrameWindowLooksBackTwice) {
  const auto plan = MakePlan({{"motion_five_frame_window", "true"}}, {1920, 1080, 8}, 1, 1);
  EXPECT_THAT(plan->Print(), HasSubstr("buffer 1: reference y\n  buffer 2: reference y + 4147200 bytes\n"));
}

TEST(MotionPlan, ForcedZeroReadsNothing) {
  const auto plan = MakePlan({{"motion_force_zero", "true"}}, {1920, 1080, 8}, 1, 1);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->launches().size(), 1u);
}

}  // namespace
}  // namespace acutance
