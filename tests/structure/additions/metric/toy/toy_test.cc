#include "metric/toy/toy.h"

#include <gtest/gtest.h>

#include "metric/offline_frames.h"

namespace acutance {
namespace {

constexpr PictureFormat kFormat = {4, 2, 8, PixelFormat::k400};

Picture MakePicture(std::initializer_list<int> samples) {
  const MutablePicture picture = *AllocatePicture(kFormat);
  int i = 0;
  for (const int sample : samples) {
    picture.Row<uint8_t>(0, i / 4)[i % 4] = static_cast<uint8_t>(sample);
    ++i;
  }
  return picture.Share();
}

TEST(Toy, KnownAnswers) {
  const Picture reference[] = {MakePicture({0, 0, 8, 8, 0, 0, 8, 8}), MakePicture({0, 0, 0, 0, 0, 0, 0, 0})};
  const Picture distorted[] = {MakePicture({1, 2, 8, 8, 3, 4, 8, 8}), MakePicture({0, 0, 4, 0, 0, 0, 0, 0})};
  const OptionValues options(kToyMetric.options);
  const OfflineFrames clip(kToyMetric, options, reference, distorted);
  const auto extractor = MakeExtractor(kToyMetric, options, kFormat);
  const auto first = ComputeFrame(kToyMetric, **extractor, clip, 0);
  EXPECT_EQ(first->values[0], 2.5 / 2);
  EXPECT_EQ(first->artifacts[0].Row<float>(0, 0)[0], 2.5f);
  EXPECT_EQ(first->artifacts[0].Row<float>(0, 0)[1], 0.0f);
  EXPECT_EQ(ComputeFrame(kToyMetric, **extractor, clip, 1)->values[0], 1.0 / 2 + (2.5 + 1.0) / 2);
}

TEST(Toy, NoSplitChangesABit) {
  const Picture pictures[] = {MakePicture({9, 2, 8, 8, 3, 4, 8, 1}), MakePicture({7, 3, 4, 5, 6, 7, 9, 2})};
  const OptionValues options(kToyMetric.options);
  const OfflineFrames clip(kToyMetric, options, pictures, pictures);
  const auto extractor = MakeExtractor(kToyMetric, options, kFormat);
  EXPECT_EQ(ComputeFrame(kToyMetric, **extractor, clip, 1, 2)->words,
            ComputeFrame(kToyMetric, **extractor, clip, 1, 1)->words);
}

}  // namespace
}  // namespace acutance
