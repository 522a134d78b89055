#include "metric/butteraugli/butteraugli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "metric/testing/bands.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/random_colors.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

/// Keeps rows of a map.
struct KeptRows : ButteraugliRows {
  explicit KeptRows(int map_width) : width(map_width) {}
  void Take(int y, const float* row) override { rows[y].assign(row, row + width); }

  int width;
  std::map<int, std::vector<float>> rows;
};

template <size_t n>
std::vector<float> FloatsOf(const uint32_t (&bits)[n]) {
  std::vector<float> values;
  for (const uint32_t each : bits) values.push_back(std::bit_cast<float>(each));
  return values;
}

TEST(ButteraugliBlur, KernelsHaveItsWeights) {
  const ButteraugliConstants& constants = GetButteraugliConstants();
  EXPECT_EQ(constants.around.inside, FloatsOf(butteraugli::kAroundInside));
  EXPECT_EQ(constants.highest.inside, FloatsOf(butteraugli::kHighestInside));
  EXPECT_EQ(constants.mask.inside, FloatsOf(butteraugli::kMaskInside));
  EXPECT_EQ(constants.high.inside, FloatsOf(butteraugli::kHighInside));
  EXPECT_EQ(constants.low.inside, FloatsOf(butteraugli::kLowInside));
}

TEST(ButteraugliSums, EqualThePlainLoops) {
  std::mt19937 random(5);
  for (const int width : {1, 2, 15, 16, 33, 70})
    for (const int q : {1, 2, 5})
      for (const bool has_half : {false, true}) {
        std::vector<float> own(width), half((width + 1) / 2), expected_row(width), row(width);
        for (float& value : own) value = static_cast<float>(random() % 1000) / 70.0f;
        for (float& value : half) value = static_cast<float>(random() % 1000) / 90.0f;
        const float* const below = has_half ? half.data() : nullptr;
        ButteraugliSums expected(width, q);
        for (int y = 0; y < 2; ++y) AddButteraugliRowRef(own.data(), below, 0, width, expected_row.data(), expected);
        ForEachTarget([&] {
          ButteraugliSums sums(width, q);
          for (int y = 0; y < 2; ++y) AddButteraugliRow(own.data(), below, width, row.data(), sums);
          EXPECT_EQ(row, expected_row) << width;
          EXPECT_EQ(sums.largest, expected.largest) << width;
          EXPECT_EQ(sums.columns, expected.columns) << width << " " << q;
        });
      }
}

TEST(ButteraugliSweep, EqualsThePlainLoops) {
  std::mt19937 random(1);
  for (const auto& [width, height] :
       {std::pair{8, 8}, {9, 17}, {33, 32}, {34, 101}, {64, 65}, {97, 70}, {271, 39}, {16, 130}, {1300, 20}})
    for (const bool is_flat : {false, true})
      for (const bool halved : {false, true}) {
        if (halved && std::min(width, height) < kButteraugliMinHalvedSide) continue;
        const RandomColors reference(width, height, random, is_flat);
        const RandomColors one(width, height, random, is_flat), other(width, height, random, false);
        const FloatColors distorted[] = {one.colors, other.colors};
        const int map_width = halved ? (width + 1) / 2 : width, map_height = halved ? (height + 1) / 2 : height;
        const float nits = is_flat ? 203.0f : 80.0f;
        KeptRows expected[2] = {KeptRows(map_width), KeptRows(map_width)};
        ButteraugliRows* const to_expected[] = {&expected[0], &expected[1]};
        MakeButteraugliSweepRef()->Run(reference.colors, distorted, halved, nits, {0, map_height}, to_expected);
        ForEachTarget([&] {
          const auto sweep = MakeButteraugliSweep(width + 5);
          KeptRows made[2] = {KeptRows(map_width), KeptRows(map_width)};
          ButteraugliRows* const to[] = {&made[0], &made[1]};
          const int middle = static_cast<int>(random() % map_height);
          sweep->Run(reference.colors, distorted, halved, nits, {middle, map_height}, to);
          sweep->Run(reference.colors, distorted, halved, nits, {0, middle}, to);
          for (int i = 0; i < 2; ++i)
            EXPECT_TRUE(made[i].rows == expected[i].rows) << width << "x" << height << " " << halved << " " << middle;
        });
      }
}

