#include "metric/adm/adm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "metric/adm/adm_math.h"
#include "metric/adm/adm_scale.h"
#include "metric/joined_options.h"
#include "metric/offline_frames.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "metric/testing/together.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

enum class Content { kNatural, kNoise, kBlackWhite, kFlat, kGradient, kIdentical, kLines, kCheckers };

constexpr Content kAllContents[] = {Content::kNatural,  Content::kNoise,     Content::kBlackWhite, Content::kFlat,
                                    Content::kGradient, Content::kIdentical, Content::kLines,      Content::kCheckers};

using Sampler = std::function<int(int x, int y)>;

Picture MakePicture(const PictureFormat& format, const Sampler& sample) {
  return MakeTestPicture(format, [&](int, int x, int y) { return sample(x, y); });
}

PicturePair MakePair(const PictureFormat& format, Content content, unsigned seed) {
  std::mt19937 random(seed);
  const int peak = (1 << format.bit_depth) - 1;
  const auto any = [&](int limit) { return static_cast<int>(random() % (limit + 1u)); };
  const auto scaled = [&](int value) { return value * peak / 255; };
  const auto reference = [&](int x, int y) -> int {
    switch (content) {
      case Content::kNoise:
        return any(peak);
      case Content::kBlackWhite:
        return any(1) * peak;
      case Content::kFlat:
        return peak / 3;
      case Content::kGradient:
        return (x * 5 + y * 3) % (peak + 1);
      case Content::kLines:
        return x % 7 == 3 || y % 9 == 4 ? peak : 0;
      case Content::kCheckers: {  // squares of 1 to 8 samples whose contrast grows to the right, to all there is
        const int size = 1 << (y / 16 % 4), contrast = std::min(x * 2, 127);
        return scaled(127 + ((x / size + y / size) % 2 ? contrast + 1 : -contrast));
      }
      default:
        return scaled(FilmSample(x, y, 1));
    }
  };
  const Picture ref = MakePicture(format, reference);
  const auto distorted = [&](int x, int y) -> int {
    const int value = SampleAt(ref.planes[0], format.bit_depth, x, y);
    switch (content) {
      case Content::kNoise:
        return any(peak);
      case Content::kBlackWhite:
        return any(3) == 0 ? any(1) * peak : value;
      case Content::kFlat:
        return value + any(2);
      case Content::kIdentical:
        return value;
      case Content::kLines:
        return value * 3 / 4;
      case Content::kCheckers:  // equal, weaker, stronger
        return std::clamp(peak / 2 + (value - peak / 2) * (7 + (x / 24 + 1) % 3) / 8, 0, peak);
      default:
        return std::clamp(value + value / 16 + any(peak / 16) - peak / 32, 0, peak);
    }
  };
  return {ref, MakePicture(format, distorted)};
}

struct Size {
  int width, height;
};

/// The set-up that the metric makes of the same options, for the reference implementation.
AdmSetup MakeSetup(const OptionTexts& texts, const PictureFormat& format) {
  return AdmSetup(ReadAdmSettings(OptionValues::Parse(kAdmMetric.options, texts).value()).value(), format);
}

void ExpectEqualToPlainLoops(const OptionTexts& texts, const PictureFormat& format, const PicturePair& pair,
                             const Split& split = OneBand) {
  const TestMetric adm(kAdmMetric, texts, format);
  std::array<int64_t, kAdmSumCount> want{};
  AddAdmReferenceSums(MakeSetup(texts, format), pair.reference, pair.distorted, nullptr, want);
  EXPECT_THAT(adm.Sums(pair.reference, pair.distorted, split), ElementsAreArray(want))
      << format.width << "x" << format.height << " " << format.bit_depth << " bit";
}

/// Runs a test once for every instruction set of the machine.
class AdmTargetTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { UseTarget(GetParam()); }
  void TearDown() override { UseTarget(0); }
};

