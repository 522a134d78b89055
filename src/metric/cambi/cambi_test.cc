// The fast path against plain loops: sums of all scales, for each instruction set, size, option and band; and the
// metric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "metric/cambi/cambi_frame.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using testing::HasSubstr;

/// Flat areas of close values with steps, speckles and noisy parts between them.
Picture BandedPicture(const PictureFormat& format, int base, unsigned seed) {
  std::mt19937 random(seed);
  const int shift = format.bit_depth - 8, noise_column = static_cast<int>(random() % format.width);
  return MakeTestPicture(format, [&](int, int x, int y) {
    const int shade = base + ((x * 3 + y * 2) >> 5) % 40 + (x * y / 300) % 5;
    if (x > noise_column && x < noise_column + 40) return static_cast<int>(random() % (1 << format.bit_depth));
    const int sample =
        (std::min(shade, 255) << shift) + static_cast<int>(random() % 9 == 0) + ((x >> 4) + (y >> 3)) % 3;
    return std::min(sample, (1 << format.bit_depth) - 1);
  });
}

/// The partial results of a frame as the reference implementation has them.
std::vector<int64_t> RefWords(const CambiSettings& settings, const Picture& reference, const Picture& distorted) {
  std::vector<int64_t> words;
  for (const CambiPass& pass : settings.passes)
    for (const CambiSum& sum : RunCambiRef(settings, pass, (pass.input == 0 ? distorted : reference).planes[0]).sums)
      words.insert(words.end(), {sum.whole, sum.fraction});
  return words;
}

void ExpectRef(const OptionTexts& texts, const Picture& reference, const Picture& distorted,
               const Split& split = OneBand) {
  const PictureFormat& format = reference.format;
  SCOPED_TRACE(fmt::format("{}x{} {} bit", format.width, format.height, format.bit_depth));
  const TestMetric metric(kCambiMetric, texts, format);
  const CambiSettings settings = MakeCambiSettings(ReadCambiOptions(metric.options()).value(), format).value();
  const std::vector<int64_t> expected = RefWords(settings, reference, distorted);
  ForEachTarget([&] {
    EXPECT_EQ(metric.Run({reference}, {distorted}, split).words, expected);
    EXPECT_EQ(metric.Run({reference}, {distorted}, split).words, expected) << "with used workspaces";
  });
}

void ExpectRef(const OptionTexts& texts, const PictureFormat& format, int base, unsigned seed,
               const Split& split = OneBand) {
  ExpectRef(texts, BandedPicture(format, base, seed), BandedPicture(format, base + 7, seed + 1), split);
}

constexpr PixelFormat kLumaAlone = PixelFormat::k400;

TEST(CambiFast, SizesAndDepths) {
  const std::pair<int, int> sizes[] = {{216, 1}, {1, 216},  {217, 2},  {3, 219},  {255, 40}, {256, 41},
                                       {257, 3}, {288, 64}, {321, 35}, {513, 30}, {640, 90}};
  unsigned seed = 1;
  for (const int depth : {8, 10, 12, 16})
    for (const auto& [width, height] : sizes) ExpectRef({}, {width, height, depth, kLumaAlone}, 60, seed++);
}

TEST(CambiFast, EachOption) {
  std::vector<OptionTexts> all = {{{"max_log_contrast", "5"}, {"cambi_vis_lum_threshold", "2"}},
                                  {{"max_log_contrast", "5"}, {"window_size", "127"}},
                                  {{"enc_width", "250"}, {"enc_height", "180"}, {"full_ref", "true"}},
                                  {{"src_width", "700"}, {"src_height", "300"}, {"full_ref", "true"}}};
  const std::pair<const char*, std::vector<const char*>> each[] = {{"window_size", {"15", "127"}},
                                                                   {"max_log_contrast", {"0", "1", "3", "5"}},
                                                                   {"topk", {"0.0001", "0.01", "0.13", "1"}},
                                                                   {"tvi_threshold", {"0.0001", "0.2", "1"}},
                                                                   {"cambi_vis_lum_threshold", {"5", "300"}},
                                                                   {"eotf", {"pq"}},
                                                                   {"enc_bitdepth", {"8", "10"}}};
  for (const auto& [option, values] : each)
    for (const char* value : values) all.push_back({{option, value}});
  unsigned seed = 100;
  for (const OptionTexts& options : all)
    for (const int depth : {8, 10, 16})
      for (const int base : {0, 40, 210}) ExpectRef(options, {301, 183, depth, kLumaAlone}, base, seed++);
}

