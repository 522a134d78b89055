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
#define EXACT /* contraction is off by compiler flag */
#define DOUBLE(X) X