INSTANTIATE_TEST_SUITE_P(Targets, AdmTargetTest, ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& test) { return std::string(hwy::TargetName(test.param)); });

TEST_P(AdmTargetTest, EqualsPlainLoopsAtEverySizeAndDepth) {
  unsigned seed = 0;
  for (const Size size : {Size{33, 33}, {34, 37}, {35, 64}, {65, 33}, {97, 41}, {130, 71}, {272, 144}, {483, 35}}) {
    for (const int depth : {8, 10, 12, 16}) {
      const PictureFormat format{size.width, size.height, depth, PixelFormat::k400};
      for (const Content content : {Content::kNatural, Content::kNoise})
        ExpectEqualToPlainLoops({}, format, MakePair(format, content, ++seed));
    }
  }
}

TEST_P(AdmTargetTest, EqualsPlainLoopsOnEveryContent) {
  unsigned seed = 100;
  for (const Content content : kAllContents) {
    for (const int depth : {8, 10, 12, 16}) {
      const PictureFormat format{219, 87, depth, PixelFormat::k400};
      const PicturePair pair = MakePair(format, content, ++seed);
      ExpectEqualToPlainLoops({}, format, pair);
      ExpectEqualToPlainLoops({{"adm_enhn_gain_limit", "1"}}, format, pair);
      ExpectEqualToPlainLoops({{"adm_enhn_gain_limit", "1.5"}, {"csf", "3"}}, format, pair);  // an even factor
    }
  }
}

TEST_P(AdmTargetTest, VideosOfOneReferenceTogether) {
  const OptionTexts cases[] = {{}, {{"egl", "1"}}, {{"egl", "1.2"}}, {{"adm_skip_aim", "true"}}};
  for (const Size size : {Size{33, 33}, {97, 41}, {483, 35}})
    for (const int depth : {8, 10, 16}) {
      const PictureFormat format{size.width, size.height, depth, PixelFormat::k400};
      const Picture reference = MakePair(format, Content::kNatural, 300).reference;
      std::vector<Picture> distorted = {reference};
      for (const unsigned seed : {300, 301, 302})
        for (const Content content : {Content::kNatural, Content::kNoise})
          distorted.push_back(MakePair(format, content, seed).distorted);
      for (const OptionTexts& texts : cases)
        for (const int rows : {3, size.height}) ExpectTogetherAsAlone(kAdmMetric, texts, reference, distorted, rows);
    }
}

TEST_P(AdmTargetTest, SetsOfOptionsTogether) {
  const OptionTexts cases[] = {{{"csf", "2"}, {"egl", "1"}},
                               {},
                               {{"egl", "1.2"}, {"adm_skip_aim", "true"}},
                               {{"csf", "1"}, {"scf", "50"}, {"scfd", "50"}, {"egl", "7"}}};
  for (const Size size : {Size{33, 33}, {97, 41}, {483, 35}})
    for (const int depth : {8, 10, 16}) {
      const PictureFormat format{size.width, size.height, depth, PixelFormat::k400};
      for (const Content content : {Content::kNatural, Content::kNoise, Content::kBlackWhite}) {
        const PicturePair pair = MakePair(format, content, 350), other = MakePair(format, content, 351);
        for (const int rows : {3, size.height})
          ExpectJoinedAsAlone(kAdmMetric, cases, pair.reference, std::vector{pair.distorted, other.distorted}, rows);
      }
    }
}

TEST(AdmMetric, JoinsThoseThatScoreTheSameScales) {
  const PictureFormat format{64, 48, 8, PixelFormat::k400};
  const TestMetric plain(kAdmMetric, {}, format), other(kAdmMetric, {{"csf", "2"}, {"egl", "1"}}, format),
      skips(kAdmMetric, {{"adm_skip_scale0", "true"}}, format);
  const auto& joins = dynamic_cast<const JoinedOptions&>(plain.extractor());
  EXPECT_TRUE(joins.CanJoin(other.extractor()));
  EXPECT_FALSE(joins.CanJoin(skips.extractor()));
}

