// The metrics as the engine sees them: known answers, bands, options, pictures that they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "metric/speed/speed.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "metric/testing/together.h"

namespace acutance {
namespace {

using Column = std::vector<double>;

constexpr PictureFormat kKnownFormat = {400, 360, 8};

std::vector<Picture> KnownFilm(int bit_depth, int frames, bool distorted) {
  std::vector<Picture> film;
  for (int t = 0; t < frames; ++t) film.push_back(KnownPicture(bit_depth, t, distorted));
  return film;
}

/// The outputs of frame `frame` of the known pictures.
Column KnownScores(const Metric& metric, const OptionTexts& texts, int bit_depth, int frame) {
  const TestMetric test(metric, texts, {400, 360, bit_depth});
  return test.Run(KnownFilm(bit_depth, frame + 1, false), KnownFilm(bit_depth, frame + 1, true)).values;
}

// docs/spec/siblings.md B.1.
TEST(SpeedChroma, KnownAnswers) {
  EXPECT_EQ(KnownScores(kSpeedChromaMetric, {}, 8, 0),
            (Column{2.166168212890625, 4.2652435302734375, 3.2157058715820312}));
  EXPECT_EQ(KnownScores(kSpeedChromaMetric, {}, 10, 0),
            (Column{2.166536331176758, 4.262950897216797, 3.2147436141967773}));
}

TEST(SpeedTemporal, KnownAnswers) {
  const double eight[] = {0, 1.1429450511932373, 1.7264991998672485};
  const double ten[] = {0, 1.1432603597640991, 1.7271299362182617};
  for (int t = 0; t < 3; ++t) {
    EXPECT_EQ(KnownScores(kSpeedTemporalMetric, {}, 8, t), Column{eight[t]});
    EXPECT_EQ(KnownScores(kSpeedTemporalMetric, {}, 10, t), Column{ten[t]});
  }
}

// Frame 1; the definition's numbers, of which a build of libvmaf printed the same six decimals.
TEST(SpeedChroma, Options) {
  struct Answer {
    OptionTexts options;
    Column scores;
  };
  const Answer answers[] = {
      {{{"ks", "0.5"}}, {0.6581516265869141, 0.942779541015625, 0.8004655838012695}},
      {{{"ks", "3.71134"}, {"wvm", "3"}}, {0.18819808959960938, 0.7228317260742188, 0.45551490783691406}},
      {{{"ps", "0.9"}}, {2.1118087768554688, 0.9126548767089844, 1.5122318267822266}},
      {{{"ps", "1.7"}, {"psm", "bicubic"}}, {3.510089159011841, 2.74920654296875, 3.129647731781006}},
      {{{"ps", "1.4"}, {"psm", "lanczos4"}, {"wvm", "6"}}, {1.1410645246505737, 2.118114948272705, 1.6295897960662842}},
      {{{"ps", "0.9"}, {"psm", "bilinear"}, {"snn", "0.19"}, {"nnf", "0.1"}, {"wvm", "5"}},
       {0.7335662841796875, 0.571075439453125, 0.6523208618164062}},
      {{{"wvm", "1"}}, {0.1581859588623047, 0.6336097717285156, 0.39589786529541016}},
      {{{"wvm", "2"}}, {0.1581134796142578, 0.624420166015625, 0.3912668228149414}},
      {{{"wvm", "4"}}, {0.37935638427734375, 1.8360862731933594, 1.1077213287353516}},
      {{{"nnf", "1"}, {"snn", "2"}}, {0.7293968200683594, 3.1239776611328125, 1.926687240600586}},
      {{{"mxv", "1.5"}}, {0.6837158203125, 1.5, 1.5}},
  };
  for (const Answer& answer : answers) {
    const Metric& metric = kSpeedChromaMetric;
    EXPECT_EQ(KnownScores(metric, answer.options, 8, 1), answer.scores)
        << OptionValues::Parse(metric.options, answer.options)->KeySuffix();
  }
}

TEST(SpeedTemporal, Options) {
  const Metric& metric = kSpeedTemporalMetric;
  EXPECT_EQ(KnownScores(metric, {{"urd", "true"}}, 8, 1), Column{0.9606186151504517});
  EXPECT_EQ(KnownScores(metric, {{"urd", "true"}}, 8, 2), Column{1.4366012811660767});
  EXPECT_EQ(KnownScores(metric, {{"ps", "0.6"}, {"psm", "lanczos4"}, {"ks", "2"}}, 8, 1), Column{2.0385196208953857});
  EXPECT_EQ(KnownScores(metric, {{"mxv", "1"}}, 8, 1), Column{1.1429450511932373});  // no limit, as in libvmaf
}

// libvmaf reads out of bounds here.
TEST(SpeedTemporal, EnlargedPictures) {
  EXPECT_EQ(KnownScores(kSpeedTemporalMetric, {{"ps", "1.4"}, {"psm", "bicubic"}}, 8, 1), Column{1.7679495811462402});
}

TEST(Speed, NoSplitIntoBandsChangesABit) {
  std::mt19937 random(5);
  const auto reference = KnownFilm(8, 2, false), distorted = KnownFilm(8, 2, true);
  for (const Metric* metric : {&kSpeedChromaMetric, &kSpeedTemporalMetric}) {
    const TestMetric test(*metric, {}, kKnownFormat);
    const std::vector<int64_t> whole = test.Run(reference, distorted).words;
    for (const int most : {1, 2, 8, 18, 27})
      EXPECT_EQ(test.Run(reference, distorted, RandomBands(random, most)).words, whole);
  }
}

TEST(SpeedChroma, SharesTheReferenceAmongVideos) {
  const std::vector<Picture> distorted = {KnownPicture(8, 0, true), KnownPicture(8, 1, true),
                                          KnownPicture(8, 2, false)};
  for (const int rows : {1, 7, 60})
    ExpectTogetherAsAlone(kSpeedChromaMetric, {}, KnownPicture(8, 0, false), distorted, rows);
}

/// Frames of 8 bits raised to `bit_depth`.
std::vector<Picture> Raised(int bit_depth, bool distorted) {
  std::vector<Picture> film;
  for (int t = 0; t < 2; ++t)
    film.push_back(MakeTestPicture({400, 360, bit_depth}, [&](int p, int x, int y) {
      return KnownSample(p, x, y, t, distorted, 8) << (bit_depth - 8);
    }));
  return film;
}

TEST(Speed, BitDepthIsAFactor) {
  for (const Metric* metric : {&kSpeedChromaMetric, &kSpeedTemporalMetric})
    for (const int depth : {10, 12, 16})
      EXPECT_EQ(TestMetric(*metric, {}, {400, 360, depth}).Run(Raised(depth, false), Raised(depth, true)).values,
                TestMetric(*metric, {}, kKnownFormat).Run(Raised(8, false), Raised(8, true)).values);
}

TEST(SpeedChroma, AllChromaFormats) {
  for (const auto& [chroma, width, height] :
       {std::tuple{PixelFormat::k420, 481, 321}, {PixelFormat::k422, 481, 180}, {PixelFormat::k444, 240, 180}}) {
    const PictureFormat format = {width, height, 8, chroma};
    const auto fill = [](bool distorted) {
      return [distorted](int p, int x, int y) { return KnownSample(p, x, y, 0, distorted, 8); };
    };
    const std::vector<double> scores =
        TestMetric(kSpeedChromaMetric, {}, format)
            .Values(MakeTestPicture(format, fill(false)), MakeTestPicture(format, fill(true)));
    EXPECT_GT(scores[0], 0.1);
    EXPECT_GT(scores[1], 0.1);
    EXPECT_FLOAT_EQ(scores[2], (scores[0] + scores[1]) / 2);
  }
}

/// Chroma planes: noise, or the value of the plane in `flat`.
Picture NoiseOrFlat(unsigned flat) {
  std::mt19937 random(3);
  return MakeTestPicture({400, 360, 8}, [&](int p, int, int) { return flat >> p & 1 ? 16 : random() & 255; });
}

TEST(SpeedChroma, IdenticalAndFlatPictures) {
  const TestMetric test(kSpeedChromaMetric, {}, kKnownFormat);
  EXPECT_EQ(test.Values(NoiseOrFlat(0), NoiseOrFlat(0)), (Column{0, 0, 0}));
  EXPECT_EQ(test.Values(NoiseOrFlat(7), NoiseOrFlat(7)), (Column{0, 0, 0}));
  EXPECT_EQ(test.Values(NoiseOrFlat(0), NoiseOrFlat(7)), (Column{0, 0, 0}));
}

// The other plane stands for a plane whose covariances have no inverse on one side or both.
TEST(SpeedChroma, OnePlaneIsSingular) {
  const TestMetric test(kSpeedChromaMetric, {}, kKnownFormat);
  const Picture known = KnownPicture(8, 0, false);
  const auto with_flat = [](bool distorted, unsigned flat) {
    return MakeTestPicture(
        {400, 360, 8}, [=](int p, int x, int y) { return flat >> p & 1 ? 16 : KnownSample(p, x, y, 0, distorted, 8); });
  };
  constexpr unsigned kCb = 2, kCr = 4;
  constexpr double u = 2.166168212890625, v = 4.2652435302734375;
  EXPECT_EQ(test.Values(known, with_flat(true, kCb)), (Column{0, v, v}));
  EXPECT_EQ(test.Values(with_flat(false, kCr), with_flat(true, 0)), (Column{u, 0, u}));
  EXPECT_EQ(test.Values(with_flat(false, kCb), with_flat(true, kCb)), (Column{0, v, v}));
}

TEST(SpeedTemporal, StillAndFlatVideo) {
  const TestMetric test(kSpeedTemporalMetric, {}, kKnownFormat);
  const Picture still = KnownPicture(8, 0, false), flat = NoiseOrFlat(7);
  EXPECT_EQ(test.Run({still, still}, KnownFilm(8, 2, true)).values, Column{0});
  EXPECT_EQ(test.Run({flat, flat}, {flat, flat}).values, Column{0});
  EXPECT_EQ(test.Run(KnownFilm(8, 2, false), KnownFilm(8, 2, false)).values, Column{0});
}

TEST(SpeedTemporal, ReadsLumaAlone) {
  EXPECT_EQ(RefusalOf(kSpeedTemporalMetric, {}, {400, 360, 8, PixelFormat::k400}), "");
  EXPECT_TRUE(kSpeedTemporalMetric.every_frame);
  for (const InputSpec& input : InputsOf(kSpeedTemporalMetric, OptionValues(kSpeedTemporalMetric.options))) {
    EXPECT_EQ(input.planes, kLuma);
    EXPECT_EQ(input.history, 1);
  }
}

TEST(Speed, PicturesWithoutABlockAreRefused) {
  EXPECT_THAT(RefusalOf(kSpeedChromaMetric, {}, {400, 360, 8, PixelFormat::k400}), testing::HasSubstr("chroma"));
  for (const auto& [width, height] : {std::pair{159, 400}, {400, 159}}) {
    EXPECT_THAT(RefusalOf(kSpeedChromaMetric, {}, {width, height, 8}), testing::HasSubstr("80x80"));
    EXPECT_EQ(RefusalOf(kSpeedChromaMetric, {}, {width, height, 8, PixelFormat::k444}), "");
    EXPECT_EQ(RefusalOf(kSpeedChromaMetric, {{"ps", "1.1"}}, {width, height, 8}), "");
  }
  EXPECT_EQ(RefusalOf(kSpeedChromaMetric, {}, {160, 160, 8}), "");
  EXPECT_THAT(RefusalOf(kSpeedTemporalMetric, {}, {79, 400, 8}), testing::HasSubstr("80x80"));
  EXPECT_EQ(RefusalOf(kSpeedTemporalMetric, {}, {80, 80, 8}), "");
  EXPECT_THAT(RefusalOf(kSpeedTemporalMetric, {{"ps", "0.5"}}, {158, 400, 8}), testing::HasSubstr("79x200"));
}

TEST(SpeedTemporal, SmallestSource) {
  const PictureFormat format = {20, 20, 8};
  EXPECT_THAT(RefusalOf(kSpeedTemporalMetric, {{"ps", "4"}}, {19, 20, 8}), testing::HasSubstr("76x80"));
  EXPECT_EQ(TestMetric(kSpeedTemporalMetric, {{"ps", "4"}, {"psm", "lanczos4"}}, format)
                .Run({FilmPicture(format, 0), FilmPicture(format, 1)}, {FilmPicture(format, 0), FilmPicture(format, 2)})
                .values,
            Column{0});
}

TEST(Speed, OptionsThatLibvmafCannotUseAreRefused) {
  for (const Metric* metric : {&kSpeedChromaMetric, &kSpeedTemporalMetric}) {
    EXPECT_THAT(RefusalOf(*metric, {{"ks", "1.1"}}, kKnownFormat), testing::HasSubstr("1.06667"));
    EXPECT_EQ(RefusalOf(*metric, {{"ks", "1.0005"}}, kKnownFormat), "");
    EXPECT_THAT(RefusalOf(*metric, {{"psm", "foo"}}, kKnownFormat), testing::HasSubstr("'foo'"));
    EXPECT_THAT(RefusalOf(*metric, {{"ps", "5"}}, kKnownFormat), testing::HasSubstr("0.1 to 4"));
  }
  EXPECT_THAT(RefusalOf(kSpeedChromaMetric, {{"wvm", "7"}}, kKnownFormat), testing::HasSubstr("0 to 6"));
  EXPECT_NE(RefusalOf(kSpeedTemporalMetric, {{"wvm", "1"}}, kKnownFormat), "");
}

TEST(Speed, KeysCarryOptions) {
  const auto chroma = *OptionValues::Parse(
      kSpeedChromaMetric.options, {{"nnf", "0.5"}, {"snn", "1"}, {"psm", "bilinear"}, {"wvm", "5"}, {"ks", "1"}});
  EXPECT_EQ(MakeOutputKey(kSpeedChromaMetric.outputs[0], chroma).shown,
            "speed_chroma_u_nnf_0.5_psm_bilinear_snn_1_wvm_5");
  const auto temporal = *OptionValues::Parse(kSpeedTemporalMetric.options, {{"mxv", "1"}, {"urd", "true"}});
  EXPECT_EQ(MakeOutputKey(kSpeedTemporalMetric.outputs[0], temporal).shown, "speed_temporal_mxv_1_urd");
  EXPECT_EQ(MakeOutputKey(kSpeedTemporalMetric.outputs[0], OptionValues(kSpeedTemporalMetric.options)).stored,
            "Speed_temporal_feature_speed_temporal_score");
}

// docs/spec/siblings.md 2.3: nine digits, which name a float.
TEST(SpeedLayout, Taps) {
  const SpeedLayout layout = MakeSpeedLayout("speed", {}, 400, 360, 8).value();
  EXPECT_EQ(layout.blur, (std::vector<float>{.0756488293f, .0991033912f, .120188937f, .13493669f, .14024429f,
                                             .13493669f, .120188937f, .0991033912f, .0756488293f}));
  EXPECT_EQ(layout.sharpen, (std::vector<float>{.166378513f, .667242944f, .166378513f}));
  const std::pair<float, size_t> sizes[] = {{0.5f, 5}, {2.0f / 3, 7}, {1.5f, 15}, {2, 19}, {360.0f / 97, 35}};
  for (const auto& [scale, taps] : sizes)
    EXPECT_EQ(MakeSpeedLayout("speed", {.kernel_scale = scale}, 400, 360, 8)->blur.size(), taps) << scale;
}

TEST(SpeedEigenvalues, OfAStringOfBeads) {
  std::vector<float> diagonal(kSpeedValues, 2.0f), beside(kSpeedValues, -1.0f);
  SolveTridiagonal(std::span<float, kSpeedValues>(diagonal), std::span<float, kSpeedValues>(beside));
  std::ranges::sort(diagonal);
  for (int k = 0; k < kSpeedValues; ++k)
    EXPECT_NEAR(diagonal[k], 2 - 2 * std::cos(std::acos(-1.0) * (k + 1) / (kSpeedValues + 1)), 2e-5);
}

}  // namespace
}  // namespace acutance
