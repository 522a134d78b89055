#include "run/sample_hash.h"

#include <gtest/gtest.h>

#include <cstring>

namespace acutance {
namespace {

class Clip {
 public:
  explicit Clip(int height) : height_(height), samples_(static_cast<size_t>(kWidth * height * 3), std::byte{7}) {}

  std::byte& At(int plane, int x, int y) { return samples_[static_cast<size_t>((plane * height_ + y) * kWidth + x)]; }
  Picture Get() const {
    Picture picture{.format = {kWidth, height_, 8, PixelFormat::k444}, .planes = {}, .memory = {}};
    for (int p = 0; p < 3; ++p)
      picture.planes[static_cast<size_t>(p)] = {samples_.data() + p * height_ * kWidth, kWidth, kWidth, height_};
    return picture;
  }

 private:
  static constexpr int kWidth = 16;
  int height_;
  std::vector<std::byte> samples_;
};

SampleHash HashOf(const Picture& picture, int64_t frames, int64_t end) {
  SampleHasher hasher;
  for (int64_t frame = 0; frame < frames; ++frame) hasher.Add(frame, picture);
  return hasher.Hash(end);
}

TEST(SampleHash, FramesBehindTheLastPairDoNotCount) {
  const Clip clip(40);
  const SampleHash one = HashOf(clip.Get(), 5, 5), ahead = HashOf(clip.Get(), 9, 5);
  EXPECT_EQ(one.frames, 5);
  EXPECT_EQ(one.luma.size(), 64);
  EXPECT_EQ(one.luma, ahead.luma);
  EXPECT_EQ(one.chroma, ahead.chroma);
  EXPECT_NE(one.luma, HashOf(clip.Get(), 4, 4).luma);
}

TEST(SampleHash, EachFrameHasRows) {
  Clip clip(200);
  const SampleHash before = HashOf(clip.Get(), 1, 1);
  int luma = 0, chroma = 0;
  for (int y = 0; y < 200; ++y)
    for (const int plane : {0, 2}) {
      clip.At(plane, 3, y) = std::byte{8};
      const SampleHash hash = HashOf(clip.Get(), 1, 1);
      luma += hash.luma != before.luma;
      chroma += hash.chroma != before.chroma;
      EXPECT_FALSE(plane == 0 && hash.chroma != before.chroma);
      clip.At(plane, 3, y) = std::byte{7};
    }
  EXPECT_TRUE(luma == 1 || luma == 2) << luma;  // of 200 rows one in 128
  EXPECT_TRUE(chroma == 1 || chroma == 2) << chroma;
}

TEST(SampleHash, PicturesElsewhereHaveNone) {
  Picture picture = Clip(8).Get();
  picture.planes = {};
  EXPECT_EQ(HashOf(picture, 3, 3).luma, "");
  EXPECT_EQ(HashOf(picture, 3, 3).frames, 3);
  SampleHasher hasher;
  hasher.Add(0, Clip(8).Get());
  hasher.Invalidate();
  EXPECT_EQ(hasher.Hash(1).luma, "");
}

}  // namespace
}  // namespace acutance
