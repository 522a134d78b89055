// Floats in the 64-bit partial results of a frame.
#pragma once

#include <bit>
#include <cstdint>

namespace acutance {

/// The float's bits, and zero bits above.
inline int64_t WordFromFloat(float value) { return std::bit_cast<uint32_t>(value); }
inline float FloatFromWord(int64_t word) { return std::bit_cast<float>(static_cast<uint32_t>(word)); }

inline int64_t WordFromDouble(double value) { return std::bit_cast<int64_t>(value); }
inline double DoubleFromWord(int64_t word) { return std::bit_cast<double>(word); }

}  // namespace acutance