TEST_P(AdmTargetTest, EqualsPlainLoopsWithEveryOption) {
  const OptionTexts cases[] = {
      {{"egl", "1.2"}},
      {{"egl", "1.000001"}},
      {{"egl", "7"}},
      {{"csf", "1"}},
      {{"csf", "1"}, {"scf", "0.02"}, {"scfd", "0.01"}},
      {{"csf", "1"}, {"scf", "50"}, {"scfd", "50"}, {"egl", "1"}},
      {{"csf", "2"}},
      {{"csf", "3"}, {"rdh", "720"}, {"nvd", "5"}},
      {{"nvd", "24"}, {"rdh", "4320"}},
      {{"adm_skip_aim", "true"}},
      {{"adm_skip_scale0", "true"}},
  };
  unsigned seed = 200;
  for (const OptionTexts& texts : cases) {
    for (const Content content :
         {Content::kNatural, Content::kNoise, Content::kBlackWhite, Content::kLines, Content::kCheckers}) {
      const PictureFormat format{101, 67, 10, PixelFormat::k400};
      ExpectEqualToPlainLoops(texts, format, MakePair(format, content, ++seed), BandsOf(11));
    }
  }
}

TEST_P(AdmTargetTest, BlocksEqualPlainLoops) {
  const OptionTexts cases[] = {{}, {{"adm_csf_mode", "2"}, {"egl", "1.2"}}, {{"adm_skip_scale0", "true"}}};
  for (const Size size : {Size{33, 33}, {97, 41}, {483, 135}})
    for (const int depth : {8, 10})
      for (const OptionTexts& texts : cases)
        for (const int block : {32, 64}) {
          const PictureFormat format{size.width, size.height, depth, PixelFormat::k400};
          const PicturePair pair = MakePair(format, Content::kNatural, 400);
          const BlockGrid grid(format, block);
          std::vector<int64_t> want(size_t{kAdmSumCount} * grid.count()), got(want.size());
          AddAdmReferenceSums(MakeSetup(texts, format), pair.reference, pair.distorted, &grid, want);
          const OptionValues options = OptionValues::Parse(kAdmMetric.options, texts).value();
          const auto extractor = MakeExtractor(kAdmMetric, options, format).value();
          const OfflineFrames clip(kAdmMetric, options, {&pair.reference, 1}, {&pair.distorted, 1});
          dynamic_cast<const BlockSums&>(*extractor).AddBlocks(clip.at(0), grid, got);
          EXPECT_EQ(got, want) << size.width << "x" << size.height << " " << depth << " bit, blocks of " << block;
        }
}

TEST_P(AdmTargetTest, BandSplitChangesNothing) {
  for (const Size size : {Size{33, 33}, {77, 90}}) {
    const PictureFormat format{size.width, size.height, 8, PixelFormat::k400};
    const PicturePair pair = MakePair(format, Content::kNatural, 7);
    for (const int band_rows : {1, 2, 3, 5, 16, 44}) ExpectEqualToPlainLoops({}, format, pair, BandsOf(band_rows));
  }
}

TEST(AdmMath, SmallMagnitudesRestoreToTheirMinimum) {
  // The SIMD implementation uses min(|o|, |t|) for ratio and product up to here; it first fails
  // at 16554.
  for (int o = 1; o <= 16384; o += o < 1000 ? 1 : 7) {
    for (int t = 1; t <= o + 1; t += o < 1000 ? 1 : 3) {
      ASSERT_EQ(adm::Restore(adm::Ratio0(o, t), o, t, false, 1), std::min(o, t));
      ASSERT_EQ(adm::Restore(adm::Ratio0(-o, -t), -o, -t, false, 1), -std::min(o, t));
      ASSERT_EQ(adm::Restore(adm::Ratio(-o, -t), -o, -t, false, 1), -std::min(o, t));
    }
  }
  bool exception = false;
  for (int t = 1; t <= 16554; ++t) exception |= adm::Restore(adm::Ratio0(16554, t), 16554, t, false, 1) != t;
  EXPECT_TRUE(exception);
}

