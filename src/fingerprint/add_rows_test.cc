#include "fingerprint/add_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "simd/testing/targets.h"

namespace acutance {
namespace {

template <class Sample, class Sum>
void CompareWithPlainSums(int width, int count) {
  std::mt19937 random(static_cast<uint32_t>(width * 10 + count));
  std::vector<std::vector<Sample>> rows(static_cast<size_t>(count), std::vector<Sample>(static_cast<size_t>(width)));
  std::vector<const Sample*> pointers;
  std::vector<Sum> expected(rows[0].size());
  for (std::vector<Sample>& row : rows) {
    pointers.push_back(row.data());
    for (size_t x = 0; x < row.size(); ++x) {
      row[x] = static_cast<Sample>(random() % 3 == 0 ? ~0u : random());
      expected[x] = static_cast<Sum>(expected[x] + row[x]);
    }
  }
  ForEachTarget([&] {
    std::vector<Sum> sums(expected.size(), Sum{7});
    AddRows(std::span<const Sample* const>(pointers), width, sums.data());
    EXPECT_EQ(sums, expected) << count << " rows of " << width;
  });
}

TEST(AddRows, IsThePlainSum) {
  for (int width = 1; width <= 140; ++width)
    for (const int count : {1, 3, 8}) {
      CompareWithPlainSums<uint8_t, uint16_t>(width, count);
      CompareWithPlainSums<uint16_t, uint32_t>(width, count);
    }
}

}  // namespace
}  // namespace acutance
