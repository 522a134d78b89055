#include "report/highpass_energy.h"

#include <gtest/gtest.h>

#include <random>

#include "simd/testing/targets.h"

namespace acutance {
namespace {

template <class Sample>
struct Picture {
  int width, height;
  std::vector<Sample> samples;

  Picture(int columns, int rows, unsigned seed) : width(columns), height(rows) {
    std::mt19937 random(seed);
    for (int i = 0; i < columns * rows; ++i) samples.push_back(static_cast<Sample>(random()));
  }
  const Sample* Row(int y) const { return &samples[static_cast<size_t>(y) * width]; }
  HighpassEnergy<Sample> Around(int y) const { return {Row(y - 1), Row(y), Row(y + 1)}; }
  float Detail(int x, int y) const {
    static constexpr int kWeights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    int sum = 16 * Row(y)[x];
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) sum -= kWeights[j][i] * Row(y + j - 1)[x + i - 1];
    return static_cast<float>(sum);
  }
};

template <class Sample>
void ExpectPlainSums(int width) {
  const Picture<Sample> reference(width, 7, 1), distorted(width, 7, 2);
  std::vector<float> expected[DetailColumns::kKinds];
  for (auto& sums : expected) sums.resize(static_cast<size_t>(width));
  for (int y = 1; y < 6; ++y)
    for (int x = 1; x + 1 < width; ++x) {
      const float r = reference.Detail(x, y), d = distorted.Detail(x, y);
      const auto error = static_cast<float>(distorted.Row(y)[x] - reference.Row(y)[x]);
      expected[DetailColumns::kReference][x] += r * r;
      expected[DetailColumns::kDistorted][x] += d * d;
      expected[DetailColumns::kBoth][x] += r * d;
      expected[DetailColumns::kError][x] += error * error;
    }
  ForEachTarget([&] {
    DetailColumns columns(width);
    columns.Add(distorted.Around(1), reference.Around(1));
    columns.Clear();
    for (int y = 1; y < 6; ++y) columns.Add(reference.Around(y), distorted.Around(y));
    for (int kind = 0; kind < DetailColumns::kKinds; ++kind)
      for (int x = 1; x + 1 < width; ++x)
        ASSERT_EQ(columns.sums(static_cast<DetailColumns::Kind>(kind))[x], expected[kind][x])
            << "kind " << kind << " column " << x << " of " << width;
  });
}

TEST(DetailColumns, AreThePlainSumsOnEveryTarget) {
  for (const int width : {1, 2, 3, 16, 17, 18, 19, 33, 200}) {
    ExpectPlainSums<uint8_t>(width);
    ExpectPlainSums<uint16_t>(width);
  }
}

}  // namespace
}  // namespace acutance
