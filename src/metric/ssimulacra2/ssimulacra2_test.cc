#include "metric/ssimulacra2/ssimulacra2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>

#include "metric/testing/bands.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/pictures.h"
#include "metric/testing/random_colors.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

/// Three distorted pictures of one reference, each as if it were alone.
TEST(Ssimulacra2Scale, EqualsThePlainLoops) {
  std::mt19937 random(1);
  for (const auto& [width, height] :
       {std::pair{4, 4}, {8, 8}, {9, 17}, {23, 64}, {64, 65}, {131, 70}, {16, 130}, {257, 21}, {520, 66}})
    for (const bool is_flat : {false, true}) {
      const RandomColors reference(width, height, random, is_flat), a(width, height, random, is_flat),
          b(width, height, random, false), c(width, height, random, is_flat);
      const FloatColors distorted[] = {a.colors, b.colors, c.colors};
      for (int scale = 0; scale < kSsimulacra2Scales; ++scale) {
        std::vector<std::vector<int64_t>> expected(3, std::vector<int64_t>(kSsimulacra2Words)), words = expected;
        const std::vector<std::span<int64_t>> to(words.begin(), words.end());
        for (size_t d = 0; d < 3; ++d)
          Ssimulacra2ScaleRef(reference.colors, distorted[d], scale, kSsimulacra2Scales, expected[d]);
        for (const size_t count : {size_t{1}, size_t{3}})
          ForEachTarget([&] {
            for (auto& each : words) std::ranges::fill(each, -1);
            Ssimulacra2Scale(reference.colors, std::span(distorted).first(count), scale, kSsimulacra2Scales, to);
            for (size_t d = 0; d < count; ++d)
              EXPECT_EQ(words[d], expected[d]) << width << "x" << height << " scale " << scale << " of " << count;
          });
      }
    }
}

/// Two distorted pictures of one reference, and the light at half the size of all three.
TEST(Ssimulacra2StartScale, EqualsThePlainLoops) {
  std::mt19937 random(2);
  for (const PixelFormat chroma : {PixelFormat::k420, PixelFormat::k444})
    for (const auto& [width, height] : {std::pair{8, 8}, {9, 17}, {64, 65}, {255, 16}, {275, 33}, {802, 18}}) {
      const int depth = width % 2 == 0 ? 8 : 10;
      Picture pictures[3];
      for (Picture& picture : pictures)
        picture = MakeTestPicture({width, height, depth, chroma},
                                  [&](int, int, int) { return random() & ((1u << depth) - 1); });
      const LinearRgbConversion conversion({}, pictures[0].format);
      const size_t half_size = static_cast<size_t>((width + 1) / 2) * ((height + 1) / 2);
      struct Results {
        explicit Results(size_t size) {
          for (auto& picture : half)
            for (auto& plane : picture) plane.resize(size);
        }
        Ssimulacra2Start Start(const Picture& picture, int i) {
          return {&picture, {half[i][0].data(), half[i][1].data(), half[i][2].data()}};
        }
        bool operator==(const Results&) const = default;
        std::array<std::array<std::vector<float>, 3>, 3> half;
        std::array<std::vector<int64_t>, 2> words = {std::vector<int64_t>(kSsimulacra2Words),
                                                     std::vector<int64_t>(kSsimulacra2Words)};
      } expected(half_size);
      for (int d = 0; d < 2; ++d)
        Ssimulacra2StartScaleRef(conversion, expected.Start(pictures[0], 0), expected.Start(pictures[1 + d], 1 + d),
                                 kSsimulacra2Scales, expected.words[d]);
      ForEachTarget([&] {
        Results results(half_size);
        const Ssimulacra2Start distorted[] = {results.Start(pictures[1], 1), results.Start(pictures[2], 2)};
        const std::vector<std::span<int64_t>> words(results.words.begin(), results.words.end());
        Ssimulacra2StartScale(conversion, results.Start(pictures[0], 0), distorted, kSsimulacra2Scales, words);
        EXPECT_TRUE(results == expected) << width << "x" << height << " " << PixelFormatName(chroma);
      });
    }
}

TEST(HalveSsimulacra2, EqualsThePlainLoops) {
  std::mt19937 random(4);
  for (const auto& [width, height] : {std::pair{4, 4}, {9, 17}, {64, 5}, {131, 6}}) {
    const RandomColors picture(width, height, random, false);
    const int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    std::vector<float> expected(static_cast<size_t>(half_width) * half_height), half(expected.size());
    HalveSsimulacra2Ref(picture.colors, 1, half_width, half_height, expected.data());
    ForEachTarget([&] {
      HalveSsimulacra2(picture.colors, 1, half_width, half_height, half.data());
      EXPECT_EQ(half, expected) << width << "x" << height;
    });
  }
}

double Score(const Picture& reference, const Picture& distorted) {
  return TestMetric(kSsimulacra2Metric, {}, reference.format).Values(reference, distorted)[0];
}

// docs/spec/beyond.md 7.2
TEST(Ssimulacra2, KnownAnswers) {
  EXPECT_NEAR(Score(KnownPicture(8, 0, false), KnownPicture(8, 0, true)), 85.0424477166249, 1e-12);
  EXPECT_NEAR(Score(KnownPicture(8, 1, false), KnownPicture(8, 1, true)), 84.6524764063098, 1e-12);
  EXPECT_NEAR(Score(KnownPicture(10, 0, false), KnownPicture(10, 0, true)), 85.0451972642889, 1e-12);
  EXPECT_NEAR(Score(KnownPicture(10, 1, false), KnownPicture(10, 1, true)), 84.2510571351720, 1e-12);
}

TEST(Ssimulacra2, IdenticalPicturesAre100) {
  for (const PixelFormat chroma : {PixelFormat::k400, PixelFormat::k422}) {
    const Picture picture = FilmPicture({64, 48, 8, chroma}, 0);
    EXPECT_EQ(Score(picture, picture), 100.0);
  }
}

TEST(Ssimulacra2, ScalesBySize) {
  for (const auto& [side, scales] : {std::pair{8, 2}, {14, 2}, {15, 3}, {28, 3}, {29, 4}, {56, 4}, {57, 5}, {113, 6}})
    EXPECT_EQ(Ssimulacra2Scales(side, 500), scales) << side;
}

TEST(Ssimulacra2, NoSplitIntoBandsChangesABit) {
  ExpectNoSplitShows({kSsimulacra2Metric, {}, {400, 360, 8}}, {KnownPicture(8, 0, false)}, {KnownPicture(8, 0, true)},
                     {2});
}

TEST(Ssimulacra2, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(RefusalOf(kSsimulacra2Metric, {{"matrix", "bt470"}}, {64, 64}), testing::HasSubstr("bt601"));
  EXPECT_THAT(RefusalOf(kSsimulacra2Metric, {{"transfer", "pq"}}, {64, 64}), testing::HasSubstr("bt1886"));
  EXPECT_THAT(RefusalOf(kSsimulacra2Metric, {}, {7, 64}), testing::HasSubstr("8x8"));
}

}  // namespace
}  // namespace acutance
