// Plain C++, strict: samples of 8 and 16 bits may be stored and converted, never computed with. C++ promotes them to
// int where GLSL keeps 16 bits, so that the same source would give other numbers; here such a source does not compile.
#pragma once

#include <bit>
#include <cstdint>

#include "kernel/emu_item.h"
#include "kernel/prelude_cpp.h"

namespace acutance_kernel {

template <class T>
struct StoredOnly {
  T value;
  StoredOnly() = default;
  explicit StoredOnly(int32_t x) : value(static_cast<T>(x)) {}
  explicit StoredOnly(uint32_t x) : value(static_cast<T>(x)) {}
  explicit operator int32_t() const { return value; }
  explicit operator uint32_t() const { return value; }
  explicit operator int64_t() const { return value; }
  explicit operator uint64_t() const { return value; }
  explicit operator float() const { return value; }
  explicit operator double() const { return value; }
};

// Kernels are compiled inside this namespace, where these names win over those of <cstdint>.
using int8_t = StoredOnly<signed char>;
using uint8_t = StoredOnly<unsigned char>;
using int16_t = StoredOnly<short>;
using uint16_t = StoredOnly<unsigned short>;

/// Converts to any buffer and to nothing else.
struct AnyBuffer {
  template <class T>
  operator AcuBuffer<T>() const;
};

/// How many members of Args from the first on are buffers.
template <class Args, class... Found>
constexpr uint32_t CountBuffers() {
  if constexpr (requires { Args{Found()..., AnyBuffer()}; }) return CountBuffers<Args, Found..., AnyBuffer>();
  else return sizeof...(Found);
}

template <class Args, class Shared, void (*body)(const Args&, Shared&)>
constexpr AcuEmuKernel DescribeKernel() {
  return {.entry = [](const void* args,
                      void* shared) { body(*static_cast<const Args*>(args), *static_cast<Shared*>(shared)); },
          .args_bytes = sizeof(Args),
          .shared_bytes = sizeof(Shared),
          .buffer_args = CountBuffers<Args>()};
}

}  // namespace acutance_kernel

#undef UNROLL  // gcc would want a number
#define UNROLL
#define FUNCTION(R) [[maybe_unused]] static inline R
#define TABLE(T, NAME, N) [[maybe_unused]] static constexpr T NAME[N]
#define KERNEL_MAIN() static void KernelBody(CONTEXT())

#define local_x() (acu_emu_item->local_x)
#define local_y() (acu_emu_item->local_y)
#define group_x() (acu_emu_item->group_x)
#define group_y() (acu_emu_item->group_y)
#define group_z() (acu_emu_item->group_z)
#define groups_x() (acu_emu_item->groups_x)
#define groups_y() (acu_emu_item->groups_y)
#define group_barrier() acu_emu_item->barrier()
#define wave_size() (acu_emu_item->wave_size)
#define wave_lane() (acu_emu_item->wave_lane)
#define wave_index() (acu_emu_item->wave_index)
#define wave_count() (acu_emu_item->wave_count)
#define wave_sum(V) acu_emu_item->wave_sum(V)
#define wave_xor(V, MASK) acu_emu_item->wave_xor(V, MASK)
#define leading_zeros(V) int32_t(std::countl_zero(V))
#define estimate_reciprocal(V) (1.0f / (V))
#define estimate_square_root(V) __builtin_sqrtf(V)
