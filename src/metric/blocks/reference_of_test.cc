#include "metric/blocks/reference_of.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

TEST(ReferenceOf, Divides) {
  constexpr int kMostPairs = 1 << 16;
  for (const int videos : {1, 2, 3, 5, 6, 7, 64, 100, 255, 256, 1000, 65535})
    for (int pair = 0; pair < kMostPairs; ++pair)
      ASSERT_EQ(reference_of(pair, inverse_of(videos)), pair / videos) << pair << " of " << videos;
}

}  // namespace
}  // namespace acutance
