// The words of the kernel language that exact_*.kernel.h use, for the CPU.
#pragma once

#include <cstdint>

namespace acutance {

template <class T>
struct ConstBuffer {
  const T* data;
};

}  // namespace acutance

#define FUNCTION(R) [[maybe_unused]] static inline R
#define CONST_BUFFER(T) ::acutance::ConstBuffer<T>
#define IN_OUT(T) T&
#define DOUBLE(X) X
#define double_bits(X) __builtin_bit_cast(uint64_t, double(X))
#define bits_double(X) __builtin_bit_cast(double, uint64_t(X))
#define float_bits(X) __builtin_bit_cast(uint32_t, float(X))
#define bits_float(X) __builtin_bit_cast(float, uint32_t(X))
#define leading_zeros(X) ((X) == 0u ? 32 : int32_t(__builtin_clz(X)))
#define estimate_reciprocal(X) (1.0f / (X))
#define estimate_square_root(X) __builtin_sqrtf(X)