TEST(CambiFast, HalfSize) {
  for (const int depth : {8, 10})
    ExpectRef({{"cambi_high_res_speedup", "1080"}, {"full_ref", "true"}}, {1921, 1081, depth, kLumaAlone}, 30, 7);
}

TEST(CambiFast, NoSplitIntoBandsChangesABit) {
  std::mt19937 random(5);
  for (const int most : {1, 2, 5, 16, 64})
    for (const auto& [width, height] : {std::pair{300, 97}, {217, 64}})
      ExpectRef({{"full_ref", "true"}}, {width, height, 8, kLumaAlone}, 50, 3, RandomBands(random, most));
}

/// Windows of few pixels, whose fractions are often equal or next to each other.
TEST(CambiFast, NoiseOfFewValues) {
  std::mt19937 random(9);
  for (const OptionTexts& options : {OptionTexts{{"window_size", "127"}}, {{"max_log_contrast", "5"}}})
    for (const int values : {2, 9, 60}) {
      const PictureFormat format = {400, 120, 10, kLumaAlone};
      for (const int period : {1, 3, 6}) {  // of equal pixels
        std::vector<int> noise(400 * 120);
        for (int& value : noise) value = static_cast<int>(random() % values);
        const Picture picture =
            MakeTestPicture(format, [&](int, int x, int y) { return 100 + noise[y / period * 400 + x / period]; });
        SCOPED_TRACE(fmt::format("{} values, periods of {}", values, period));
        ExpectRef(options, picture, picture);
      }
    }
}

TEST(CambiFast, HeatmapsShowTheContrasts) {
  const PictureFormat format = {300, 140, 8, kLumaAlone};
  const Picture picture = BandedPicture(format, 60, 4);
  const OptionValues options(kCambiMetric.options);
  const auto extractor = MakeExtractor(kCambiMetric, options, format).value();
  const CambiSettings settings = MakeCambiSettings(ReadCambiOptions(options).value(), format).value();
  const CambiPassResult expected = RunCambiRef(settings, settings.passes[0], picture.planes[0]);
  const double scale = CambiHeatScale(settings.passes[0], settings.contrasts);
  EXPECT_EQ(scale, 65535.0 / 25);  // windows of 5x5, the largest weight 4
  ForEachTarget([&] {
    for (const int bands : {1, 7}) {
      const auto frame = ComputeFrame(kCambiMetric, *extractor, {kCambiMetric, options, {}, {&picture, 1}}, 0, bands);
      for (int s = 0; s < kCambiScales; ++s) {
        const MutablePicture& heatmap = frame->artifacts[s];
        std::vector<int> found, wanted;
        for (int y = 0; y < heatmap.format.height; ++y)
          for (int x = 0; x < heatmap.format.width; ++x) found.push_back(heatmap.Row<uint16_t>(0, y)[x]);
        for (const float contrast : expected.contrasts[s]) wanted.push_back(cambi::heat_of(contrast, scale));
        EXPECT_EQ(found, wanted) << s;
        EXPECT_GT(*std::ranges::max_element(wanted), s == 0 ? 0 : -1);
      }
    }
  });
}

