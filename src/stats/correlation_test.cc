// Against scipy 1.x: stats.pearsonr, spearmanr, kendalltau, optimize.curve_fit, and the tails of normal and F
// distributions.
#include "stats/correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace acutance {
namespace {

const std::vector<double> kScores = {12, 35.5, 35.5, 48, 60.25, 71, 77, 82.5, 90, 95, 96, 97.5};
const std::vector<double> kOpinions = {1.2, 1.9, 1.7, 2.6, 2.6, 3.4, 3.9, 3.7, 4.4, 4.3, 4.8, 4.7};

TEST(Correlation, EqualsScipy) {
  EXPECT_NEAR(Pearson(kScores, kOpinions), 0.9838360759441371, 1e-14);
  EXPECT_NEAR(Spearman(kScores, kOpinions), 0.9754385964912281, 1e-14);
  EXPECT_NEAR(Kendall(kScores, kOpinions), 0.8923076923076924, 1e-14);
}

TEST(Correlation, OfAConstantIsNone) {
  const std::vector<double> flat(kScores.size(), 3.0);
  for (const auto statistic : {Pearson, Spearman, Kendall}) EXPECT_TRUE(std::isnan(statistic(kScores, flat)));
}

TEST(FitLogistic, FindsTheCurveOfLeastSquares) {
  const LogisticCurve curve = FitLogistic(kScores, kOpinions);
  std::vector<double> fitted, falling;
  double errors = 0;
  for (size_t i = 0; i < kScores.size(); ++i) {
    fitted.push_back(curve(kScores[i]));
    errors += std::pow(fitted[i] - kOpinions[i], 2);
    falling.push_back(-kScores[i]);
  }
  EXPECT_NEAR(Pearson(fitted, kOpinions), 0.9882706200138529, 1e-12);
  EXPECT_NEAR(std::sqrt(errors / 12), 0.1809429405875698, 1e-12);
  const LogisticCurve mirrored = FitLogistic(falling, kOpinions);
  for (size_t i = 0; i < kScores.size(); ++i) EXPECT_NEAR(mirrored(falling[i]), fitted[i], 1e-6);
}

TEST(FitLogistic, IsNotMisledByOneScore) {
  std::vector<double> scores = kScores, opinions = kOpinions;
  scores.push_back(1e6);
  opinions.push_back(3.9);
  const LogisticCurve curve = FitLogistic(scores, opinions);
  double errors = 0;
  for (size_t i = 0; i < scores.size(); ++i) errors += std::pow(curve(scores[i]) - opinions[i], 2);
  EXPECT_LT(std::sqrt(errors / 13), 0.4) << "the usual start leads to 1.16";
}

TEST(FitLogistic, RecoversACurve) {
  const LogisticCurve truth{1, 5, 60, 9};
  std::vector<double> scores, opinions;
  for (int i = 0; i < 40; ++i) scores.push_back(2.5 * i), opinions.push_back(truth(2.5 * i));
  const LogisticCurve found = FitLogistic(scores, opinions);
  EXPECT_NEAR(found.bottom, 1, 1e-9);
  EXPECT_NEAR(found.top, 5, 1e-9);
  EXPECT_NEAR(found.middle, 60, 1e-8);
  EXPECT_NEAR(found.width, 9, 1e-8);
}

TEST(Significance, EqualsScipy) {
  EXPECT_NEAR(EqualCorrelationsP(0.9, 0.8, 40), 0.10806636086753839, 1e-12);
  EXPECT_NEAR(EqualCorrelationsP(0.95, 0.3, 40), 5.851093399199581e-11, 1e-22);
  EXPECT_NEAR(EqualCorrelationsP(0.9, 0.9, 40), 1, 1e-12);
  EXPECT_NEAR(EqualErrorsP(1.7, 1, 36), 0.11599587639057816, 1e-12);
  EXPECT_NEAR(EqualErrorsP(1, 1.05, 7), 0.950337228403257, 1e-12);
  EXPECT_NEAR(EqualErrorsP(2, 2, 7), 1, 1e-12);
  EXPECT_TRUE(std::isnan(EqualCorrelationsP(1, 0.5, 9)));
  EXPECT_TRUE(std::isnan(EqualErrorsP(0, 1, 9)));
}

}  // namespace
}  // namespace acutance
