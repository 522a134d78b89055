#include "align/fingerprint_stream.h"

#include <gtest/gtest.h>

#include <cstring>

namespace acutance {
namespace {

constexpr PictureFormat kFormat{70, 40, 8, PixelFormat::k400};

Picture Flat(int value) {
  MutablePicture picture = AllocatePicture(kFormat).value();
  for (int y = 0; y < kFormat.height; ++y) std::memset(picture.Row<uint8_t>(0, y), value, kFormat.width);
  return picture.Share();
}

/// Values of flat pictures, in 16 bits.
std::vector<int> ValuesOf(const std::vector<FrameFingerprint>& fingerprints) {
  std::vector<int> values;
  for (const FrameFingerprint& fingerprint : fingerprints) values.push_back(fingerprint.cells[100] / 256);
  return values;
}

std::vector<int> Counted(int begin, int end) {
  std::vector<int> values;
  for (int value = begin; value < end; ++value) values.push_back(value);
  return values;
}

class FingerprintStreamOf : public testing::TestWithParam<int> {};

TEST_P(FingerprintStreamOf, KeepsTheOrderOfPictures) {
  FingerprintStream stream(std::make_shared<ThreadPool>(GetParam(), ThreadPool::Mode::kThreads));
  std::vector<int> values;
  for (int i = 0; i < 200; ++i) {
    stream.Add(Flat(i));
    for (const int value : ValuesOf(stream.TakeMade())) values.push_back(value);
    if (i == 150) {
      for (const int value : ValuesOf(stream.TakeAll())) values.push_back(value);
      EXPECT_EQ(values, Counted(0, 151));
    }
  }
  for (const int value : ValuesOf(stream.TakeAll())) values.push_back(value);
  EXPECT_EQ(values, Counted(0, 200));
  EXPECT_TRUE(stream.TakeAll().empty());
}

TEST_P(FingerprintStreamOf, LetsPicturesGo) {
  const auto crew = std::make_shared<ThreadPool>(GetParam(), ThreadPool::Mode::kThreads);
  FingerprintStream stream(crew);
  std::weak_ptr<const void> memory;
  {
    const Picture picture = Flat(3);
    memory = picture.memory;
    stream.Add(picture);
  }
  EXPECT_EQ(ValuesOf(stream.TakeAll()), Counted(3, 4));
  EXPECT_TRUE(memory.expired());
}

TEST_P(FingerprintStreamOf, MayBeDroppedWithPicturesInIt) {
  for (int i = 0; i < 50; ++i) {
    FingerprintStream stream(std::make_shared<ThreadPool>(GetParam(), ThreadPool::Mode::kThreads));
    for (int k = 0; k < 9; ++k) stream.Add(Flat(k));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, FingerprintStreamOf, testing::Values(0, 1, 4));

}  // namespace
}  // namespace acutance
