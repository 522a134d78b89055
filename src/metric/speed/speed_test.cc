// SIMD against the plain loops, bit for bit, on every instruction set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "metric/speed/speed.h"
#include "metric/speed/speed_cpu.h"
#include "metric/testing/bands.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/pictures.h"
#include "metric/testing/spoiled_estimates.h"
#include "metric/testing/together.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

namespace floats {
#include "kernel/divide/any_float.kernel.h"
}  // namespace floats

constexpr int kDepths[] = {8, 10, 12, 16};

std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

TEST(ExactFloats, RoundCorrectlyAtAnySize) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> size(-126, 127);
  const auto check = [](float a, float b) {
    ASSERT_EQ(floats::divide_any_floats(a, b), a / b) << a << " / " << b;
    ASSERT_EQ(floats::divide_any_floats(-a, b), -a / b) << a << " / " << b;
    ASSERT_EQ(floats::root_of_any_float(a), std::sqrt(a)) << a;
    if (a < 0x1p62f) {
      ASSERT_EQ(floats::root_of_moderate_float(a), std::sqrt(a)) << a;
    }
  };
  for (int i = 0; i < 1000000; ++i) check(std::exp2(size(random)), std::exp2(size(random)));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float a : {0.0f, 1e-45f, 1e-38f, 1.0f, 3e38f, infinity})
    for (const float b : {1e-45f, 1e-6f, 25.0f, 3e38f}) check(a, b);
  EXPECT_TRUE(std::isnan(floats::divide_any_floats(infinity, infinity)));
  EXPECT_TRUE(std::isnan(floats::divide_any_floats(0, 0)));
  EXPECT_TRUE(std::isnan(floats::root_of_any_float(std::nanf(""))));
}

/// The inverse of a modulo an odd m.
uint64_t InverseModulo(uint64_t a, uint64_t m) {
  int64_t inverse = 0, next = 1;
  auto rest = static_cast<int64_t>(m), divisor = static_cast<int64_t>(a % m);
  while (divisor != 0) {
    const int64_t quotient = rest / divisor;
    inverse = std::exchange(next, inverse - quotient * next);
    rest = std::exchange(divisor, rest - quotient * divisor);
  }
  return inverse < 0 ? inverse + m : inverse;
}

/// Whether all estimates of 1 / b lead to the quotient.
bool DividesByFused(float a, float b) {
  const auto nearest = std::bit_cast<uint32_t>(1.0f / b);
  for (uint32_t step = -4u; step != 5u; ++step)
    if (floats::divide_by_fused(a, b, std::bit_cast<float>(nearest + step)) != a / b) return false;
  return true;
}

// A quotient of whole numbers A and B of 24 digits lies nearest to the middle of two floats where A * 2^24 or A * 2^25
// leaves 1 or B - 1 when divided by B. All odd B have been tried, here the largest and every 997th; and all A by the
// two largest B, here every 31st.
TEST(ExactFloats, DivideByFusedOperationsNearTheMiddle) {
  constexpr uint64_t kFirst = 1 << 23, kEnd = 1 << 24;
  const auto check = [](uint64_t a, uint64_t b) {
    ASSERT_TRUE(DividesByFused(static_cast<float>(a), static_cast<float>(b))) << a << " / " << b;
  };
  int tried = 0;
  for (uint64_t b = kFirst + 1; b < kEnd; b += b < kEnd - 3000 ? 2 * 997 : 2)
    for (const uint64_t power : {kEnd, 2 * kEnd}) {
      const uint64_t inverse = InverseModulo(power, b);
      for (uint64_t a : {inverse, b - inverse})
        for (; a < kEnd; a += b)
          if (a >= kFirst) check(a, b), ++tried;
    }
  EXPECT_GT(tried, 5000);
  for (uint64_t a = kFirst; a < kEnd; a += 31) {
    check(a, kEnd - 1);
    check(a, kEnd - 2);
  }
}

