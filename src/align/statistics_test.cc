#include "align/statistics.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

TEST(LumaFit, ExplainsWhatLiesOnALine) {
  LumaFit rising, falling;
  for (int x = 0; x < 10; ++x) rising.Add(x, 3 * x + 7), falling.Add(x, -x);
  EXPECT_NEAR(rising.Unexplained(), 0, 1e-12);
  EXPECT_NEAR(rising.Residual(), 0, 1e-12);
  EXPECT_NEAR(rising.covariance() / rising.variance_x(), 3, 1e-12);
  EXPECT_EQ(falling.Unexplained(), 1) << "a negative is no encode";
  EXPECT_NEAR(falling.Residual(), 0, 1e-12);
}

TEST(LumaFit, LeavesWhatDoesNot) {
  LumaFit fit;
  for (const double x : {-1.0, 1.0})
    for (const double noise : {-2.0, 2.0}) fit.Add(x, x + noise);
  EXPECT_NEAR(fit.Residual(), 4, 1e-12);
  EXPECT_NEAR(fit.Unexplained(), 0.8, 1e-12);
}

TEST(Median, IsTheUpperMiddle) {
  EXPECT_EQ(Median<int>({5, 1, 9}), 5);
  EXPECT_EQ(Median<int>({5, 1, 9, 7}), 7);
  EXPECT_EQ(Median<int>({}, 3), 3);
}

}  // namespace
}  // namespace acutance
