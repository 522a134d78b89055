#include "align/frame_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace acutance {
namespace {

/// Frames without pictures, whose times are whole numbers of milliseconds or exact.
FrameTrack TimesOf(int count, double rate, bool in_milliseconds) {
  FrameTrack track;
  track.rate = rate;
  track.fingerprints.resize(count);
  for (int k = 0; k < count; ++k)
    track.times.push_back(in_milliseconds ? std::round(1000 * k / rate) / 1000 : k / rate);
  return track;
}

TEST(FrameTrack, AcceptsPlausibleRatesAndTimes) {
  for (const double rate : {0.001, 23.976, 60.0, 1e5}) EXPECT_EQ(PlausibleRate(rate), rate);
  for (const double rate : {0.0, -25.0, 1e-9, 2e9, double{NAN}, double{INFINITY}})
    EXPECT_FALSE(PlausibleRate(rate)) << rate;
  for (const double time : {-3.5, 0.0, 1e6}) EXPECT_EQ(PlausibleTime(time), time);
  for (const double time : {-1e18, 1e18, double{NAN}, double{INFINITY}}) EXPECT_FALSE(PlausibleTime(time)) << time;
  EXPECT_FALSE(PlausibleRate(std::nullopt) || PlausibleTime(std::nullopt));
}

TEST(TimeClock, AlignsFramesThatBeginTogetherDespiteRoundingToMilliseconds) {
  using Conversion = std::pair<double, double>;
  for (const auto& [from, to] : {Conversion{60, 24}, {24, 30}, {60, 30}, {24, 60}, {30, 25}})
    for (const bool reference_rounds : {false, true})
      for (const bool distorted_rounds : {false, true}) {
        const FrameClock clock = TimeClock(TimesOf(300, from, reference_rounds), TimesOf(100, to, distorted_rounds));
        for (int64_t j = 0; j < 100; ++j)
          EXPECT_EQ(clock.ReferenceAt(j, 0), std::floor(static_cast<double>(j) * from / to + 1e-6))
              << from << " to " << to << " " << j;
      }
}

TEST(TimeClock, LetsRatesThatDifferByLittleDrift) {
  const FrameClock clock = TimeClock(TimesOf(300, 30, true), TimesOf(300, 30 / 1.001, true));
  for (int64_t j = 0; j < 300; ++j) EXPECT_NEAR(clock.positions[j], 1.001 * static_cast<double>(j), 0.06);
  EXPECT_GT(clock.positions.back(), 299.2);
}

TEST(TimeClock, LeavesUnevenTimes) {
  FrameTrack distorted = TimesOf(100, 25, true);
  distorted.times[50] += 0.001;
  EXPECT_NEAR(TimeClock(TimesOf(100, 25, true), distorted).positions[50], 50, 1e-9) << "as rounding does";
  distorted.times[50] += 0.01;
  EXPECT_NEAR(TimeClock(TimesOf(100, 25, true), distorted).positions[50], 50.275, 1e-9);
}

}  // namespace
}  // namespace acutance