TEST(AdmMath, OppositeSignsRestoreNothing) {
  for (const int o : {-22929, -17000, -5, 3, 16554, 22929})
    for (const int t : {1, 2, 100, 16553, 22929}) EXPECT_EQ(adm::Ratio0(o, o > 0 ? -t : t), 0);
}

TEST(AdmCsf, HasTheDefaultViewingDistance) {
  const AdmCsf csf = MakeAdmCsf({}).value();
  const float hv[] = {0.0173815377f, 0.0319848284f, 0.0433726609f, 0.0456734113f};
  const float d[] = {0.005890687f, 0.0142990677f, 0.0243969075f, 0.0313127376f};
  const uint32_t fixed_hv[] = {36453, 137373792, 186284160, 196165808};
  const uint32_t fixed_d[] = {49417, 61414028, 104783920, 134487184};
  for (int scale = 0; scale < kAdmScales; ++scale) {
    EXPECT_EQ(csf.factor[scale][0], hv[scale]);
    EXPECT_EQ(csf.factor[scale][1], hv[scale]);
    EXPECT_EQ(csf.factor[scale][2], d[scale]);
    EXPECT_EQ(csf.fixed[scale][0], fixed_hv[scale]);
    EXPECT_EQ(csf.fixed[scale][2], fixed_d[scale]);
  }
}

TEST(AdmCsf, FixedFactorsOfTheDefaultDistanceAreTheOldOnes) {
  EXPECT_EQ(MakeAdmCsf({.view_distance = 1.5, .display_height = 2160}).value().fixed[0][0], 36453u);
  EXPECT_EQ(MakeAdmCsf({.mode = AdmCsfMode::kBlend}).value().fixed[0][0], 24809u);  // 0.01183 * 2^21
}

TEST(AdmCsf, BartenIsScaled) {
  const AdmCsf one = MakeAdmCsf({.mode = AdmCsfMode::kBarten}).value();
  EXPECT_NEAR(one.factor[0][0], 1.2, 0.05);
  EXPECT_NEAR(one.factor[3][0], 27, 0.5);
  const AdmCsf half = MakeAdmCsf({.mode = AdmCsfMode::kBarten, .scale = 0.5, .diagonal_scale = 0.25}).value();
  EXPECT_EQ(half.factor[2][1], one.factor[2][1] / 2);
  EXPECT_EQ(half.factor[2][2], one.factor[2][2] / 4);
}

std::string MakeError(const OptionTexts& texts, int width, int height) {
  return RefusalOf(kAdmMetric, texts, {width, height, 8, PixelFormat::k400});
}

TEST(AdmMetric, RefusesWhatItCannotScore) {
  EXPECT_THAT(MakeError({}, 32, 480), HasSubstr("32x480"));
  EXPECT_THAT(MakeError({}, 480, 32), HasSubstr("at least 33"));
  EXPECT_EQ(MakeError({}, 33, 33), "");
  EXPECT_THAT(MakeError({{"adm_norm_view_dist", "2"}}, 64, 64), HasSubstr("3240"));
  EXPECT_THAT(MakeError({{"adm_ref_display_height", "720"}}, 64, 64), HasSubstr("3240"));
  EXPECT_THAT(MakeError({{"csf", "2"}, {"nvd", "4"}}, 64, 64), HasSubstr("adm_norm_view_dist 4"));
  EXPECT_NE(MakeError({{"csf", "4"}}, 64, 64), "");
}

