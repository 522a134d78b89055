// CUDA through clang's built-in functions alone, or, with ACU_NVCC, through nvcc's.
#pragma once

#ifdef ACU_NVCC
#define ACU_INLINE __device__ __forceinline__
#define ACU_GROUP_SIZE __launch_bounds__(BLOCK_X* BLOCK_Y)
#define local_x() int32_t(threadIdx.x)
#define local_y() int32_t(threadIdx.y)
#define group_x() int32_t(blockIdx.x)
#define group_y() int32_t(blockIdx.y)
#define group_z() int32_t(blockIdx.z)
#define groups_x() int32_t(gridDim.x)
#define groups_y() int32_t(gridDim.y)
#define group_barrier() __syncthreads()
#define leading_zeros(V) int32_t(__clz(int32_t(V)))
#define estimate_reciprocal(V) __fdividef(1.0f, V)
#define estimate_square_root(V) __fsqrt_rn(V)
#define exact_sqrt_float(A) __fsqrt_rn(A)
#define exact_sqrt(A) __dsqrt_rn(A)
#define exact_fma(A, B, C) __fma_rn(A, B, C)
#define exact_fma_float(A, B, C) __fmaf_rn(A, B, C)
#define acu_exchange(V, MASK) uint32_t(__shfl_xor_sync(0xffffffffu, uint32_t(V), MASK))
#else
#define ACU_INLINE inline __attribute__((device, always_inline))
#define ACU_GROUP_SIZE __attribute__((launch_bounds(BLOCK_X * BLOCK_Y)))
#define local_x() int32_t(__nvvm_read_ptx_sreg_tid_x())
#define local_y() int32_t(__nvvm_read_ptx_sreg_tid_y())
#define group_x() int32_t(__nvvm_read_ptx_sreg_ctaid_x())
#define group_y() int32_t(__nvvm_read_ptx_sreg_ctaid_y())
#define group_z() int32_t(__nvvm_read_ptx_sreg_ctaid_z())
#define groups_x() int32_t(__nvvm_read_ptx_sreg_nctaid_x())
#define groups_y() int32_t(__nvvm_read_ptx_sreg_nctaid_y())
#define group_barrier() __nvvm_bar_sync(0)
#define leading_zeros(V) acu_leading_zeros(V)
#define estimate_reciprocal(V) __nvvm_rcp_approx_ftz_f(V)
#define estimate_square_root(V) __nvvm_sqrt_approx_ftz_f(V)
#define exact_sqrt_float(A) __nvvm_sqrt_rn_f(A)
#define exact_sqrt(A) __nvvm_sqrt_rn_d(A)
#define exact_fma(A, B, C) __nvvm_fma_rn_d(A, B, C)
#define exact_fma_float(A, B, C) __nvvm_fma_rn_f(A, B, C)
#define acu_exchange(V, MASK) uint32_t(__nvvm_shfl_sync_bfly_i32(-1, int32_t(V), MASK, 31))
#endif

// All NVIDIA GPUs; wave_index() counts items in the order of their numbers, as the hardware does.
#define wave_size() int32_t(32)
#define wave_lane() (acu_item() % wave_size())

#include "kernel/prelude_gpu.h"

// CONST_BUFFER goes through the read-only cache (ld.global.nc): nothing writes it while a kernel runs.
#ifdef ACU_NVCC
#define ACU_READ_ONLY(T, NAME) \
  FUNCTION(T) acu_read(const T* at) { return __ldg(at); }
#else
#define ACU_READ_ONLY(T, NAME) \
  FUNCTION(T) acu_read(const T* at) { return __nvvm_ldg_##NAME(at); }
#endif
ACU_READ_ONLY(uint8_t, uc)
ACU_READ_ONLY(int16_t, s)
ACU_READ_ONLY(uint16_t, us)
ACU_READ_ONLY(int32_t, i)
ACU_READ_ONLY(uint32_t, ui)
ACU_READ_ONLY(int64_t, l)
ACU_READ_ONLY(uint64_t, ul)
ACU_READ_ONLY(float, f)
ACU_READ_ONLY(double, d)

template <class T>
struct AcuReadOnly {
  const T* at;
  ACU_INLINE T operator[](int32_t i) const { return acu_read(at + i); }
  ACU_INLINE AcuReadOnly operator+(int64_t first) const { return {at + first}; }
};
template <class T>
struct AcuBuffer<const T> {
  AcuReadOnly<T> data;
};
