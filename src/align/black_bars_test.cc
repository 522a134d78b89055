#include "align/black_bars.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace acutance {
namespace {

/// A picture of 200 within bars of 16.
Picture Barred(int width, int height, const Rectangle& part, int value = 200) {
  const MutablePicture picture = AllocatePicture({width, height, 8, PixelFormat::k400}).value();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const bool inside = x >= part.x && x < part.x + part.width && y >= part.y && y < part.y + part.height;
      picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(inside ? value : 16);
    }
  return picture.Share();
}

TEST(BarFinder, TakesWhatIsDarkInAllPictures) {
  BarFinder finder;
  EXPECT_FALSE(finder.content());
  finder.Add(Barred(160, 90, {160, 90, 0, 0}, 20));
  EXPECT_FALSE(finder.content()) << "a dark picture tells nothing";
  finder.Add(Barred(160, 90, {100, 30, 20, 30}));
  EXPECT_EQ(*finder.content(), (Rectangle{100, 30, 20, 30}));
  finder.Add(Barred(160, 90, {160, 40, 0, 12}));
  EXPECT_EQ(*finder.content(), (Rectangle{160, 48, 0, 12}));
  EXPECT_FALSE(finder.has_none());
  finder.Add(Barred(160, 90, {158, 88, 1, 1}));
  EXPECT_EQ(*finder.content(), (Rectangle{160, 90, 0, 0})) << "edges of a sample are no bars";
  EXPECT_TRUE(finder.has_none());
  finder.Add(Barred(160, 90, {100, 30, 20, 30}));
  EXPECT_TRUE(finder.has_none()) << "a picture that has bars does not bring them back";
}

TEST(BarFinder, TakesSharpBarsOfDarkPictures) {
  BarFinder finder;
  finder.Add(Barred(160, 90, {160, 66, 0, 12}, 34));
  ASSERT_TRUE(finder.content());
  EXPECT_EQ(*finder.content(), (Rectangle{160, 66, 0, 12}));
  BarFinder vignettes;
  const MutablePicture picture = AllocatePicture({160, 90, 8, PixelFormat::k400}).value();
  for (int y = 0; y < 90; ++y)
    for (int x = 0; x < 160; ++x)  // darker and darker towards the edges
      picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(44 - std::abs(y - 45) / 2 - std::abs(x - 80) / 5);
  vignettes.Add(picture.Share());
  EXPECT_FALSE(vignettes.content());
}

}  // namespace
}  // namespace acutance
