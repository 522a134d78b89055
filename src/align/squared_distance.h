// The squared difference of two rows of samples.
#pragma once

#include <cstdint>

namespace acutance {

/// `count` is a multiple of 32. Sums of squares of 32 differences below 2^13 fit into 32 bits.
inline double SquaredDistance(const int16_t* a, const int16_t* b, int64_t count) {
  constexpr int kPart = 32;
  uint64_t sum = 0;
  for (int64_t first = 0; first < count; first += kPart) {
    uint32_t part = 0;
    for (int x = 0; x < kPart; ++x) {
      const int difference = a[first + x] - b[first + x];
      part += static_cast<uint32_t>(difference * difference);
    }
    sum += part;
  }
  return static_cast<double>(sum);
}

}  // namespace acutance