// All floats from 1 to 4 have been tried, here every 61st.
TEST(ExactFloats, RootByFusedOperations) {
  for (uint32_t bits = std::bit_cast<uint32_t>(1.0f); bits < std::bit_cast<uint32_t>(4.0f); bits += 61) {
    const auto a = std::bit_cast<float>(bits);
    const auto nearest = std::bit_cast<uint32_t>(static_cast<float>(1 / std::sqrt(static_cast<double>(a))));
    for (const uint32_t step : {-16u, -4u, -1u, 0u, 1u, 4u, 16u})
      ASSERT_EQ(floats::root_by_fused(a, std::bit_cast<float>(nearest + step)), std::sqrt(a)) << a;
  }
}

using Words = std::vector<int64_t>;

/// A picture, and what is made of it by both implementations.
struct Case {
  const TestPlane& plane;
  const TestPlane* less = nullptr;
  int bit_depth = 8;
  SpeedSettings settings = {};

  SpeedLayout Layout() const {
    return MakeSpeedLayout("speed", settings, plane.plane().width, plane.plane().height, bit_depth).value();
  }
  SpeedSource Source() const { return {&plane.plane(), less ? &less->plane() : nullptr}; }
};

std::vector<float> SampleRef(const Case& c) {
  const SpeedLayout layout = c.Layout();
  std::vector<float> samples(layout.samples());
  SampleSpeedRef(layout, c.Source(), {0, layout.rows}, samples.data());
  return samples;
}

std::vector<float> Sample(const Case& c, SpeedScratch& scratch, int band_rows) {
  const SpeedLayout layout = c.Layout();
  std::vector<float> samples(layout.samples(), -1);
  for (int y = 0; y < layout.rows; y += band_rows)
    SampleSpeed(layout, c.Source(), {y, std::min(y + band_rows, layout.rows)}, scratch, samples.data());
  return samples;
}

Words AnalyseRef(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples) {
  Words words(SpeedWords(layout));
  AnalyseSpeedRef(layout, sigma_nn, samples, words);
  return words;
}

void ExpectEqualToRef(const Case& c) {
  const SpeedLayout layout = c.Layout();
  const std::vector<float> samples = SampleRef(c);
  const Words expected = AnalyseRef(layout, c.settings.sigma_nn, samples);
  SpeedScratch scratch(layout);  // reused, dirty, as the engine does
  ForEachTarget([&] {
    for (const int rows : {layout.rows, 1, 3})
      EXPECT_EQ(Bits(Sample(c, scratch, rows)), Bits(samples))
          << layout.width << "x" << layout.height << " " << c.bit_depth << " bit";
    Words words(expected.size(), -1);
    AnalyseSpeed(layout, c.settings.sigma_nn, samples, scratch, words);
    EXPECT_EQ(words, expected) << layout.width << "x" << layout.height << " " << c.bit_depth << " bit";
  });
}

TEST(Speed, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{80, 80},   {81, 97},   {95, 111},  {160, 163}, {175, 190},
                                       {207, 260}, {260, 207}, {333, 351}, {640, 90},  {90, 640}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, height, depth, noise), b(width, height, depth, noise);
      ExpectEqualToRef({a, nullptr, depth});
      ExpectEqualToRef({a, &b, depth});
    }
}

TEST(Speed, EveryFilterAndResizing) {
  std::mt19937 random(2);
  for (const int depth : {8, 10}) {
    const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
    const TestPlane a(231, 245, depth, noise), b(231, 245, depth, noise);
    for (const float scale : {0.5f, 1.5f, 2.0f, 3.0f, 360.0f / 97})
      ExpectEqualToRef({a, &b, depth, {.kernel_scale = scale}});
    for (const ResizingMethod resizing :
         {ResizingMethod::kNearest, ResizingMethod::kBilinear, ResizingMethod::kBicubic, ResizingMethod::kLanczos})
      for (const double prescale : {0.45, 0.97, 1.3})
        for (const bool differs : {false, true})
          ExpectEqualToRef(
              {a, differs ? &b : nullptr, depth, {.kernel_scale = 2, .prescale = prescale, .resizing = resizing}});
  }
}

