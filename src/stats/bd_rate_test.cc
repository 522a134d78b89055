#include "stats/bd_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace acutance {
namespace {

using testing::HasSubstr;

using Points = std::vector<RatePoint>;

Points MakePoints(const std::vector<double>& rates, const std::vector<double>& qualities) {
  Points points;
  for (size_t i = 0; i < rates.size(); ++i) points.push_back({rates[i], qualities[i]});
  SortByRate(points);
  return points;
}

struct Pair {
  Points anchor, test;
};

Pair Four() {
  return {MakePoints({9487.76, 4593.60, 2486.44, 1358.24}, {40.037, 38.615, 36.845, 34.851}),
          MakePoints({9787.80, 4469.00, 2451.52, 1356.24}, {40.121, 38.651, 36.970, 34.987})};
}
Pair Six() {
  return {MakePoints({300, 600, 1200, 2400, 4800, 9600}, {55.2, 68.9, 80.3, 88.7, 93.9, 96.8}),
          MakePoints({250, 520, 1000, 2100, 4000, 8000}, {57.1, 70.2, 81.0, 89.9, 94.4, 97.1})};
}
Pair Uneven() {
  return {MakePoints({100, 150, 400, 450, 2000}, {30.0, 33.5, 36.0, 36.2, 41.0}),
          MakePoints({120, 300, 500, 1500}, {31.5, 35.9, 37.1, 40.2})};
}

BdResult Bd(const Pair& pair, CurveMethod method) {
  const auto result = BdOf("anchor", pair.anchor, "test", pair.test, method);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return *result;
}

// What bjontegaard 1.3.0 of PyPI says, with scipy 1.17.1.
TEST(BdRate, KnownAnswers) {
  struct Known {
    Pair pair;
    CurveMethod method;
    double rate, quality;
  };
  const Known known[] = {
      {Four(), CurveMethod::kCubic, -4.420462706026296, 0.12040941911471303},
      {Four(), CurveMethod::kPchip, -4.417485350589045, 0.11969278542479489},
      {Four(), CurveMethod::kAkima, -4.425245156997493, 0.11940927028529469},
      {Six(), CurveMethod::kCubic, -21.32428846439248, 2.8619809483171137},
      {Six(), CurveMethod::kPchip, -21.401725303509846, 2.836498549927097},
      {Six(), CurveMethod::kAkima, -21.36907953241922, 2.8389593862708336},
      {Uneven(), CurveMethod::kCubic, -15.324645489755373, 0.6181578155883686},
      {Uneven(), CurveMethod::kPchip, -13.634670558185412, 0.3341969621817009},
      {Uneven(), CurveMethod::kAkima, -11.990652790907607, 0.30838748305122965},
  };
  for (const Known& k : known) {
    const BdResult result = Bd(k.pair, k.method);
    EXPECT_NEAR(result.rate_percent, k.rate, 1e-9) << kCurveMethodNames[static_cast<int>(k.method)];
    EXPECT_NEAR(result.quality, k.quality, 1e-9) << kCurveMethodNames[static_cast<int>(k.method)];
  }
}

// Computed with 60 digits. bjontegaard 1.3.0 is 4e-7 away from it: it fits in powers of the quality itself, near 86,
// which cancel.
TEST(BdRate, CubicIsExactWhereQualitiesLieCloseTogether) {
  const Pair pair = {MakePoints({90.6, 211.3, 403.0, 793.4}, {85.77, 86.17, 86.93, 87.89}),
                     MakePoints({102.7, 236.8, 376.8, 755.0}, {85.37, 85.94, 86.77, 88.06})};
  const BdResult result = Bd(pair, CurveMethod::kCubic);
  EXPECT_NEAR(result.rate_percent, 9.2362264314207815864, 1e-11);
  EXPECT_NEAR(result.quality, -0.19638903982162254487, 1e-12);
}

TEST(BdRate, TwiceTheRateIsAHundredPercentByEveryMethod) {
  Pair pair = Six();
  pair.test = pair.anchor;
  for (RatePoint& point : pair.test) point.rate *= 2;
  for (const CurveMethod method : kCurveMethods) EXPECT_NEAR(Bd(pair, method).rate_percent, 100, 1e-9);
  pair.test = pair.anchor;
  for (RatePoint& point : pair.test) point.quality += 1.5;
  for (const CurveMethod method : kCurveMethods) EXPECT_NEAR(Bd(pair, method).quality, 1.5, 1e-9);
}

TEST(BdRate, Refusals) {
  const auto refusal = [](const Points& anchor, const Points& test) {
    const auto result = BdOf("x264", anchor, "svt", test, CurveMethod::kPchip);
    return result.ok() ? "" : result.status().message();
  };
  const Points good = Six().anchor;
  EXPECT_EQ(refusal(good, good), "");
  EXPECT_THAT(refusal(good, MakePoints({1, 2, 3}, {60, 70, 80})), HasSubstr("svt has 3 points"));
  EXPECT_THAT(refusal(MakePoints({300, 600, 1200, 2400}, {60, 70, 69.9, 80}), good), HasSubstr("x264 is not monotone"));
  EXPECT_THAT(refusal(good, MakePoints({300, 300, 1200, 2400}, {60, 70, 75, 80})), HasSubstr("not monotone"));
  EXPECT_THAT(refusal(good, MakePoints({0, 300, 1200, 2400}, {60, 70, 75, 80})), HasSubstr("the rate 0"));
  EXPECT_THAT(refusal(good, MakePoints({300, 600, 1200, 2400}, {1, 2, 3, 4})), HasSubstr("0 % of their qualities"));
  EXPECT_THAT(refusal(good, MakePoints({1, 2, 3, 4}, {60, 70, 75, 80})), HasSubstr("0 % of their rates"));
  EXPECT_NE(refusal(good, MakePoints({300, 600, 1200, NAN}, {60, 70, 75, 80})), "");
}

TEST(BdRate, OverlapIsOfWhatBothCover) {
  const Overlap overlap = OverlapOf(MakePoints({10, 100}, {0, 50}), MakePoints({100, 1000}, {25, 100}));
  EXPECT_DOUBLE_EQ(overlap.quality, 0.25);
  EXPECT_DOUBLE_EQ(overlap.rate, 0);
}

TEST(BdRate, IntervalsHoldTheValueAndNarrowWithFrames) {
  const auto with_scores = [](Points points, size_t frames) {
    Random random(3);
    std::vector<double> content;
    for (size_t i = 0; i < frames; ++i) content.push_back(8 * (random.Uniform() - 0.5));
    for (RatePoint& point : points)
      for (const double c : content) point.scores.push_back(point.quality + c + 2 * (random.Uniform() - 0.5));
    return points;
  };
  const Pair six = Six();
  double widths[2];
  for (int i = 0; i < 2; ++i) {
    const size_t frames = i == 0 ? 100 : 1600;
    const auto result = BdWithIntervals("a", with_scores(six.anchor, frames), "b", with_scores(six.test, frames),
                                        CurveMethod::kPchip, 5, {.resamples = 200});
    ASSERT_TRUE(result.ok() && result->rate_interval && result->quality_interval);
    EXPECT_LT(result->rate_interval->low, result->rate_percent + 0.5);
    EXPECT_GT(result->rate_interval->high, result->rate_percent - 0.5);
    widths[i] = result->rate_interval->high - result->rate_interval->low;
  }
  EXPECT_LT(widths[1], widths[0] / 2);
  const auto without = BdWithIntervals("a", six.anchor, "b", six.test, CurveMethod::kPchip, 5, {});
  ASSERT_TRUE(without.ok());
  EXPECT_FALSE(without->rate_interval);
}

TEST(ConvexHull, LeavesOutWhatAMixtureBeats) {
  // 10 -> 100 -> 1000 are evenly spaced logarithms.
  EXPECT_EQ(ConvexHull(MakePoints({10, 100, 1000}, {50, 80, 90})), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(ConvexHull(MakePoints({10, 100, 1000}, {50, 60, 90})), (std::vector<size_t>{0, 2}));
  EXPECT_EQ(ConvexHull(MakePoints({10, 100, 1000}, {50, 80, 70})), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(ConvexHull(MakePoints({10, 10, 1000}, {50, 60, 90})), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(ConvexHull(MakePoints({5}, {50})), (std::vector<size_t>{0}));
  EXPECT_TRUE(ConvexHull({}).empty());
}

TEST(Curve, GoesThroughItsPoints) {
  const std::vector<double> x = {1, 2, 4, 5}, y = {3, 1, 4, 4.5};
  for (const CurveMethod method : kCurveMethods) {
    const Curve curve(method, x, y);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(curve.At(x[i]), y[i], 1e-12);
    double sum = 0;
    constexpr int kSteps = 20000;
    for (int i = 0; i < kSteps; ++i) sum += curve.At(1.5 + (i + 0.5) * 3 / kSteps) * 3 / kSteps;
    EXPECT_NEAR(curve.Integral(1.5, 4.5), sum, 1e-7);
  }
}

}  // namespace
}  // namespace acutance
