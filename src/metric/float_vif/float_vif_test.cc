#include "metric/float_vif/float_vif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "metric/blocks/gaussian_taps.h"
#include "metric/testing/float_scales.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"

namespace acutance {

namespace float_vif {
#include "metric/float_vif/float_vif_taps.kernel.h"
}  // namespace float_vif

namespace {

using testing::HasSubstr;

constexpr int kDepths[] = {8, 10, 12, 16};

// --- The SIMD implementation against plain loops

FloatVifLayout Layout(const OptionTexts& texts, const PictureFormat& format) {
  return MakeFloatVifLayout(ReadFloatVifSettings(OptionValues::Parse(kFloatVifMetric.options, texts).value()).value(),
                            format)
      .value();
}

void ExpectEqualToRef(const OptionTexts& texts, const Picture& reference, const Picture& distorted) {
  ExpectScalesEqual<FloatVifBuffers>(Layout(texts, reference.format), reference, distorted, FloatVifBand,
                                     FloatVifBandRef);
}

template <size_t N>
void ExpectTaps(const float (&half)[N]) {
  const int count = 2 * static_cast<int>(N) - 1;
  const std::vector<float> taps = GaussianTaps(count, static_cast<float>(count) / 5.0f);
  for (int i = 0; i < count; ++i) EXPECT_EQ(taps[i], half[std::min(i, count - 1 - i)]) << count << " taps, " << i;
}

TEST(FloatVifTaps, OfKernelsAreTheUsualFilters) {
  ExpectTaps(float_vif::kFloatVifTaps0);
  ExpectTaps(float_vif::kFloatVifTaps1);
  ExpectTaps(float_vif::kFloatVifTaps2);
  ExpectTaps(float_vif::kFloatVifTaps3);
}

TEST(FloatVifBand, NoiseOfManySizes) {
  ForNoiseOfManySizes(16, [](const Picture& a, const Picture& b) { ExpectEqualToRef({}, a, b); });
}

TEST(FloatVifBand, DepthsFiltersAndResizing) {
  for (const int depth : kDepths) {
    const PictureFormat format = {45, 33, depth, PixelFormat::k400};
    const Picture film = FilmPicture(format, 0), distorted = FilmPicture(format, 0, true);
    ExpectEqualToRef({}, film, distorted);
    ExpectEqualToRef({{"vif_kernelscale", "0.5"}, {"vif_sigma_nsq", "0.3"}}, film, distorted);
    ExpectEqualToRef({{"vif_kernelscale", "1.5"}, {"vif_enhn_gain_limit", "1"}}, film, distorted);
    ExpectEqualToRef({{"vif_prescale", "1.4"}, {"vif_prescale_method", "lanczos4"}}, film, distorted);
    ExpectEqualToRef({{"vif_prescale", "0.7"}, {"vif_skip_scale0", "true"}}, film, distorted);
  }
}

TEST(FloatVifBand, ExtremesAndFlatPictures) {
  for (const char* noise : {"2", "0"})
    ForPairsOfPatterns([&](const Picture& a, const Picture& b) { ExpectEqualToRef({{"vif_sigma_nsq", noise}}, a, b); });
}

// --- The metric as the engine sees it

std::map<std::string, double> Scores(const OptionTexts& texts, const Picture& reference, const Picture& distorted) {
  const TestMetric metric(kFloatVifMetric, texts, reference.format);
  return metric.Named(metric.Values(reference, distorted));
}

// Numbers of libvmaf 3.2 with six digits for docs/spec/siblings.md B.1; the digits beyond are what
// is computed here, which equals libvmaf's to the bit on other clips.
// Without noise a pixel of no variance has the logarithm of 0 / 0.
TEST(FloatVif, DenominatorsOfFlatPicturesWithoutNoiseAreLibvmafs) {
  const PictureFormat format = {96, 96, 8, PixelFormat::k400};
  const Picture black = MakeTestPicture(format, [](int, int, int) { return 0; });
  const Picture white = MakeTestPicture(format, [](int, int, int) { return 255; });
  const OptionTexts texts = {{"vif_sigma_nsq", "0"}, {"debug", "true"}};
  const auto of_black = Scores(texts, black, white), of_white = Scores(texts, white, black);
  EXPECT_EQ(of_black.at("vif_den_scale0"), 1179648.0);
  EXPECT_EQ(of_black.at("vif_den_scale1"), 296259.6875);
  EXPECT_EQ(of_black.at("vif_den_scale2"), 74064.9375);
  EXPECT_EQ(of_black.at("vif_den_scale3"), 18516.234375);
  EXPECT_EQ(of_white.at("vif_den_scale0"), 1185037.375);
  EXPECT_EQ(of_white.at("vif_den_scale1"), 294912.0);
}

TEST(FloatVif, KnownAnswers) {
  const auto scores = Scores({{"debug", "true"}}, KnownPicture(8, 0, false), KnownPicture(8, 0, true));
  EXPECT_EQ(scores.at("VMAF_feature_vif_scale0_score"), 0.7766020941632974);
  EXPECT_EQ(scores.at("VMAF_feature_vif_scale1_score"), 0.9939614169849362);
  EXPECT_EQ(scores.at("VMAF_feature_vif_scale2_score"), 0.9980958314638634);
  EXPECT_EQ(scores.at("VMAF_feature_vif_scale3_score"), 0.9990658947794294);
  EXPECT_EQ(scores.at("vif"), 0.8261516311865189);
  EXPECT_EQ(scores.at("vif_num"), 721506.4111328125);
  EXPECT_EQ(scores.at("vif_den"), 873334.1240234375);
}

TEST(FloatVif, NoSplitIntoBandsChangesABit) {
  std::mt19937 random(4);
  const PictureFormat format = {121, 75, 10};
  const TestMetric metric(kFloatVifMetric, {}, format);
  const Picture reference = FilmPicture(format, 0), distorted = FilmPicture(format, 0, true);
  const std::vector<int64_t> whole = metric.Run({reference}, {distorted}).words;
  for (const int most : {1, 2, 19})
    EXPECT_EQ(metric.Run({reference}, {distorted}, RandomBands(random, most)).words, whole);
}

TEST(FloatVif, ScoresHaveALeastValue) {
  const PictureFormat format = {64, 48, 8};
  const auto scores = Scores({{"vif_scale1_min_val", "0.9"}, {"vif_scale2_min_val", "0.1"}}, FilmPicture(format, 0),
                             FilmPicture(format, 0, true));
  EXPECT_EQ(scores.at("VMAF_feature_vif_scale1_score"), 0.9);
  EXPECT_GT(scores.at("VMAF_feature_vif_scale2_score"), 0.5);
}

TEST(FloatVif, SkippingScale0) {
  const PictureFormat format = {64, 48, 8};
  const Picture reference = FilmPicture(format, 0), distorted = FilmPicture(format, 0, true);
  const auto all = Scores({{"debug", "true"}}, reference, distorted);
  const auto skipped = Scores({{"debug", "true"}, {"vif_skip_scale0", "true"}}, reference, distorted);
  EXPECT_EQ(skipped.at("VMAF_feature_vif_scale0_score"), 0.0);
  EXPECT_EQ(skipped.at("vif_num_scale0"), 0.0);
  EXPECT_EQ(skipped.at("vif_den_scale0"), -1.0);
  EXPECT_EQ(skipped.at("vif_num"), all.at("vif_num") - all.at("vif_num_scale0"));
  EXPECT_EQ(skipped.at("VMAF_feature_vif_scale3_score"), all.at("VMAF_feature_vif_scale3_score"));
}

TEST(FloatVif, IdenticalPicturesAreNearOne) {
  for (const int depth : kDepths) {
    const PictureFormat format = {64, 48, depth};
    for (const auto& [name, score] : Scores({}, FilmPicture(format, 0), FilmPicture(format, 0)))
      EXPECT_NEAR(score, 1.0, 1e-5) << name;
    const Picture black = MakeTestPicture(format, [](int, int, int) { return 0; });
    for (const auto& [name, score] : Scores({}, black, black)) EXPECT_NEAR(score, 1.0, 1e-6) << name;
  }
}

TEST(FloatVif, RefusesWhatItCannotScore) {
  EXPECT_THAT(RefusalOf(kFloatVifMetric, {}, {15, 64, 8}), HasSubstr("at scale 3"));
  EXPECT_EQ(RefusalOf(kFloatVifMetric, {}, {16, 16, 8, PixelFormat::k400}), "");
  EXPECT_THAT(RefusalOf(kFloatVifMetric, {{"vif_kernelscale", "1.1"}}, {64, 64, 8}), HasSubstr("vif_kernelscale"));
  EXPECT_THAT(RefusalOf(kFloatVifMetric, {{"vif_prescale_method", "cubic"}}, {64, 64, 8}), HasSubstr("bicubic"));
  EXPECT_THAT(RefusalOf(kFloatVifMetric, {{"vif_prescale", "0.1"}}, {64, 64, 8}), HasSubstr("float_vif needs more"));
}

TEST(FloatVif, KeysCarryOptions) {
  const auto options = *OptionValues::Parse(
      kFloatVifMetric.options, {{"ks", "2"}, {"pm", "bicubic"}, {"ssclz", "true"}, {"snsq", "4"}, {"debug", "true"}});
  EXPECT_EQ(MakeOutputKey(kFloatVifMetric.outputs[1], options).shown, "vif_scale1_ks_2_pm_bicubic_snsq_4_ssclz");
  EXPECT_EQ(MakeOutputKey(kFloatVifMetric.outputs[1], OptionValues(kFloatVifMetric.options)).stored,
            "VMAF_feature_vif_scale1_score");
}

}  // namespace
}  // namespace acutance
