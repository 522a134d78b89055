// No cut of a stage's rows into bands may change a bit.
#pragma once

#include <gtest/gtest.h>

#include "metric/testing/metric_run.h"

namespace acutance {

/// The last frame of two clips, in one band and in bands of 1 to `most` rows in any order.
inline void ExpectNoSplitShows(const TestMetric& metric, const std::vector<Picture>& reference,
                               const std::vector<Picture>& distorted, std::initializer_list<int> each) {
  std::mt19937 random(3);
  const std::vector<int64_t> whole = metric.Run(reference, distorted).words;
  for (const int most : each)
    EXPECT_EQ(metric.Run(reference, distorted, RandomBands(random, most)).words, whole) << most;
}

}  // namespace acutance