std::vector<double> Values(const Picture& reference, const Picture& distorted, const OptionTexts& options = {}) {
  return TestMetric(kButteraugliMetric, options, reference.format).Values(reference, distorted);
}

auto Near(const std::vector<double>& values) { return testing::Pointwise(testing::DoubleNear(1e-12), values); }

// docs/spec/beyond.md 7.2
TEST(Butteraugli, KnownAnswers) {
  struct Known {
    int bits, frame;
    std::vector<double> scores, brighter;  // the largest difference, the 3-norm and libjxl's
  };
  for (const auto& [bits, frame, scores, brighter] :
       {Known{8, 0, {2.026347875595, .932030330026, .832692588132}, {2.873275518417, 1.189197559687, 1.041398567274}},
        Known{8, 1, {1.968237400055, .941538770250, .846814248312}, {2.870651721954, 1.196341276653, 1.059616895159}},
        Known{10, 0, {2.022619724274, .928526615100, .829400622991}, {2.865128517151, 1.184508676971, 1.036990433902}},
        Known{
            10, 1, {2.104203224182, .975530011861, .879641256425}, {2.993741750717, 1.238359142901, 1.099129328402}}}) {
    const Picture reference = KnownPicture(bits, frame, false), distorted = KnownPicture(bits, frame, true);
    std::vector<double> values = Values(reference, distorted, {{"qnorm", "3"}});
    EXPECT_EQ(values[3], values[2]);
    values.pop_back();
    EXPECT_THAT(values, Near(scores));
    values = Values(reference, distorted, {{"intensity_target", "203"}});
    values.pop_back();
    EXPECT_THAT(values, Near(brighter));
  }
}

TEST(Butteraugli, IdenticalPicturesAre0) {
  for (const PictureFormat& format : {PictureFormat{64, 48, 8, PixelFormat::k400}, {5, 3, 16, PixelFormat::k444}}) {
    const Picture picture = FilmPicture(format, 0);
    EXPECT_THAT(Values(picture, picture), testing::Each(0.0));
  }
}

// Values of the definition, computed apart from this code. The first picture is extended, the second has one scale.
TEST(Butteraugli, SmallPictures) {
  const std::pair<PictureSize, std::vector<double>> pictures[] = {
      {{6, 5}, {7.4570922851562, 5.7870515876844, 5.5756552648910, 5.5233432366507}},
      {{12, 9}, {10.3702793121338, 8.1782068790842, 7.9261840464629, 7.8661522523660}},
      {{15, 15}, {13.1155147552490, 10.7008286104580, 10.5119812362582, 10.4664529187605}}};
  for (const auto& [size, scores] : pictures) {
    const auto picture = [&](bool distorted) {
      return MakeTestPicture({size.width, size.height, 8, PixelFormat::k444}, [&](int p, int x, int y) {
        return 40 + 6 * x + 5 * y + 9 * p + (distorted ? (x * y) % 7 * 5 : 0);
      });
    };
    EXPECT_THAT(Values(picture(false), picture(true)), Near(scores));
  }
}

TEST(Butteraugli, NoSplitIntoBandsChangesABit) {
  ExpectNoSplitShows({kButteraugliMetric, {}, {400, 360, 8}}, {KnownPicture(8, 0, false)}, {KnownPicture(8, 0, true)},
                     {2});
}

TEST(Butteraugli, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(RefusalOf(kButteraugliMetric, {{"matrix", "bt470"}}, {64, 64}), testing::HasSubstr("bt601"));
  EXPECT_THAT(RefusalOf(kButteraugliMetric, {{"intensity_target", "0"}}, {64, 64}), testing::HasSubstr("10000"));
}

}  // namespace
}  // namespace acutance
