#include "image/picture_pool.h"

#include <gtest/gtest.h>

#include <optional>

namespace acutance {
namespace {

constexpr PictureFormat kFloats = {
    .width = 33, .height = 7, .bit_depth = kFloatDepth, .pixel_format = PixelFormat::k444};

TEST(PicturePool, LaysPicturesOutLikeAllocatePicture) {
  const MutablePicture picture = PicturePool().Allocate(kFloats).value(), other = AllocatePicture(kFloats).value();
  EXPECT_EQ(picture.format, kFloats);
  EXPECT_EQ(picture.stride, other.stride);
  for (int p = 0; p < 3; ++p) EXPECT_EQ(picture.data[p] - picture.data[0], other.data[p] - other.data[0]);
}

TEST(PicturePool, UsesMemoryAgainForPicturesOfTheSameSizeAlone) {
  PicturePool pool;
  PictureFormat smaller = kFloats;
  smaller.height = 6;
  std::optional<MutablePicture> one = pool.Allocate(kFloats).value(), two = pool.Allocate(kFloats).value();
  const std::byte *const first = one->data[0], *const second = two->data[0];
  EXPECT_NE(first, second);
  one.reset();
  two.reset();
  const MutablePicture other = pool.Allocate(smaller).value();
  EXPECT_NE(other.data[0], first);
  EXPECT_NE(other.data[0], second);
  EXPECT_EQ(pool.Allocate(kFloats)->data[0], second);  // which comes back at once
  const MutablePicture three = pool.Allocate(kFloats).value(), four = pool.Allocate(kFloats).value();
  EXPECT_EQ(three.data[0], second);
  EXPECT_EQ(four.data[0], first);
}

TEST(PicturePool, PicturesMayOutliveIt) {
  std::optional<PicturePool> pool(std::in_place);
  const MutablePicture picture = pool->Allocate(kFloats).value();
  pool.reset();
  picture.Row<float>(2, 6)[32] = 1;
  EXPECT_EQ(picture.Row<float>(2, 6)[32], 1);
}

TEST(PicturePool, RefusesFormatsThatAllocatePictureRefuses) {
  for (PictureFormat format : {PictureFormat{.width = 0, .height = 7}, {.width = 8, .height = 8, .bit_depth = 7}})
    EXPECT_EQ(PicturePool().Allocate(format).status().message(), AllocatePicture(format).status().message());
}

}  // namespace
}  // namespace acutance
