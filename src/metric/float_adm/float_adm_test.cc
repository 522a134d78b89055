#include "metric/float_adm/float_adm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "metric/testing/float_scales.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"

namespace acutance {
namespace {

using testing::HasSubstr;

constexpr int kDepths[] = {8, 10, 12, 16};

// --- The SIMD implementation against plain loops

void ExpectEqualToRef(const OptionTexts& texts, const Picture& reference, const Picture& distorted) {
  const FloatAdmSettings settings = ReadFloatAdmSettings(OptionValues::Parse(kFloatAdmMetric.options, texts).value());
  ExpectScalesEqual<FloatAdmBuffers>(MakeFloatAdmLayout(settings, reference.format), reference, distorted, FloatAdmBand,
                                     FloatAdmBandRef);
}

TEST(FloatAdmBand, NoiseOfManySizes) {
  ForNoiseOfManySizes(kFloatAdmMinSide, [](const Picture& a, const Picture& b) { ExpectEqualToRef({}, a, b); });
}

TEST(FloatAdmBand, DepthsAndOptions) {
  for (const int depth : kDepths) {
    const PictureFormat format = {85, 47, depth, PixelFormat::k400};
    const Picture film = FilmPicture(format, 0), distorted = FilmPicture(format, 0, true);
    ExpectEqualToRef({}, film, distorted);
    ExpectEqualToRef({{"adm_enhn_gain_limit", "1.2"}}, film, distorted);
    ExpectEqualToRef({{"adm_enhn_gain_limit", "1"}, {"adm_p_norm", "2.5"}}, film, distorted);
    ExpectEqualToRef({{"adm_bypass_cm", "1"}, {"adm_skip_scale0", "true"}}, film, distorted);
    ExpectEqualToRef({{"adm_csf_mode", "1"}, {"adm_csf_diag_scale", "0.5"}, {"adm_f1s2", "1"}}, film, distorted);
  }
}

TEST(FloatAdmBand, ExtremesAndFlatPictures) {
  ForPairsOfPatterns([](const Picture& a, const Picture& b) { ExpectEqualToRef({}, a, b); });
}

// --- The reciprocal

// A step of Intel's rcpss: round(2^25 / (4097 + 2i)) * 2^-13 for 1 + i/2^11, in integers.
float StepOfReciprocal(int i) {
  const int divisor = 4097 + 2 * i;
  return std::ldexp(static_cast<float>(((1 << 26) / divisor + 1) / 2), -13);
}

TEST(FloatAdmReciprocal, IsThatOfIntelsProcessors) {
  for (const auto& [mantissa, bits] : {std::pair(0x000000u, 0x3f7ff000u),
                                       {0x001000u, 0x3f7fd000u},
                                       {0x7c0000u, 0x3f020000u},
                                       {0x7ff000u, 0x3f000800u}})  // as read from a Xeon
    EXPECT_EQ(std::bit_cast<uint32_t>(float_adm::approximate_reciprocal(std::bit_cast<float>(0x3f800000u | mantissa))),
              bits);
  for (int i = 0; i < 2048; ++i)
    for (const int rest : {0, 1, 2047, 2048, 4095})
      for (const int exponent : {-100, -99, -1, 0, 1, 30, 100}) {
        const float x = std::ldexp(1.0f + static_cast<float>(4096 * i + rest) * 0x1p-23f, exponent);
        const float expected = std::ldexp(StepOfReciprocal(i), -exponent);
        ASSERT_EQ(float_adm::approximate_reciprocal(x), expected) << x;
        ASSERT_EQ(float_adm::approximate_reciprocal(-x), -expected) << x;
      }
}

TEST(FloatAdmReciprocal, NewtonsStepIsNear) {
  for (const float x : {1e-30f, 0.3f, -7.0f, 1999.99f, 1e20f})
    EXPECT_NEAR(float_adm::near_reciprocal(x) * static_cast<double>(x), 1.0, 1.3e-7) << x;
  EXPECT_EQ(float_adm::near_reciprocal(1.0f), 1.0f - 0x1p-24f);  // not 1: an exact division differs
}

// --- The metric as the engine sees it

std::map<std::string, double> Scores(const OptionTexts& texts, const Picture& reference, const Picture& distorted) {
  const TestMetric metric(kFloatAdmMetric, texts, reference.format);
  return metric.Named(metric.Values(reference, distorted));
}

// Numbers of libvmaf 3.2 with six digits, for docs/spec/siblings.md B.1.
TEST(FloatAdm, KnownAnswers) {
  const Picture reference = KnownPicture(8, 0, false), distorted = KnownPicture(8, 0, true);
  const std::map<std::string, double> expected = {{"VMAF_feature_adm2_score", 0.997721},
                                                  {"VMAF_feature_aim_score", 0.00489},
                                                  {"VMAF_feature_adm3_score", 0.996416},
                                                  {"VMAF_feature_adm_scale0_score", 0.99503},
                                                  {"VMAF_feature_adm_scale1_score", 0.995261},
                                                  {"VMAF_feature_adm_scale2_score", 0.998138},
                                                  {"VMAF_feature_adm_scale3_score", 0.999141},
                                                  {"adm", 0.997721},
                                                  {"adm_num_scale0", 42.958813},
                                                  {"adm_den_scale0", 43.173405},
                                                  {"adm_num_scale1", 56.109943},
                                                  {"adm_den_scale1", 56.377136},
                                                  {"adm_num_scale2", 96.22007},
                                                  {"adm_den_scale2", 96.399567},
                                                  {"adm_num_scale3", 151.17038},
                                                  {"adm_den_scale3", 151.300339},
                                                  {"adm_num", 346.459206},
                                                  {"adm_den", 347.250446}};
  const auto scores = Scores({{"debug", "true"}}, reference, distorted);
  ASSERT_EQ(scores.size(), expected.size());
  for (const auto& [name, value] : expected) EXPECT_NEAR(scores.at(name), value, 6e-7 + 6e-8 * value) << name;
  const auto native = Scores({{"adm_csf_mode", "2"}}, reference, distorted);
  EXPECT_NEAR(native.at("VMAF_feature_adm2_score"), 0.998496, 6e-7);
  EXPECT_NEAR(native.at("VMAF_feature_aim_score"), 0.000775, 6e-7);
  EXPECT_NEAR(native.at("VMAF_feature_adm_scale0_score"), 0.998197, 6e-7);
  // The digits beyond are what is computed here, which equals libvmaf's to the bit on other clips.
  EXPECT_EQ(scores.at("VMAF_feature_adm2_score"), 0.9977214120225767);
  EXPECT_EQ(scores.at("VMAF_feature_aim_score"), 0.004889793475851119);
  EXPECT_EQ(native.at("VMAF_feature_adm2_score"), 0.99849642353508);
  EXPECT_EQ(native.at("VMAF_feature_aim_score"), 0.0007746234748053992);
}

TEST(FloatAdm, KeysOfDebugOutputs) {
  const OptionValues options =
      *OptionValues::Parse(kFloatAdmMetric.options, {{"debug", "true"}, {"adm_enhn_gain_limit", "1.2"}});
  const auto shown = [&](std::string_view name) {
    const auto is_named = [&](const OutputSpec& output) { return output.name == name; };
    return MakeOutputKey(*std::ranges::find_if(kFloatAdmMetric.outputs, is_named), options).shown;
  };
  EXPECT_EQ(shown("VMAF_feature_adm2_score"), "adm2_egl_1.2");
  EXPECT_EQ(shown("adm"), "adm");  // as libvmaf's: without the options
  EXPECT_EQ(shown("adm_num"), "adm_num_egl_1.2");
  EXPECT_EQ(shown("adm_den_scale3"), "adm_den_scale3_egl_1.2");
}

TEST(FloatAdm, NoSplitIntoBandsChangesABit) {
  std::mt19937 random(4);
  const PictureFormat format = {121, 75, 10};
  const TestMetric metric(kFloatAdmMetric, {}, format);
  const Picture reference = FilmPicture(format, 0), distorted = FilmPicture(format, 0, true);
  const std::vector<int64_t> whole = metric.Run({reference}, {distorted}).words;
  for (const int most : {1, 2, 19})
    EXPECT_EQ(metric.Run({reference}, {distorted}, RandomBands(random, most)).words, whole);
}

TEST(FloatAdm, Pooling) {
  const PictureFormat format = {64, 48, 8};
  const Picture reference = FilmPicture(format, 0), distorted = FilmPicture(format, 0, true);
  const auto scores = Scores({}, reference, distorted);
  const double adm2 = scores.at("VMAF_feature_adm2_score"), aim = scores.at("VMAF_feature_aim_score");
  EXPECT_EQ(scores.at("VMAF_feature_adm3_score"), adm2 * 0.5 + (1 - aim) * 0.5);
  const auto adm3 = [&](const OptionTexts& texts) {
    return Scores(texts, reference, distorted).at("VMAF_feature_adm3_score");
  };
  EXPECT_EQ(adm3({{"adm_dlm_weight", "0.75"}}), adm2 * 0.75 + (1 - aim) * 0.25);
  EXPECT_EQ(adm3({{"adm_adm3_apply_hm", "true"}}), 2 * adm2 * aim / (adm2 + aim));
  EXPECT_EQ(adm3({{"adm_min_val", "0.99"}}), 0.99);
}

TEST(FloatAdm, SkippedScales) {
  const PictureFormat format = {64, 48, 8};
  const Picture reference = FilmPicture(format, 0), distorted = FilmPicture(format, 0, true);
  const auto all = Scores({{"debug", "true"}}, reference, distorted);
  const auto skipped = Scores({{"debug", "true"}, {"adm_skip_scale0", "true"}}, reference, distorted);
  EXPECT_EQ(skipped.at("VMAF_feature_adm_scale0_score"), 0.0);
  EXPECT_EQ(skipped.at("adm_den_scale0"), static_cast<double>(1e-10f));
  EXPECT_EQ(skipped.at("VMAF_feature_adm_scale3_score"), all.at("VMAF_feature_adm_scale3_score"));
  const auto no_aim = Scores({{"adm_skip_aim_scale", "2"}}, reference, distorted);
  EXPECT_EQ(no_aim.at("VMAF_feature_adm2_score"), all.at("VMAF_feature_adm2_score"));
  EXPECT_NE(no_aim.at("VMAF_feature_aim_score"), all.at("VMAF_feature_aim_score"));
}

TEST(FloatAdm, IdenticalPicturesAreOne) {
  for (const int depth : kDepths) {
    const PictureFormat format = {64, 48, depth};
    const Picture black = MakeTestPicture(format, [](int, int, int) { return 0; });
    for (const Picture& picture : {FilmPicture(format, 0), black}) {
      const auto scores = Scores({}, picture, picture);
      EXPECT_NEAR(scores.at("VMAF_feature_adm2_score"), 1.0, 2e-7);
      EXPECT_NEAR(scores.at("VMAF_feature_aim_score"), 0.0, 2e-7);
    }
    const auto nothing = Scores({{"adm_noise_weight", "0"}}, black, black);  // no detail and no noise
    EXPECT_EQ(nothing.at("VMAF_feature_adm2_score"), 1.0);
    EXPECT_EQ(nothing.at("VMAF_feature_aim_score"), 0.0);
  }
}

TEST(FloatAdm, RefusesWhatItCannotScore) {
  EXPECT_THAT(RefusalOf(kFloatAdmMetric, {}, {16, 64, 8}), HasSubstr("17x17"));
  EXPECT_EQ(RefusalOf(kFloatAdmMetric, {}, {17, 17, 8, PixelFormat::k400}), "");
  EXPECT_THAT(RefusalOf(kFloatAdmMetric, {{"adm_csf_mode", "10"}}, {64, 64, 8}), HasSubstr("adm_csf_mode"));
  EXPECT_THAT(RefusalOf(kFloatAdmMetric, {{"adm_skip_aim_scale", "-1"}}, {64, 64, 8}), HasSubstr("adm_skip_aim_scale"));
}

TEST(FloatAdm, KeysCarryOptions) {
  const auto options = *OptionValues::Parse(
      kFloatAdmMetric.options, {{"rdf", "2160"}, {"f1s0", "0.5"}, {"sasc", "0"}, {"aah", "true"}, {"debug", "true"}});
  EXPECT_EQ(MakeOutputKey(kFloatAdmMetric.outputs[2], options).shown, "adm3_aah_f1s0_0.5_rdf_2160_sasc_0");
  EXPECT_EQ(MakeOutputKey(kFloatAdmMetric.outputs[0], OptionValues(kFloatAdmMetric.options)).stored,
            "VMAF_feature_adm2_score");
}

}  // namespace
}  // namespace acutance
