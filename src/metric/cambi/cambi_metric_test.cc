// The metric as the engine sees it: known answers, options, keys, sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "metric/cambi/cambi.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"

namespace acutance {
namespace {

using testing::HasSubstr;
using Scores = std::map<std::string, double>;

/// docs/spec/siblings.md B.2.
int KnownCode(int x, int y) {
  const int checker = ((x >> 5) + (y >> 5)) % 3 == 0;
  return 300 + ((3 * x + 2 * y) >> 6) + checker * ((7 * x + 3 * y + ((x * y) >> 3)) & 1);
}

Picture KnownDistorted(int bit_depth) {
  return MakeTestPicture({640, 360, bit_depth, PixelFormat::k400},
                         [&](int, int x, int y) { return KnownCode(x, y) >> (10 - bit_depth); });
}

Picture KnownReference(int bit_depth) {
  return MakeTestPicture({640, 360, bit_depth, PixelFormat::k400}, [&](int, int x, int y) {
    if (bit_depth == 8) return 70 + ((x + 2 * y) >> 5);
    return 300 + ((3 * x + 2 * y) >> 6) + ((x * x + 3 * y + x * y) >> 2) % 2;
  });
}

Scores KnownScores(const OptionTexts& texts, int bit_depth) {
  const TestMetric metric(kCambiMetric, texts, {640, 360, bit_depth, PixelFormat::k400});
  return metric.Named(metric.Values(KnownReference(bit_depth), KnownDistorted(bit_depth)));
}

double KnownScore(const OptionTexts& texts, int bit_depth) {
  return KnownScores(texts, bit_depth).at("Cambi_feature_cambi_score");
}

TEST(CambiMetric, KnownAnswersAt10Bit) {
  EXPECT_EQ(KnownScores({{"full_ref", "true"}}, 10), (Scores{{"Cambi_feature_cambi_score", 0.5369245337539429},
                                                             {"cambi_source", 0},
                                                             {"cambi_full_reference", 0.5369245337539429}}));
  EXPECT_EQ(KnownScore({{"max_log_contrast", "4"}, {"topk", "0.2"}}, 10), 0.7301989273271553);
  EXPECT_EQ(KnownScore({{"enc_width", "480"}, {"enc_height", "270"}, {"enc_bitdepth", "8"}}, 10), 0.5648055800759724);
  EXPECT_EQ(KnownScore({{"cambi_vis_lum_threshold", "6.5"}, {"window_size", "41"}}, 10), 0.3205054831539493);
  EXPECT_EQ(KnownScore({{"cambi_eotf", "pq"}, {"tvi_threshold", "0.01"}}, 10), 4.9997789265833505);
}

TEST(CambiMetric, KnownAnswersAt8Bit) {
  EXPECT_EQ(KnownScores({{"full_ref", "true"}}, 8), (Scores{{"Cambi_feature_cambi_score", 7.96463123415191},
                                                            {"cambi_source", 22.97077781665386},
                                                            {"cambi_full_reference", 0}}));
  EXPECT_EQ(KnownScore({{"max_log_contrast", "4"}, {"topk", "0.2"}}, 8), 16.79606562736358);
  EXPECT_EQ(KnownScore({{"enc_width", "480"}, {"enc_height", "270"}, {"enc_bitdepth", "8"}}, 8), 8.595408195773606);
  EXPECT_EQ(KnownScore({{"cambi_vis_lum_threshold", "6.5"}, {"window_size", "41"}}, 8), 5.809032420685783);
  EXPECT_EQ(KnownScore({{"eotf", "pq"}, {"tvi_threshold", "0.01"}}, 8), 8.375070263428762);
}

TEST(CambiMetric, ScoresAreLimited) {
  EXPECT_EQ(KnownScores({{"full_ref", "true"}, {"cambi_max_val", "7"}}, 8),
            (Scores{{"Cambi_feature_cambi_score", 7}, {"cambi_source", 7}, {"cambi_full_reference", 0}}));
}

TEST(CambiMetric, FlatAndNoisyPicturesHaveNoBanding) {
  std::mt19937 random(1);
  for (const int depth : {8, 10, 12, 16}) {
    const PictureFormat format = {325, 217, depth, PixelFormat::k422};
    const TestMetric metric(kCambiMetric, {}, format);
    for (const int flat : {0, 1 << (depth - 2), (1 << depth) - 1}) {
      const Picture picture = MakeTestPicture(format, [&](int, int, int) { return flat; });
      EXPECT_EQ(metric.Values(picture, picture)[0], 0);
    }
    const Picture noise = MakeTestPicture(format, [&](int, int, int) { return random() >> (32 - depth); });
    EXPECT_EQ(metric.Values(noise, noise)[0], 0);
  }
}

TEST(CambiMetric, DeeperPicturesOfTheSameContentScoreAlike) {
  const double expected = KnownScore({{"enc_bitdepth", "8"}}, 8);
  for (const int depth : {10, 12, 16}) {
    const PictureFormat format = {640, 360, depth, PixelFormat::k400};
    const Picture picture =
        MakeTestPicture(format, [&](int, int x, int y) { return (KnownCode(x, y) >> 2) << (depth - 8); });
    const TestMetric metric(kCambiMetric, {{"enc_bitdepth", "8"}}, format);
    EXPECT_EQ(metric.Values(picture, picture)[0], expected) << depth;
  }
}

TEST(CambiMetric, ReadsTheReferenceOnlyForFullRef) {
  const auto inputs = [](const OptionTexts& texts) {
    return InputsOf(kCambiMetric, OptionValues::Parse(kCambiMetric.options, texts).value());
  };
  EXPECT_FALSE(Reads(inputs({}), Video::kReference));
  EXPECT_TRUE(Reads(inputs({{"full_ref", "true"}}), Video::kReference));
  EXPECT_EQ(inputs({})[0].planes, kLuma);
}

TEST(CambiMetric, SamplesBeyondTheBitDepthAreAnError) {
  const PictureFormat format = {320, 180, 10, PixelFormat::k400};
  const Picture picture = MakeTestPicture(format, [](int, int x, int y) { return x == 5 && y == 7 ? 1024 : 500; });
  const auto extractor = MakeExtractor(kCambiMetric, OptionValues(kCambiMetric.options), format).value();
  const auto frame =
      ComputeFrame(kCambiMetric, *extractor, {kCambiMetric, OptionValues(kCambiMetric.options), {}, {&picture, 1}}, 0);
  EXPECT_THAT(frame.status().message(), HasSubstr("1 samples of frame 0 are above 1023"));
}

TEST(CambiMetric, SizesThatAreRefused) {
  const auto refusal = [](const OptionTexts& texts, int width, int height) {
    return RefusalOf(kCambiMetric, texts, {width, height, 8});
  };
  EXPECT_THAT(refusal({}, 215, 215), HasSubstr("216"));
  for (const auto& [width, height] : {std::pair{216, 1}, {1, 216}, {3840, 2160}})
    EXPECT_EQ(refusal({}, width, height), "") << width;
  EXPECT_THAT(refusal({}, 4096, 2160), HasSubstr("smaller window_size"));
  EXPECT_EQ(refusal({{"window_size", "60"}}, 4096, 2160), "");
  EXPECT_THAT(refusal({{"enc_width", "200"}, {"enc_height", "200"}}, 640, 360), HasSubstr("the encode is 200x200"));
  EXPECT_THAT(refusal({{"src_width", "700"}, {"src_height", "300"}}, 640, 360), HasSubstr("wider and lower"));
  EXPECT_THAT(refusal({{"src_width", "320"}, {"src_height", "400"}}, 640, 360), HasSubstr("narrower and higher"));
  EXPECT_THAT(refusal({{"cambi_eotf", "hlg"}}, 640, 360), HasSubstr("'hlg' is not bt1886 or pq"));
}

TEST(CambiMetric, KeysCarryTheOptionsAsGiven) {
  const auto options =
      *OptionValues::Parse(kCambiMetric.options, {{"hrs", "1440"}, {"topk", "0.05"}, {"eotf", "pq"}, {"ws", "31"}});
  EXPECT_EQ(MakeOutputKey(kCambiMetric.outputs[0], options).shown, "cambi_hrs_1440_eotf_pq_topk_0.05_ws_31");
  EXPECT_EQ(MakeOutputKey(kCambiMetric.outputs[1], options).stored, "cambi_source");
  EXPECT_EQ(MakeOutputKey(kCambiMetric.outputs[2], options).shown, "cambi_full_reference");
  const OptionValues defaults(kCambiMetric.options);
  EXPECT_EQ(MakeOutputKey(kCambiMetric.outputs[0], defaults).stored, "Cambi_feature_cambi_score");
}

// --- docs/spec/siblings.md 1.2

CambiSettings Settings(const OptionTexts& texts, int width = 1920, int height = 1080) {
  return MakeCambiSettings(ReadCambiOptions(OptionValues::Parse(kCambiMetric.options, texts).value()).value(),
                           {width, height, 8})
      .value();
}

TEST(CambiSettings, LargestCodesWhoseStepsAreVisible) {
  EXPECT_EQ(Settings({{"max_log_contrast", "3"}}).steps_limit, (std::vector{178, 305, 432, 559, 686, 813, 1023, 1023}));
  EXPECT_EQ(Settings({{"eotf", "pq"}}).steps_limit, (std::vector{233, 1023, 1023, 1023}));
}

TEST(CambiSettings, SmallestCodesThatAreBrightEnough) {
  for (const auto& [threshold, code] : std::map<std::string, int>{{"0", 0},
                                                                  {"0.01", 65},
                                                                  {"0.1", 84},
                                                                  {"0.5", 114},
                                                                  {"1", 135},
                                                                  {"5", 214},
                                                                  {"10", 268},
                                                                  {"100", 614},
                                                                  {"300", 940}})
    EXPECT_EQ(Settings({{"cambi_vis_lum_threshold", threshold}}).low_limit, code) << threshold;
}

TEST(CambiSettings, WindowsAndMasksBySize) {
  struct Expected {
    int width, height, window, mask_minimum;
  };
  for (const Expected& each : {Expected{3840, 2160, 65, 24},
                               {2560, 1440, 43, 22},
                               {1920, 1080, 33, 21},
                               {1280, 720, 21, 19},
                               {960, 540, 17, 18},
                               {640, 360, 11, 16},
                               {480, 270, 9, 15}}) {
    const CambiPass pass = Settings({}, each.width, each.height).passes[0];
    EXPECT_EQ(pass.window, each.window);
    EXPECT_EQ(pass.mask_minimum, each.mask_minimum);
  }
}

TEST(CambiSettings, HalfSizeFromACertainSizeOn) {
  const OptionTexts speedup = {{"cambi_high_res_speedup", "1080"}};
  EXPECT_TRUE(Settings(speedup).half_size);
  EXPECT_EQ(Settings(speedup).passes[0].window, 17);
  EXPECT_EQ(CambiScaleSize(Settings(speedup), Settings(speedup).passes[0], 0).width, 960);
  EXPECT_FALSE(Settings(speedup, 1920, 1079).half_size);
  EXPECT_FALSE(Settings({{"cambi_high_res_speedup", "1440"}}).half_size);
  EXPECT_FALSE(Settings({{"cambi_high_res_speedup", "720"}}).half_size);
}

TEST(CambiSettings, ReciprocalsAreThoseOfNineDigits) {
  int differ = 0;
  for (int i = 1; i <= kCambiMaxWindow * kCambiMaxWindow; ++i) {
    const float exact = static_cast<float>(1.0 / i);
    EXPECT_EQ(CambiReciprocals()[i], std::strtof(fmt::format("{:.9g}", 1.0 / i).c_str(), nullptr)) << i;
    differ += CambiReciprocals()[i] != exact;
  }
  EXPECT_EQ(differ, 42);
  EXPECT_EQ(CambiReciprocals()[0], 0.0f);
}

}  // namespace
}  // namespace acutance