/// A list of contrasts by themselves: ties, none, more and less than count.
TEST(CambiPool, SumsTheLargest) {
  std::mt19937 random(2);
  const CambiSettings settings =
      MakeCambiSettings(ReadCambiOptions(OptionValues(kCambiMetric.options)).value(), {300, 220, 8, kLumaAlone})
          .value();
  CambiPassFrame frame(settings, settings.passes[0]);
  CambiThread thread(settings, CambiComparisons(settings));
  CambiImage& image = frame.scale(0);
  CambiContrasts& contrasts = frame.contrasts[0];
  for (const int kinds : {1, 2, 5, 100000}) {
    std::vector<float> all;
    for (int y = 0; y < image.height; ++y) {
      contrasts.sums[y] = {};
      for (int strip = 0; strip < contrasts.strips; ++strip) {
        const int length = static_cast<int>(random() % 50);
        float* const list = contrasts.Place(strip, y);
        contrasts.lists[static_cast<size_t>(y) * contrasts.strips + strip] = {list, length};
        for (int i = 0; i < length; ++i) {
          const float contrast = random() % 3 == 0 ? 0.0f : 0.5f + static_cast<float>(random() % kinds) * 0.0371f;
          all.push_back(contrast);
          list[i] = contrast;
          const int64_t whole = static_cast<int64_t>(contrast);
          contrasts.sums[y].whole += whole;
          contrasts.sums[y].fraction += static_cast<int64_t>((contrast - static_cast<float>(whole)) * 0x1p24f);
        }
      }
    }
    std::ranges::sort(all, std::greater());
    for (const size_t count : {size_t{1}, size_t{77}, all.size() / 2, all.size(), all.size() + 9}) {
      double sum = 0;  // exact: below 2^29
      for (size_t i = 0; i < std::min(count, all.size()); ++i) sum += static_cast<double>(all[i]);
      const CambiSum found = CambiSumOfLargest(contrasts, static_cast<int64_t>(count), thread);
      EXPECT_EQ(static_cast<double>(found.whole) + static_cast<double>(found.fraction) * 0x1p-24, sum) << count;
    }
  }
}

// --- The metric as the engine sees it: known answers, options, keys, sizes

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

TEST(CambiMetric, KnownAnswers) {
  const OptionTexts full = {{"full_ref", "true"}};
  const std::string cambi = "Cambi_feature_cambi_score", source = "cambi_source", both = "cambi_full_reference";
  EXPECT_EQ(KnownScores(full, 10), (Scores{{cambi, 0.5369245337539429}, {source, 0}, {both, 0.5369245337539429}}));
  EXPECT_EQ(KnownScores(full, 8), (Scores{{cambi, 7.96463123415191}, {source, 22.97077781665386}, {both, 0}}));
  struct Answer {
    OptionTexts options;
    double of_10_bit, of_8_bit;
  };
  for (const auto& [options, of_10_bit, of_8_bit] :
       {Answer{{{"max_log_contrast", "4"}, {"topk", "0.2"}}, 0.7301989273271553, 16.79606562736358},
        Answer{{{"enc_width", "480"}, {"enc_height", "270"}, {"enc_bitdepth", "8"}},
               0.5648055800759724,
               8.595408195773606},
        Answer{{{"cambi_vis_lum_threshold", "6.5"}, {"window_size", "41"}}, 0.3205054831539493, 5.809032420685783},
        Answer{{{"cambi_eotf", "pq"}, {"tvi_threshold", "0.01"}}, 4.9997789265833505, 8.375070263428762}}) {
    EXPECT_EQ(KnownScores(options, 10), (Scores{{cambi, of_10_bit}}));
    EXPECT_EQ(KnownScores(options, 8), (Scores{{cambi, of_8_bit}}));
  }
  EXPECT_EQ(KnownScores({{"full_ref", "true"}, {"cambi_max_val", "7"}}, 8),
            (Scores{{cambi, 7}, {source, 7}, {both, 0}}));
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
  const double expected = KnownScores({{"enc_bitdepth", "8"}}, 8).at("Cambi_feature_cambi_score");
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
  const std::pair<const char*, int> codes[] = {{"0", 0},   {"0.01", 65}, {"0.1", 84},  {"0.5", 114}, {"1", 135},
                                               {"5", 214}, {"10", 268},  {"100", 614}, {"300", 940}};
  for (const auto& [threshold, code] : codes)
    EXPECT_EQ(Settings({{"cambi_vis_lum_threshold", threshold}}).low_limit, code) << threshold;
}

TEST(CambiSettings, WindowsAndMasksBySize) {
  struct Expected {
    int width, height, window, mask_minimum;
  };
  const Expected sizes[] = {{3840, 2160, 65, 24}, {2560, 1440, 43, 22}, {1920, 1080, 33, 21}, {1280, 720, 21, 19},
                            {960, 540, 17, 18},   {640, 360, 11, 16},   {480, 270, 9, 15}};
  for (const Expected& each : sizes) {
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
