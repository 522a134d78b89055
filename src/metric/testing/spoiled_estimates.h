// A device's estimates of reciprocals and square roots at their worst, for the kernels' exact functions that begin from
// them: include this before such a function's source.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace acutance {

/// Off by as much as a device's estimate may be, and always the same.
constexpr float Spoil(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) + std::bit_cast<uint32_t>(value) * 2654435761u % 9 - 4);
}

}  // namespace acutance

#undef estimate_reciprocal
#undef estimate_square_root
#define estimate_reciprocal(V) ::acutance::Spoil(1.0f / (V))
#define estimate_square_root(V) ::acutance::Spoil(std::sqrt(V))
