// Words that CUDA and HIP share. prelude_cuda.h and prelude_hip.h name the built-in functions
// first. No vendor header is included, so that the integer types are named here.
#pragma once

#include "kernel/prelude_cpp.h"

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;

#define FUNCTION(R) [[maybe_unused]] static ACU_INLINE R
#define TABLE(T, NAME, N) [[maybe_unused]] static __attribute__((device, constant)) constexpr T NAME[N]

// Both compilers round divisions correctly by default.
#define exact_divide_float(A, B) ((A) / (B))
#define exact_divide(A, B) ((A) / (B))
#define ACU_DIVIDES_BY_FUSED  // kernel/divide/float_via_fma.kernel.h

#define KERNEL_MAIN()                                                                           \
  FUNCTION(void) KernelBody(CONTEXT());                                                         \
  extern "C" __attribute__((global)) ACU_GROUP_SIZE void KERNEL_SYMBOL(const KernelArgs args) { \
    __attribute__((shared)) KernelShared group;                                                 \
    KernelBody(args, group);                                                                    \
  }                                                                                             \
  FUNCTION(void) KernelBody(CONTEXT())

FUNCTION(int32_t) acu_leading_zeros(uint32_t value) { return value == 0u ? 32 : int32_t(__builtin_clz(value)); }
FUNCTION(int32_t) acu_item() { return local_x() + BLOCK_X * local_y(); }
FUNCTION(int32_t) wave_index() { return acu_item() / wave_size(); }
FUNCTION(int32_t) wave_count() { return (BLOCK_X * BLOCK_Y + wave_size() - 1) / wave_size(); }
FUNCTION(uint64_t) wave_xor(uint64_t value, int32_t mask) {
  const uint32_t low = acu_exchange(uint32_t(value), mask);
  const uint32_t high = acu_exchange(uint32_t(value >> 32), mask);
  return (uint64_t(high) << 32) | uint64_t(low);
}
FUNCTION(uint64_t) wave_sum(uint64_t value) {
  for (int32_t mask = wave_size() / 2; mask > 0; mask >>= 1) value += wave_xor(value, mask);
  return value;
}
