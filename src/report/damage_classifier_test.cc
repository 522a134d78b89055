#include "report/damage_classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace acutance {
namespace {

using Sample = std::function<double(int plane, int x, int y)>;

Picture Draw(const Sample& sample, int bit_depth = 8) {
  const MutablePicture picture = AllocatePicture({640, 360, bit_depth, PixelFormat::k420}).value();
  const double step = 1 << (bit_depth - 8);
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < picture.format.PlaneHeight(p); ++y)
      for (int x = 0; x < picture.format.PlaneWidth(p); ++x) {
        const double value = std::clamp(std::round(sample(p, x, y) * step), 0.0, 255 * step);
        if (bit_depth == 8) picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(value);
        else picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(value);
      }
  return picture.Share();
}

/// From -1 to 1, the same for the same place.
double Grain(int x, int y, unsigned seed = 1) {
  std::minstd_rand dice(static_cast<unsigned>(y) * 7919 + static_cast<unsigned>(x) * 104729 + seed * 31);
  dice.discard(3);
  return static_cast<double>(dice() % 2001) / 1000 - 1;
}

/// A slow gradient under grain.
double Sky(int plane, int x, int y) { return plane > 0 ? 128 : 40 + (x + y) / 12.0 + 1.5 * Grain(x, y); }
double Leaves(int plane, int x, int y) {
  return plane > 0 ? 120 + x / 16.0
                   : 120 + 60 * std::sin(x / 1.7) * std::cos(y / 2.3) + 30 * std::sin((x + 2 * y) / 40.0);
}
Sample Blurred(const Sample& sample) {
  return [sample](int plane, int x, int y) {
    double sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) sum += sample(plane, x + dx, y + dy);
    return sum / 9;
  };
}

Cause ClassifyDamagePair(const Sample& reference, const Sample& distorted, int bit_depth = 8) {
  return ClassifyDamage(FindEvidence(Draw(reference, bit_depth), Draw(distorted, bit_depth)), false).cause;
}

TEST(FrameCause, IsNoneForEqualPictures) { EXPECT_EQ(ClassifyDamagePair(Leaves, Leaves), Cause::kNone); }

TEST(FrameCause, KnowsBandingFromLostDetail) {
  const Sample banded = [](int plane, int x, int y) {
    return plane > 0 ? 128 : std::floor((40 + (x + y) / 12.0) / 6) * 6 + 3;
  };
  for (const int bit_depth : {8, 10}) {
    EXPECT_EQ(ClassifyDamagePair(Sky, banded, bit_depth), Cause::kBanding);
    EXPECT_EQ(ClassifyDamagePair(Leaves, Blurred(Leaves), bit_depth), Cause::kDetailLost);
  }
}

TEST(FrameCause, KnowsStepsThatAreTooLargeForCambi) {
  const Sample steps = [](int plane, int x, int y) {
    return plane > 0 ? 128 : std::floor((40 + (x + y) / 12.0) / 16) * 16 + 8;
  };
  EXPECT_EQ(ClassifyDamagePair(Sky, steps), Cause::kBanding);
}

TEST(FrameCause, KnowsColorAndBrightness) {
  EXPECT_EQ(ClassifyDamagePair(Leaves, [](int p, int x, int y) { return Leaves(p, x, y) + (p == 2 ? 12 : 0); }),
            Cause::kColor);
  EXPECT_EQ(ClassifyDamagePair(Leaves, [](int p, int x, int y) { return Leaves(p, x, y) * (p == 0 ? 1.1 : 1); }),
            Cause::kBrightness);
}

TEST(FrameCause, KnowsAddedDetail) {
  EXPECT_EQ(
      ClassifyDamagePair(Sky, [](int p, int x, int y) { return Sky(p, x, y) + (p == 0 ? 12 * Grain(x, y, 9) : 0); }),
      Cause::kDetailAdded);
}

TEST(FrameCause, KnowsAnotherPicture) {
  const Sample other = [](int plane, int x, int y) {
    return plane > 0 ? 128 : 120 + 70 * std::sin(x / 45.0) * std::sin(y / 31.0) + 50 * std::sin(x * 1.3 + y * 0.4);
  };
  EXPECT_EQ(ClassifyDamagePair(Leaves, other), Cause::kOtherPicture);
  EXPECT_EQ(ClassifyDamage(FindEvidence(Draw(Leaves), Draw(other)), true).cause, Cause::kMoment);
}

TEST(FrameCause, HasWordsThatNameTheMoment) {
  WorstFrame frame;
  frame.frame = 35;
  frame.shows = 24;
  EXPECT_EQ(DescribeDamage({Cause::kMoment, false}, frame),
            "a wrong frame (frame 35 shows the reference's frame 24, 11 frames too old)");
  EXPECT_EQ(DescribeDamage({Cause::kDetailLost, true}, frame), "detail lost, and banding is visible");
}

}  // namespace
}  // namespace acutance
