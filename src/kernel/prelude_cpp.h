// What the dialects that are C++ have in common. All of it may stand inside a namespace: the build puts each variant of
// a kernel into one of its own.
#pragma once

template <class T>
struct AcuBuffer {
  T* data;
};

#define BUFFER(T) AcuBuffer<T>
#define CONST_BUFFER(T) AcuBuffer<const T>
#define BUFFER_AT(T, BUFFER_, FIRST) (AcuBuffer<T>{(BUFFER_).data + (FIRST)})
#define CONST_BUFFER_AT(T, BUFFER_, FIRST) (AcuBuffer<const T>{(BUFFER_).data + (FIRST)})

#define KERNEL_USES(ARGS, SHARED) \
  typedef ARGS KernelArgs;        \
  typedef SHARED KernelShared;
#define CONTEXT(...) \
  [[maybe_unused]] const KernelArgs &args, [[maybe_unused]] KernelShared &group __VA_OPT__(, ) __VA_ARGS__
#define PASS(...) args, group __VA_OPT__(, ) __VA_ARGS__
#define IN_OUT(T) T&
#define CONSTANT(T, NAME) [[maybe_unused]] static constexpr T NAME
#define UNROLL _Pragma("unroll")
#define DOUBLE(X) X
#define double_bits(V) __builtin_bit_cast(uint64_t, double(V))
#define bits_double(V) __builtin_bit_cast(double, uint64_t(V))
#define float_bits(V) __builtin_bit_cast(uint32_t, float(V))
#define bits_float(V) __builtin_bit_cast(float, uint32_t(V))
