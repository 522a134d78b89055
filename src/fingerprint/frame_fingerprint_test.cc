#include "fingerprint/frame_fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace acutance {
namespace {

using ::testing::ElementsAre;

MutablePicture Flat(const PictureFormat& format, int value) {
  MutablePicture picture = AllocatePicture(format).value();
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      if (format.bit_depth > 8) picture.Row<uint16_t>(0, y)[x] = static_cast<uint16_t>(value);
      else picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(value);
    }
  return picture;
}

TEST(FrameFingerprint, OfFlatPicturesIsTheirValueInSixteenBits) {
  for (const int side : {1, 5, 40, 641})
    for (const int bit_depth : {8, 10, 12, 16}) {
      const int value = (200 << bit_depth) / 256;
      const FrameFingerprint fingerprint =
          FingerprintOf(Flat({side, side, bit_depth, PixelFormat::k400}, value).Share());
      for (const uint16_t cell : fingerprint.cells) EXPECT_EQ(cell, 200 * 256) << side << " " << bit_depth;
    }
}

TEST(FrameFingerprint, HasTheMeansOfItsCells) {
  const PictureFormat format{64, 36, 8, PixelFormat::k400};  // cells of 2 x 2
  MutablePicture picture = Flat(format, 0);
  picture.Row<uint8_t>(0, 2)[6] = 100;
  picture.Row<uint8_t>(0, 3)[7] = 51;
  const FrameFingerprint fingerprint = FingerprintOf(picture.Share());
  EXPECT_EQ(fingerprint.cells[1 * 32 + 3], 151 * 256 / 4);
  EXPECT_EQ(fingerprint.cells[1 * 32 + 2], 0);
}

TEST(FrameFingerprint, DistinguishesTheQuartersOfACell) {
  const PictureFormat format{64, 36, 8, PixelFormat::k400};  // quarters of a sample
  MutablePicture picture = Flat(format, 0);
  picture.Row<uint8_t>(0, 2)[6] = 100;
  picture.Row<uint8_t>(0, 3)[7] = 51;
  picture.Row<uint8_t>(0, 2)[9] = 8;
  const FrameFingerprint fingerprint = FingerprintOf(picture.Share());
  const auto details = [&](size_t cell) {
    return std::vector<int>(&fingerprint.details[3 * cell], &fingerprint.details[3 * cell] + 3);
  };
  EXPECT_THAT(details(1 * 32 + 3), ElementsAre(98, 98, 127));
  EXPECT_THAT(details(1 * 32 + 4), ElementsAre(-16, 16, -16));
  EXPECT_THAT(details(1 * 32 + 5), ElementsAre(0, 0, 0));
}

/// A wave that crosses the picture, sampled in the middle of each pixel.
FrameFingerprint WaveOf(int width, int height) {
  MutablePicture picture = Flat({width, height, 8, PixelFormat::k400}, 0);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double phase = 100 * (x + 0.5) / width + 60 * (y + 0.5) / height;
      picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(std::lround(120 + 60 * std::sin(phase)));
    }
  return FingerprintOf(picture.Share());
}

TEST(FrameFingerprint, IsEqualForAnotherSizeOfThePicture) {
  const FrameFingerprint one = WaveOf(1280, 720), other = WaveOf(850, 478);
  for (size_t c = 0; c < FrameFingerprint::kCells; ++c) EXPECT_NEAR(one.cells[c], other.cells[c], 256);
  for (size_t c = 0; c < FrameFingerprint::kDetails; ++c) EXPECT_NEAR(one.details[c], other.details[c], 8);
}

TEST(FrameFingerprint, GoesThroughWordsUnchanged) {
  std::mt19937 random(3);
  FrameFingerprint fingerprint;
  for (uint16_t& cell : fingerprint.cells) cell = static_cast<uint16_t>(random());
  for (int8_t& detail : fingerprint.details) detail = static_cast<int8_t>(random());
  fingerprint.cells[0] = 0xffff;
  fingerprint.details[0] = -127, fingerprint.details[1] = 127, fingerprint.details[2] = -1;
  std::vector<int64_t> words(kFingerprintWords);
  ToWords(fingerprint, words);
  EXPECT_EQ(FingerprintOf(words), fingerprint);
}

}  // namespace
}  // namespace acutance