TEST(AdmMetric, KeysAreThoseOfLibvmaf) {
  const auto options = OptionValues::Parse(kAdmMetric.options, {{"scfd", "0.01"}, {"csf", "1"}, {"scf", "0.02"}});
  EXPECT_EQ(MakeOutputKey(kAdmMetric.outputs[0], *options).shown, "integer_adm2_scfd_0.01_csf_1_scf_0.02");
  const auto skipped = OptionValues::Parse(kAdmMetric.options, {{"adm_skip_aim", "true"}});
  EXPECT_EQ(MakeOutputKey(kAdmMetric.outputs[1], *skipped).stored, "VMAF_integer_feature_aim_score");
}

std::vector<double> Score(const OptionTexts& texts, const PictureFormat& format, const PicturePair& pair) {
  return TestMetric(kAdmMetric, texts, format).Run({pair.reference}, {pair.distorted}, BandsOf(9)).values;
}

PicturePair KnownPair(int depth) {
  const PictureFormat format{64, 48, depth, PixelFormat::k400};
  return {FilmPicture(format, 0), FilmPicture(format, 0, true)};
}

TEST(AdmMetric, GivesTheKnownAnswers) {
  const std::vector<double> at8 = Score({{"debug", "true"}}, {64, 48, 8, PixelFormat::k400}, KnownPair(8));
  EXPECT_EQ(at8[0], 0.89186489850189721);
  EXPECT_EQ(at8[1], 0.038740526345826087);
  EXPECT_EQ(at8[2], 0.92656218607803553);
  const double num8[] = {19.881923675537109, 18.108345031738281, 18.648324966430664, 21.740049362182617};
  const double den8[] = {21.620563507080078, 20.045488357543945, 21.267179489135742, 24.948513031005859};
  const std::vector<double> at10 = Score({{"debug", "true"}}, {64, 48, 10, PixelFormat::k400}, KnownPair(10));
  EXPECT_EQ(at10[0], 0.89142472100811276);
  EXPECT_EQ(at10[1], 0.038854427143441096);
  EXPECT_EQ(at10[2], 0.92628514693233588);
  const double num10[] = {19.872457504272461, 18.095699310302734, 18.647390365600586, 21.740427017211914};
  const double den10[] = {21.615934371948242, 20.066501617431641, 21.268426895141602, 24.948846817016602};
  for (int scale = 0; scale < kAdmScales; ++scale) {
    EXPECT_EQ(at8[3 + scale], num8[scale] / den8[scale]);
    EXPECT_EQ(at8[10 + 2 * scale], num8[scale]);
    EXPECT_EQ(at8[11 + 2 * scale], den8[scale]);
    EXPECT_EQ(at10[10 + 2 * scale], num10[scale]);
    EXPECT_EQ(at10[11 + 2 * scale], den10[scale]);
  }
}

TEST(AdmMetric, OptionsActOnTheScores) {
  const PictureFormat format{64, 48, 8, PixelFormat::k400};
  const std::vector<double> plain = Score({}, format, KnownPair(8));
  const std::vector<double> no_aim = Score({{"adm_skip_aim", "true"}}, format, KnownPair(8));
  EXPECT_EQ(no_aim[0], plain[0]);
  EXPECT_EQ(no_aim[1], 0);
  EXPECT_EQ(no_aim[2], plain[0] * 0.5 + 0.5);
  EXPECT_EQ(Score({{"dlmw", "1"}}, format, KnownPair(8))[2], plain[0]);
  EXPECT_EQ(Score({{"min", "0.97"}}, format, KnownPair(8))[2], 0.97);
  const std::vector<double> skipped = Score({{"ssz", "true"}, {"debug", "true"}}, format, KnownPair(8));
  EXPECT_EQ(skipped[3], 0);
  EXPECT_EQ(skipped[11], static_cast<double>(1e-10f));
  EXPECT_EQ(skipped[4], plain[4]);
}

