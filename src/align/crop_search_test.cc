#include "align/crop_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "align/black_bars.h"
#include "align/part_in_place.h"

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

TEST(BarFinder, FindsWhatIsDarkInAllPictures) {
  BarFinder finder;
  EXPECT_FALSE(finder.content());
  finder.Add(Barred(160, 90, {160, 90, 0, 0}, 20));
  EXPECT_FALSE(finder.content()) << "a dark picture shows no bars";
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

TEST(BarFinder, FindsSharpBarsOfDarkPictures) {
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

TEST(BarFinder, CountsLinesThatAnEncoderBlurredAsBars) {
  const MutablePicture picture = AllocatePicture({160, 90, 8, PixelFormat::k400}).value();
  for (int y = 0; y < 90; ++y)
    for (int x = 0; x < 160; ++x)
      picture.Row<uint8_t>(0, y)[x] = y < 11 || y > 79 ? 16 : y == 11 ? 30 : y == 79 ? 60 : 120;
  BarFinder finder;
  finder.Add(picture.Share());
  EXPECT_EQ(*finder.content(), (Rectangle{160, 67, 0, 12}));
}

/// The luma at a place of a scene 200 wide and 160 high.
double SceneAt(double x, double y, int frame) {
  return 120 + 40 * std::sin(x / 5.3 + frame) + 35 * std::sin(y / 4.1 + 2 * frame) + 25 * std::sin((x + y) / 9.7);
}

/// A part of the scene, as `width` x `height` samples of 8 or 10 bits.
Picture PictureOf(const Rectangle& part, int width, int height, int frame, int bit_depth = 8) {
  const MutablePicture picture = AllocatePicture({width, height, bit_depth, PixelFormat::k420}).value();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double value =
          SceneAt(part.x + (x + 0.5) * part.width / width, part.y + (y + 0.5) * part.height / height, frame);
      if (bit_depth == 8) picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(value);
      else picture.Row<uint16_t>(0, y)[x] = static_cast<uint16_t>(4 * value);
    }
  return picture.Share();
}

ShapedVideo VideoOf(int width, int height, double pixel_aspect = 1) {
  return {{width, height, 8, PixelFormat::k420}, {width, height, 0, 0}, pixel_aspect};
}

constexpr Rectangle kScene = {200, 160, 0, 0};

/// The distorted video shows `part` of the scene, which the reference shows all of.
std::optional<ShapeParts> Find(const Rectangle& part, int width, int height, int late = 0, double aspect = 1) {
  CropSearch finder(VideoOf(200, 160), VideoOf(width, height, aspect));
  for (int frame = 0; frame < 3; ++frame)
    finder.Add(PictureOf(kScene, 200, 160, frame), PictureOf(part, width, height, frame + late));
  return finder.Find();
}

TEST(ShapeParts, AreRowsThatWereCropped) {
  for (const int top : {0, 2, 4, 6, 8}) {
    const Rectangle part = {200, 152, 0, top};
    EXPECT_EQ(Find(part, 200, 152), (ShapeParts{part, {200, 152, 0, 0}})) << top;
    EXPECT_EQ(Find(part, 100, 76), (ShapeParts{part, {100, 76, 0, 0}})) << top;
  }
}

TEST(ShapeParts, AreColumnsThatWereCropped) {
  const Rectangle part = {120, 160, 40, 0};
  EXPECT_EQ(Find(part, 120, 160), (ShapeParts{part, {120, 160, 0, 0}}));
  EXPECT_EQ(Find(part, 60, 160, 0, 2), (ShapeParts{part, {60, 160, 0, 0}})) << "pixels twice as wide as high";
}

TEST(ShapeParts, AreOfTheDistortedVideoToo) {
  CropSearch finder(VideoOf(200, 152), VideoOf(200, 160));
  for (int frame = 0; frame < 3; ++frame)
    finder.Add(PictureOf({200, 152, 0, 4}, 200, 152, frame), PictureOf(kScene, 200, 160, frame, 10));
  EXPECT_EQ(finder.Find(), (ShapeParts{{200, 152, 0, 0}, {200, 152, 0, 4}}));
}

TEST(ShapeParts, AreNoneOfSquashedPicturesOrOtherFrames) {
  EXPECT_EQ(Find(kScene, 200, 152), std::nullopt);
  EXPECT_EQ(Find(kScene, 120, 160), std::nullopt);
  EXPECT_EQ(Find({200, 152, 0, 4}, 200, 152, 7), std::nullopt);
  CropSearch flat(VideoOf(200, 160), VideoOf(200, 152));
  EXPECT_EQ(flat.Find(), std::nullopt);
}

/// Of 30 frames, the distorted ones `late` frames later and within black bars. shows: what part of the scene.
bool IsBetterInPlace(const Rectangle& content, const Rectangle& shows, int late) {
  InPlaceFit fit(content, kScene, content);
  for (int frame = 0; frame < 30; ++frame) fit.AddReference(PictureOf(kScene, 200, 160, frame));
  for (int frame = 0; frame < 20; ++frame) {
    const Picture inside = PictureOf(shows, content.width, content.height, frame + late);
    const MutablePicture barred = AllocatePicture({200, 160, 8, PixelFormat::k420}).value();
    for (int y = 0; y < 160; ++y) std::fill_n(barred.Row<uint8_t>(0, y), 200, uint8_t{16});
    for (int y = 0; y < content.height; ++y)
      std::copy_n(inside.planes[0].Row<uint8_t>(y), content.width, barred.Row<uint8_t>(0, content.y + y) + content.x);
    fit.AddDistorted(barred.Share());
  }
  return fit.IsBetter();
}

TEST(InPlaceFit, TellsPaintedBarsFromScaledPictures) {
  for (const Rectangle& part : {Rectangle{200, 120, 0, 20}, {200, 130, 0, 0}, {160, 128, 20, 16}, {180, 150, 20, 10}})
    for (const int late : {0, 7}) {
      EXPECT_TRUE(IsBetterInPlace(part, part, late)) << ToText(part) << ", " << late;
      EXPECT_FALSE(IsBetterInPlace(part, kScene, late)) << ToText(part) << ", " << late;
      EXPECT_FALSE(IsBetterInPlace(part, {400, 160, 600, 300}, late)) << "another scene";
    }
}

TEST(ShapesDiffer, ByMoreThanRounding) {
  EXPECT_FALSE(ShapesDiffer(VideoOf(1920, 1080), VideoOf(854, 480)));
  EXPECT_FALSE(ShapesDiffer(VideoOf(1920, 1080), VideoOf(426, 240)));
  EXPECT_FALSE(ShapesDiffer(VideoOf(1920, 1080), VideoOf(1440, 1080, 4.0 / 3)));
  EXPECT_FALSE(ShapesDiffer(VideoOf(1920, 802), VideoOf(640, 268)));
  EXPECT_TRUE(ShapesDiffer(VideoOf(1920, 1080), VideoOf(1920, 1072)));
  EXPECT_TRUE(ShapesDiffer(VideoOf(1920, 1080), VideoOf(960, 536)));
}

}  // namespace
}  // namespace acutance
