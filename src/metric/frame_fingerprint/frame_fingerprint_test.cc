#include "metric/frame_fingerprint/frame_fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fingerprint/frame_fingerprint.h"
#include "kernel/kernel.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

#include "metric/frame_fingerprint/frame_fingerprint_math.kernel.h"

constexpr int kMostRows = 8;  // of a quarter

/// The part of row y that lies in a column of quarters.
uint64_t SumOfRow(const Plane& luma, int bit_depth, int column, int y) {
  const int left = column * luma.width, right = left + luma.width;  // in 64ths of samples
  const int begin = left / SIGNATURE_QUARTERS, end = right / SIGNATURE_QUARTERS, after = right % SIGNATURE_QUARTERS;
  uint32_t whole = 0;
  for (int x = begin; x < end; ++x) whole += SampleAt(luma, bit_depth, x, y);
  const uint32_t first = SampleAt(luma, bit_depth, begin, y);
  const uint32_t last = after > 0 ? SampleAt(luma, bit_depth, end, y) : 0;
  return quarter_sum(whole, static_cast<uint32_t>(left % SIGNATURE_QUARTERS), first, static_cast<uint32_t>(after),
                     last);
}

int32_t MeanOf(const Plane& luma, int bit_depth, int column, int quarter) {
  const int all = 2 * SIGNATURE_ROWS, rows = std::clamp((luma.height + all - 1) / all, 1, kMostRows);
  uint64_t sum = 0;
  for (int i = 0; i < rows; ++i)
    sum += SumOfRow(luma, bit_depth, column, fingerprint_row(quarter, i, luma.height, rows));
  return quarter_mean(sum, luma.width * rows, bit_depth);
}

/// The 64-bit results of one picture, by plain loops.
std::vector<int64_t> FrameFingerprintRef(const Plane& luma, int bit_depth) {
  std::vector<int64_t> words;
  for (int y = 0; y < 2 * SIGNATURE_ROWS; y += 2)
    for (int x = 0; x < SIGNATURE_QUARTERS; x += 2)
      words.push_back(cell_word(MeanOf(luma, bit_depth, x, y), MeanOf(luma, bit_depth, x + 1, y),
                                MeanOf(luma, bit_depth, x, y + 1), MeanOf(luma, bit_depth, x + 1, y + 1)));
  return words;
}

/// The partial results of both pictures by plain loops.
std::vector<int64_t> Expected(const Picture& reference, const Picture& distorted) {
  std::vector<int64_t> words = FrameFingerprintRef(reference.planes[0], reference.format.bit_depth);
  const std::vector<int64_t> more = FrameFingerprintRef(distorted.planes[0], distorted.format.bit_depth);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

template <class Fill>
void ExpectEqualToRef(const PictureFormat& format, Fill fill) {
  const Picture reference = MakeTestPicture(format, fill), distorted = MakeTestPicture(format, fill);
  const TestMetric metric(kFrameFingerprintMetric, {}, format);
  const std::vector<int64_t> expected = Expected(reference, distorted);
  ForEachTarget([&] {
    EXPECT_EQ(metric.Run({reference}, {distorted}).words, expected)
        << format.width << "x" << format.height << ", " << format.bit_depth << " bit";
  });
}

constexpr PictureSize kSizes[] = {{1, 1},     {3, 2},    {31, 17},  {32, 18},  {63, 36},  {64, 37},   {65, 289},
                                  {127, 288}, {130, 91}, {257, 70}, {400, 36}, {641, 73}, {1920, 300}};

TEST(FrameFingerprintMetric, IsTheReferenceImplementation) {
  std::mt19937 random(7);
  for (const auto& [width, height] : kSizes)
    for (const int depth : {8, 10, 12, 16}) {
      const uint32_t most = (1u << depth) - 1;
      const PictureFormat format = {width, height, depth, PixelFormat::k400};
      ExpectEqualToRef(format, [&](int, int, int) { return random() & most; });
      ExpectEqualToRef(format, [&](int, int, int) { return random() % 2 * most; });
      ExpectEqualToRef(format, [&](int, int x, int y) { return static_cast<uint32_t>(x / 7 + y / 5) % 2 * most; });
      ExpectEqualToRef(format, [&](int, int, int) { return most; });
    }
}

TEST(FrameFingerprintMetric, SharesTheReferenceAmongDistortedVideos) {
  std::mt19937 random(8);
  const PictureFormat format = {70, 50, 8, PixelFormat::k400};
  std::vector<Picture> pictures;
  for (int i = 0; i < 3; ++i)
    pictures.push_back(MakeTestPicture(format, [&](int, int, int) { return random() & 255; }));
  const TestMetric metric(kFrameFingerprintMetric, {}, format);
  const OfflineFrames clips[] = {{kFrameFingerprintMetric, metric.options(), {&pictures[0], 1}, {&pictures[1], 1}},
                                 {kFrameFingerprintMetric, metric.options(), {&pictures[0], 1}, {&pictures[2], 1}}};
  const std::vector<FrameView> views = {clips[0].at(0), clips[1].at(0)};
  const std::vector<Workspaces> workspaces(2);
  std::vector<int64_t> words[2] = {std::vector<int64_t>(2 * kFingerprintWords),
                                   std::vector<int64_t>(2 * kFingerprintWords)};
  const std::vector<BandResults> results = {{{}, words[0], {}}, {{}, words[1], {}}};
  for (int stage = 0; stage < 2; ++stage) metric.extractor().RunBands(views, stage, {0, 1}, workspaces, results);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(words[i], Expected(pictures[0], pictures[i + 1]));
}

}  // namespace
}  // namespace acutance