TEST(AdmMetric, NothingToLoseIsAPerfectScore) {
  const PictureFormat format{64, 64, 8, PixelFormat::k400};
  const auto flat = [](int, int) { return 90; };
  const PicturePair pair{MakePicture(format, flat), MakePicture(format, flat)};
  const std::vector<double> scores = Score({{"nw", "0"}}, format, pair);
  EXPECT_EQ(scores[0], 1);
  EXPECT_EQ(scores[1], 0);
  EXPECT_EQ(scores[2], 1);
  EXPECT_TRUE(std::isnan(scores[3]));  // 0 / 0, as libvmaf's
  EXPECT_EQ(Score({}, format, pair)[0], 1);
}

// --- The plan

Result<Plan> MakePlan(const OptionTexts& texts, const PictureFormat& format, int frames, int videos) {
  constexpr TuningEntry kShapes[] = {
      {"adm_scale0", "", "16x16r4"}, {"adm_scale0", "", "16x16r4"}, {"adm_scale1", "", "16x16r4"},
      {"adm_scale1", "", "16x16r4"}, {"adm_scale2", "", "16x16r4"}, {"adm_scale2", "", "16x16r4"},
      {"adm_scale3", "", "16x16r4"}, {"adm_scale3", "", "16x16r4"},
  };
  return MakeTestPlan(kAdmMetric, texts, format, frames, videos, kShapes);
}

TEST(AdmPlan, HasALaunchForEachScale) {
  const auto plan = MakePlan({}, {1920, 1080, 10}, 1, 3);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_TRUE(plan->ReadsInput(0) && plan->ReadsInput(1));
  // Tiles of 60x14 in bands of 960x540, 480x270, 240x135 and 120x68; scored: 770x434, 386x218, 194x109, 98x56 in 14, 8,
  // 4 and 2 columns of tiles; nine sums of eight bytes for each of their rows.
  EXPECT_THAT(plan->Print(), HasSubstr("results: 3 items, 36 sums and 0 partial results each\n"
                                       "scratch: row sums, 1807488 bytes\n"
                                       "scratch: band a of scale 0, 6220800 bytes\n"
                                       "scratch: band a of scale 1, 3110400 bytes\n"
                                       "scratch: band a of scale 2, 829440 bytes\n"
                                       "table: rows of the sums, 576 bytes\n"
                                       "launch: adm_scale0 u16_16x16r4, 16x39x3 workgroups of 16x16 items, border: -1 "
                                       "reads 1, n reads n - 1\n"
                                       "  buffer 1: reference y\n"
                                       "  buffer 2: distorted y\n"
                                       "  buffer 3: band a of scale 0\n"
                                       "  buffer 4: row sums\n"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_scale1 16x16r4, 8x20x3 workgroups of 16x16 items"));
  EXPECT_THAT(plan->Print(), HasSubstr("  buffer 1: band a of scale 0\n"
                                       "  buffer 2: band a of scale 0 + 1036800 bytes\n"
                                       "  buffer 3: band a of scale 1\n"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_scale2 16x16r4, 4x10x3 workgroups of 16x16 items"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_scale3 16x16r4, 2x5x3 workgroups of 16x16 items"));
  EXPECT_THAT(plan->Print(), HasSubstr("launch: adm_sum 256x1, 36x1x3 workgroups of 256x1 items"));
}

TEST(AdmPlan, SkippedScaleHasNoRowSums) {
  const auto plan = MakePlan({{"adm_skip_scale0", "true"}}, {64, 48, 8}, 1, 1);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->launches().size(), 5u);
  // One tile column each; 12, 6 and 4 scored rows of nine sums.
  EXPECT_THAT(plan->Print(), HasSubstr("scratch: row sums, 1512 bytes\n"));
}

TEST(AdmPlan, RefusesWhatTheMetricRefuses) {
  EXPECT_THAT(MakePlan({{"adm_norm_view_dist", "2"}}, {64, 48, 8}, 1, 1).status().message(), HasSubstr("3240"));
}

}  // namespace
}  // namespace acutance
