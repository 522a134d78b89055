// The sum of doubles in an order that devices can follow.
#pragma once

#include <cstddef>
#include <vector>

namespace acutance {

/// The sum of `values` in the order of docs/spec/beyond.md 5.3; uses their memory.
inline double FoldBy32(std::vector<double>& values) {
  constexpr size_t kGroup = 32;
  do {
    values.resize((values.size() + kGroup - 1) / kGroup * kGroup, 0.0);
    const size_t groups = values.size() / kGroup;
    for (size_t g = 0; g < groups; ++g) {
      double* group = values.data() + g * kGroup;
      for (size_t half = kGroup / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; ++i) group[i] += group[i + half];
      values[g] = group[0];
    }
    values.resize(groups);
  } while (values.size() > 1);
  return values[0];
}

}  // namespace acutance