TEST(Speed, ExtremesAndSmoothPictures) {
  using Pattern = int (*)(int x, int y, int max);
  const Pattern patterns[] = {
      [](int, int, int) { return 0; },
      [](int, int, int max) { return max; },
      [](int, int, int max) { return (max + 1) / 2; },
      [](int x, int y, int max) { return (x / 16 + y / 16) % 2 * max; },
      [](int x, int, int max) { return x / 48 % 2 * max; },
      [](int x, int y, int max) { return (5 * x + 3 * y) * (max / 700 + 1) % (max + 1); },
      [](int x, int y, int max) { return x / 16 * 7919 % 31 * y / 16 * 104729 % 61 % 3 * (max / 2); },
  };
  for (const int depth : kDepths)
    for (const Pattern pattern : patterns) {
      const int max = (1 << depth) - 1;
      const TestPlane a(243, 254, depth, [&](int x, int y) { return pattern(x, y, max); });
      const TestPlane b(243, 254, depth, [&](int x, int y) { return pattern(y, x, max); });
      ExpectEqualToRef({a, nullptr, depth});
      ExpectEqualToRef({a, &b, depth, {.sigma_nn = 0.1f}});
      ExpectEqualToRef({b, &a, depth, {.sigma_nn = 2}});
    }
}

TEST(Speed, PicturesThatAreNotNoise) {
  const TestPlane a(400, 360, 8, [](int x, int y) { return KnownSample(0, x, y, 0, false, 8); });
  const TestPlane b(400, 360, 8, [](int x, int y) { return KnownSample(0, x, y, 1, true, 8); });
  ExpectEqualToRef({a});
  ExpectEqualToRef({a, &b});
}

/// Small pictures straight from a generator: their covariances are of every size and condition.
TEST(Speed, CovariancesOfEveryCondition) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const TestPlane plane(350, 330, 8, [](int, int) { return 0; });
  const SpeedLayout layout = Case{plane}.Layout();
  SpeedScratch scratch(layout);
  int regular = 0;
  for (int i = 0; i < 60; ++i) {
    const float size = std::ldexp(1.0f, i % 20 - 10), mix = i % 3 * 0.49f;
    std::vector<float> samples(layout.samples());
    for (size_t s = 0; s < samples.size(); ++s)
      samples[s] = size * normal(random) + (s > 0 ? mix * samples[s - 1] : 0.0f);
    const Words expected = AnalyseRef(layout, 0.29f, samples);
    regular += expected.back() == 0;
    ForEachTarget([&] {
      Words words(expected.size(), -1);
      AnalyseSpeed(layout, 0.29f, samples, scratch, words);
      EXPECT_EQ(words, expected) << i;
    });
  }
  EXPECT_GT(regular, 40);
  EXPECT_LT(regular, 60);
}

// --- The metrics as the engine sees them: known answers, bands, options, pictures that they refuse

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
  // Enlarged; libvmaf reads out of bounds here.
  EXPECT_EQ(KnownScores(kSpeedTemporalMetric, {{"ps", "1.4"}, {"psm", "bicubic"}}, 8, 1), Column{1.7679495811462402});
}

TEST(Speed, NoSplitIntoBandsChangesABit) {
  for (const Metric* metric : {&kSpeedChromaMetric, &kSpeedTemporalMetric})
    ExpectNoSplitShows({*metric, {}, kKnownFormat}, KnownFilm(8, 2, false), KnownFilm(8, 2, true), {1, 2, 8, 18, 27});
}

TEST(SpeedChroma, SharesTheReferenceAmongVideos) {
  const std::vector<Picture> distorted = {KnownPicture(8, 0, true), KnownPicture(8, 1, true),
                                          KnownPicture(8, 2, false)};
  for (const int rows : {1, 7, 60})
    ExpectTogetherAsAlone(kSpeedChromaMetric, {}, KnownPicture(8, 0, false), distorted, rows);
}

/// Frames of 8 bits expanded to `bit_depth`.
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
