// HIP through clang's built-in functions alone.
#pragma once

#define ACU_INLINE inline __attribute__((device, always_inline))
#define ACU_GROUP_SIZE __attribute__((amdgpu_flat_work_group_size(BLOCK_X * BLOCK_Y, BLOCK_X * BLOCK_Y)))
#define local_x() int32_t(__builtin_amdgcn_workitem_id_x())
#define local_y() int32_t(__builtin_amdgcn_workitem_id_y())
#define group_x() int32_t(__builtin_amdgcn_workgroup_id_x())
#define group_y() int32_t(__builtin_amdgcn_workgroup_id_y())
#define group_z() int32_t(__builtin_amdgcn_workgroup_id_z())
#define groups_x() int32_t(__builtin_amdgcn_grid_size_x() / BLOCK_X)
#define groups_y() int32_t(__builtin_amdgcn_grid_size_y() / BLOCK_Y)
#define group_barrier()                                    \
  do {                                                     \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                          \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (false)
#define leading_zeros(V) acu_leading_zeros(V)
#define estimate_reciprocal(V) __builtin_amdgcn_rcpf(V)
#define estimate_square_root(V) __builtin_amdgcn_sqrtf(V)
#define exact_sqrt_float(A) __builtin_elementwise_sqrt(float(A))
#define exact_sqrt(A) __builtin_elementwise_sqrt(double(A))
#define exact_fma(A, B, C) __builtin_elementwise_fma(double(A), double(B), double(C))
#define exact_fma_float(A, B, C) __builtin_elementwise_fma(float(A), float(B), float(C))

// The wave size that the code object was built for: 32 or 64.
#define wave_size() int32_t(__builtin_amdgcn_wavefrontsize())
#define wave_lane() int32_t(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)))
#define acu_exchange(V, MASK) \
  uint32_t(__builtin_amdgcn_ds_bpermute((wave_lane() ^ (MASK)) << 2, int32_t(V)))  // addresses lanes by bytes

#include "kernel/prelude_gpu.h"
