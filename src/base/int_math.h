// Exact integer arithmetic that the metrics share.
#pragma once

#include <bit>
#include <cstdint>

namespace acutance {

template <class T>
constexpr T CeilDiv(T a, T b) {
  return (a + b - 1) / b;
}

/// ceil(log2(n)) for n >= 1.
constexpr int CeilLog2(uint64_t n) { return n <= 1 ? 0 : std::bit_width(n - 1); }

}  // namespace acutance
