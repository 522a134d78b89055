#include "report/image_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "simd/testing/targets.h"

namespace acutance {
namespace {

std::vector<uint32_t> RandomSums(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> sums(count);
  for (uint32_t& sum : sums) sum = random() % 1021;
  return sums;
}

uint8_t Byte(float value) { return static_cast<uint8_t>(std::clamp(static_cast<int>(value + 0.5f), 0, 255)); }

TEST(StoreRgbRow, IsThePlainFormulaOnEveryTarget) {
  const ColorFactors factors{16, 1.164384f, 1.792741f, 0.213249f, 0.532909f, 2.112402f};
  constexpr float kShare = 0.25f;
  for (const size_t count : {1, 7, 16, 33, 1920}) {
    const std::vector<uint32_t> y = RandomSums(count, 1), u = RandomSums(count, 2), v = RandomSums(count, 3);
    std::vector<uint8_t> expected;
    for (size_t x = 0; x < count; ++x) {
      const auto sample = [](uint32_t sum) { return static_cast<float>(sum) * kShare; };
      const float luma = (sample(y[x]) - factors.black) * factors.luma, cb = sample(u[x]) - 128,
                  cr = sample(v[x]) - 128;
      expected.push_back(Byte(luma + factors.red_v * cr));
      expected.push_back(Byte(luma - factors.green_u * cb - factors.green_v * cr));
      expected.push_back(Byte(luma + factors.blue_u * cb));
    }
    ForEachTarget([&] {
      std::vector<uint8_t> rgb(3 * count);
      StoreRgbRow({y.data(), u.data(), v.data()}, count, kShare, factors, rgb.data());
      EXPECT_EQ(rgb, expected);
    });
  }
}

std::vector<uint8_t> RandomBytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

TEST(StoreRgbRow, MakesTheSameOfSamplesAsOfSums) {
  const ColorFactors factors{16, 1.164384f, 1.792741f, 0.213249f, 0.532909f, 2.112402f};
  for (const size_t count : {1, 7, 16, 33, 1920}) {
    const std::vector<uint8_t> y = RandomBytes(count, 1), u = RandomBytes(count, 2), v = RandomBytes(count, 3);
    const auto sums = [](const std::vector<uint8_t>& bytes) {
      return std::vector<uint32_t>(bytes.begin(), bytes.end());
    };
    const std::vector<uint32_t> y_sums = sums(y), u_sums = sums(u), v_sums = sums(v);
    std::vector<uint8_t> expected(3 * count);
    StoreRgbRow({y_sums.data(), u_sums.data(), v_sums.data()}, count, 1, factors, expected.data());
    ForEachTarget([&] {
      std::vector<uint8_t> rgb(3 * count);
      StoreRgbRow({y.data(), u.data(), v.data()}, count, factors, rgb.data());
      EXPECT_EQ(rgb, expected);
    });
  }
}

TEST(RepeatSamples, HasEachTwice) {
  const std::vector<uint8_t> samples = RandomBytes(1000, 7);
  for (const size_t count : {1, 2, 63, 64, 129, 1999, 2000})
    ForEachTarget([&] {
      std::vector<uint8_t> twice(count + 1, 77);
      RepeatSamples(samples.data(), count, twice.data());
      for (size_t x = 0; x < count; ++x) ASSERT_EQ(twice[x], samples[x / 2]) << x << " of " << count;
      EXPECT_EQ(twice[count], 77);
    });
}

TEST(SplitRgbRow, IsThePlainFormulaOnEveryTarget) {
  for (const size_t count : {1, 7, 16, 33, 640}) {
    const std::vector<uint8_t> rgb = RandomBytes(3 * count, 8);
    ForEachTarget([&] {
      std::vector<float> luma(count), blue(count), red(count);
      SplitRgbRow(rgb.data(), count, luma.data(), blue.data(), red.data());
      for (size_t x = 0; x < count; ++x) {
        const float r = rgb[3 * x], g = rgb[3 * x + 1], b = rgb[3 * x + 2];
        ASSERT_EQ(luma[x], 0.29900f * r + 0.58700f * g + 0.11400f * b - 128);
        ASSERT_EQ(blue[x], -0.16874f * r - 0.33126f * g + 0.50000f * b);
        ASSERT_EQ(red[x], 0.50000f * r - 0.41869f * g - 0.08131f * b);
      }
    });
  }
}

TEST(FindRepeats, FindsWhatIsLikeTheByteBefore) {
  std::mt19937 random(5);
  for (const size_t size : {1, 3, 63, 64, 65, 127, 128, 1000}) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 3);
    ForEachTarget([&] {
      std::vector<uint64_t> bits((size + 63) / 64, ~uint64_t{0});
      FindRepeats(bytes, bits.data());
      for (size_t i = 0; i < 64 * bits.size(); ++i)
        EXPECT_EQ(bits[i / 64] >> i % 64 & 1, i > 0 && i < size && bytes[i] == bytes[i - 1]) << i << " of " << size;
    });
  }
}

TEST(AddBytes, StopsAt255) {
  std::mt19937 random(6);
  std::vector<uint8_t> bytes(1000), more(1000), expected;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(random());
    more[i] = static_cast<uint8_t>(random());
    expected.push_back(static_cast<uint8_t>(std::min(bytes[i] + more[i], 255)));
  }
  ForEachTarget([&] {
    std::vector<uint8_t> sums(bytes.size());
    AddBytes(bytes.data(), more.data(), bytes.size(), sums.data());
    EXPECT_EQ(sums, expected);
  });
}

}  // namespace
}  // namespace acutance
