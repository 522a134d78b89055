#include "stats/avm_bd_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace acutance {
namespace {

using AvmPoints = std::vector<RatePoint>;

const AvmPoints kAnchor = {{450.951234, 29.813411},  {853.983598, 29.882469},  {1975.129279, 34.068025},
                           {3526.588549, 38.238173}, {6467.824987, 40.597654}, {12453.748847, 43.859537}};
const AvmPoints kTest = {{743.908518, 28.300015},  {1523.118661, 29.191022}, {1977.255356, 31.149882},
                         {4704.923478, 31.804165}, {11101.132612, 32.83886}, {22224.588642, 38.567625}};

std::string AvmRefusal(const AvmPoints& anchor, const AvmPoints& test, bool saturates = false) {
  const Result<double> rate = AvmBdRate(anchor, test, saturates);
  return rate.ok() ? "" : rate.status().message();
}

// What BD_RATE of AVM's CalcBDRate.py at 471fbd95b29d says, with scipy 1.17.1.
TEST(AvmBdRate, AreThoseOfAvm) {
  EXPECT_EQ(*AvmBdRate(kAnchor, kTest, false), 393.9318);
  EXPECT_EQ(*AvmBdRate({{{100, 10}, {140, 10.0001}, {200, 10.0002}, {400, 39}}},
                       {{{90, 10.00005}, {150, 10.0003}, {300, 38}, {500, 44}}}, false),
            -31.5291);
  EXPECT_EQ(*AvmBdRate(kAnchor, kAnchor, false), 0.0);
}

TEST(AvmBdRate, TakesPointsInAnyOrderAndTheCheapestOfEqualQualities) {
  AvmPoints shuffled = kTest;
  std::swap(shuffled[0], shuffled[4]);
  EXPECT_EQ(*AvmBdRate(kAnchor, shuffled, false), 393.9318);
  AvmPoints doubled = kTest;
  doubled.push_back({23000, 38.567625});
  EXPECT_EQ(*AvmBdRate(kAnchor, doubled, false), 393.9318);
}

TEST(AvmBdRate, RefusesInAvmsWords) {
  EXPECT_EQ(AvmRefusal({{100, 30}, {200, 29}}, kTest), "Error: Non-monotonic");
  EXPECT_EQ(AvmRefusal({{0, 30}, {200, 31}}, kTest), "Error: Invalid Input Data");
  EXPECT_EQ(AvmRefusal({}, kTest), "Error: one of input lists is empty!");
  EXPECT_EQ(AvmRefusal({{100, 50}, {200, 60}}, kTest), "Error: no overlap from input 2 lists of quality metrics!");
  EXPECT_EQ(AvmRefusal({{100, 30}}, kTest), "Error: no overlap from input 2 lists of quality metrics!");
  EXPECT_EQ(AvmRefusal({{100, 30}, {200, 101}, {300, INFINITY}}, kTest),
            "an infinite quality counts as 100, and another is above 100");
}

TEST(AvmBdRate, CountsAnInfiniteQualityAsAHundred) {
  const AvmPoints infinite = {{100, 90}, {200, 95}, {300, INFINITY}}, hundred = {{100, 90}, {200, 95}, {300, 100}};
  const AvmPoints test = {{110, 90}, {210, 96}, {310, 100}};
  EXPECT_EQ(*AvmBdRate(infinite, test, false), *AvmBdRate(hundred, test, false));
}

TEST(AvmBdRate, CutsVmafWhereItSaturates) {
  const AvmPoints saturated = {{100, 90}, {200, 99.6}, {300, 99.5}, {400, 99.9}}, cut = {{100, 90}, {200, 99.6}};
  const AvmPoints test = {{110, 90}, {210, 99.7}};
  EXPECT_EQ(AvmRefusal(saturated, test, false), "Error: Non-monotonic");
  EXPECT_EQ(*AvmBdRate(saturated, test, true), *AvmBdRate(cut, test, true));
  EXPECT_TRUE(SaturatesByAvm("vmaf"));
  EXPECT_TRUE(SaturatesByAvm("VMAF_Y-NEG"));
  EXPECT_FALSE(SaturatesByAvm("vmaf_neg"));
  EXPECT_FALSE(SaturatesByAvm("psnr_y"));
}

TEST(AvmHullOverSizes, HasSevenPointsBetweenTwoAndLeavesOutWhatIsBelow) {
  const std::vector<AvmPoints> one = {{{100, 30}, {400, 40}}};
  const AvmPoints hull = AvmHullOverSizes(one);
  ASSERT_EQ(hull.size(), 9u);  // a line in log rate is a concave curve over the rate
  EXPECT_EQ(hull.front().rate, 400);
  EXPECT_EQ(hull[4].rate, 200);  // half way in the logarithm
  EXPECT_EQ(hull[4].quality, 35);
  EXPECT_EQ(hull.back().rate, 100);

  const std::vector<AvmPoints> two = {{{100, 30}, {400, 40}}, {{120, 10}, {390, 12}}};
  EXPECT_EQ(AvmHullOverSizes(two).size(), 9u);
}

}  // namespace
}  // namespace acutance
