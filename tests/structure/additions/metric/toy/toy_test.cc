#include "metric/toy/toy.h"

#include <gtest/gtest.h>

#include <vector>

#include "metric/toy/toy_ref.h"

namespace acutance {
namespace {

TEST(Toy, KnownAnswer) {
  const uint8_t reference[] = {0, 10, 255, 7}, distorted[] = {255, 8, 0, 7};
  const Plane r = {reinterpret_cast<const std::byte*>(reference), 2, 2, 2};
  const Plane d = {reinterpret_cast<const std::byte*>(distorted), 2, 2, 2};
  EXPECT_EQ(SumAbsoluteDifferences(r, d, 8, 0, 2), 255 + 2 + 255);
  EXPECT_EQ(SumAbsoluteDifferences(r, d, 8, 1, 2), 255);
}

TEST(Toy, MeanOfTheSum) {
  const auto extractor = kToyMetric.make(OptionValues(kToyMetric.options), {4, 2, 8});
  ASSERT_TRUE(extractor.ok());
  const int64_t sums[] = {20};
  double values[] = {0};
  (*extractor)->Finish(sums, values);
  EXPECT_EQ(values[0], 2.5);
}

}  // namespace
}  // namespace acutance
