// The fast path against plain loops: sums of all scales, for each instruction set, size, option and band.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "metric/cambi/cambi_frame.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

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

/// The words of a frame as the reference implementation has them.
std::vector<int64_t> RefWords(const CambiSettings& settings, const Picture& reference, const Picture& distorted) {
  std::vector<int64_t> words;
  for (const CambiPass& pass : settings.passes)
    for (const CambiSum& sum : RunCambiRef(settings, pass, (pass.input == 0 ? distorted : reference).planes[0]).sums)
      words.insert(words.end(), {sum.whole, sum.fraction});
  return words;
}

void ExpectRef(const OptionTexts& texts, const PictureFormat& format, int base, unsigned seed,
               const Split& split = OneBand) {
  SCOPED_TRACE(fmt::format("{}x{} {} bit", format.width, format.height, format.bit_depth));
  const TestMetric metric(kCambiMetric, texts, format);
  const Picture reference = BandedPicture(format, base, seed), distorted = BandedPicture(format, base + 7, seed + 1);
  const CambiSettings settings = MakeCambiSettings(ReadCambiOptions(metric.options()).value(), format).value();
  const std::vector<int64_t> expected = RefWords(settings, reference, distorted);
  ForEachTarget([&] {
    EXPECT_EQ(metric.Run({reference}, {distorted}, split).words, expected);
    EXPECT_EQ(metric.Run({reference}, {distorted}, split).words, expected) << "with used workspaces";
  });
}

constexpr PixelFormat kLumaAlone = PixelFormat::k400;

TEST(CambiFast, SizesAndDepths) {
  unsigned seed = 1;
  for (const int depth : {8, 10, 12, 16})
    for (const auto& [width, height] : {std::pair{216, 1},
                                        {1, 216},
                                        {217, 2},
                                        {3, 219},
                                        {255, 40},
                                        {256, 41},
                                        {257, 3},
                                        {288, 64},
                                        {321, 35},
                                        {513, 30},
                                        {640, 90}})
      ExpectRef({}, {width, height, depth, kLumaAlone}, 60, seed++);
}

TEST(CambiFast, EachOption) {
  const OptionTexts all[] = {{{"window_size", "15"}},
                             {{"window_size", "127"}},
                             {{"max_log_contrast", "0"}},
                             {{"max_log_contrast", "1"}},
                             {{"max_log_contrast", "3"}},
                             {{"max_log_contrast", "5"}},
                             {{"max_log_contrast", "5"}, {"cambi_vis_lum_threshold", "2"}},
                             {{"max_log_contrast", "5"}, {"window_size", "127"}},
                             {{"topk", "0.0001"}},
                             {{"topk", "0.01"}},
                             {{"topk", "0.13"}},
                             {{"topk", "1"}},
                             {{"tvi_threshold", "0.0001"}},
                             {{"tvi_threshold", "0.2"}},
                             {{"tvi_threshold", "1"}},
                             {{"cambi_vis_lum_threshold", "5"}},
                             {{"cambi_vis_lum_threshold", "300"}},
                             {{"eotf", "pq"}},
                             {{"enc_bitdepth", "8"}},
                             {{"enc_bitdepth", "10"}},
                             {{"enc_width", "250"}, {"enc_height", "180"}, {"full_ref", "true"}},
                             {{"src_width", "700"}, {"src_height", "300"}, {"full_ref", "true"}}};
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
        const TestMetric metric(kCambiMetric, options, format);
        const CambiSettings settings = MakeCambiSettings(ReadCambiOptions(metric.options()).value(), format).value();
        const std::vector<int64_t> expected = RefWords(settings, picture, picture);
        ForEachTarget([&] { EXPECT_EQ(metric.Run({picture}, {picture}).words, expected) << values << " " << period; });
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

}  // namespace
}  // namespace acutance
