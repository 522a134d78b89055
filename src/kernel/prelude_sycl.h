// SYCL, for the run-time compiler of Intel's runtime. The build flattens the source and puts it into a namespace behind
// prologue.sycl, which has the includes and ACU_SYCL_WAVE. Most of the time of compiling a small kernel goes into
// reading the runtime's headers, so only those that are used are read, where the runtime has them.
//
// Shared memory is a static work_group_static: group_local_memory_for_overwrite crashes that compiler (libsycl 9.0.0).
#pragma once

#include "kernel/prelude_cpp.h"

#define FUNCTION(R) [[maybe_unused]] static inline __attribute__((always_inline)) R
#define TABLE(T, NAME, N) [[maybe_unused]] static constexpr T NAME[N]

#define KERNEL_MAIN()                                                                                 \
  FUNCTION(void) KernelBody(CONTEXT());                                                               \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>)) \
      ACU_SYCL_WAVE void                                                                              \
      KERNEL_SYMBOL(KernelArgs args) {                                                                \
    static sycl::ext::oneapi::experimental::work_group_static<KernelShared> shared;                   \
    KernelShared& group = shared;                                                                     \
    KernelBody(args, group);                                                                          \
  }                                                                                                   \
  FUNCTION(void) KernelBody(CONTEXT())

// Dimension 2 is x: the fastest one.
FUNCTION(sycl::nd_item<3>) acu_item() { return sycl::ext::oneapi::this_work_item::get_nd_item<3>(); }
FUNCTION(sycl::sub_group) acu_wave() { return sycl::ext::oneapi::this_work_item::get_sub_group(); }

FUNCTION(int32_t) local_x() { return int32_t(acu_item().get_local_id(2)); }
FUNCTION(int32_t) local_y() { return int32_t(acu_item().get_local_id(1)); }
FUNCTION(int32_t) group_x() { return int32_t(acu_item().get_group(2)); }
FUNCTION(int32_t) group_y() { return int32_t(acu_item().get_group(1)); }
FUNCTION(int32_t) group_z() { return int32_t(acu_item().get_group(0)); }
FUNCTION(int32_t) groups_x() { return int32_t(acu_item().get_group_range(2)); }
FUNCTION(int32_t) groups_y() { return int32_t(acu_item().get_group_range(1)); }
FUNCTION(void) group_barrier() { sycl::group_barrier(acu_item().get_group()); }

// Not get_max_local_range(): on CPUs a wave never spans rows, so it is no longer than BLOCK_X.
FUNCTION(int32_t) wave_size() { return int32_t(acu_wave().get_local_range()[0]); }
FUNCTION(int32_t) wave_lane() { return int32_t(acu_wave().get_local_id()[0]); }
FUNCTION(int32_t) wave_index() { return int32_t(acu_wave().get_group_id()[0]); }
FUNCTION(int32_t) wave_count() { return int32_t(acu_wave().get_group_range()[0]); }
FUNCTION(uint64_t) wave_sum(uint64_t value) {
  return sycl::reduce_over_group(acu_wave(), value, sycl::plus<uint64_t>());
}
FUNCTION(uint64_t) wave_xor(uint64_t value, int32_t mask) {
  return sycl::permute_group_by_xor(acu_wave(), value, uint32_t(mask));
}
FUNCTION(int32_t) leading_zeros(uint32_t value) { return int32_t(sycl::clz(value)); }
FUNCTION(float) estimate_reciprocal(float value) { return 1.0f / value; }
FUNCTION(float) estimate_square_root(float value) { return sycl::sqrt(value); }

// The runtime compiler is asked for correctly rounded divisions and roots of floats; OpenCL promises the rest.
#define exact_divide_float(A, B) ((A) / (B))
#define exact_divide(A, B) ((A) / (B))
#define exact_sqrt_float(A) sycl::sqrt(float(A))
#define exact_sqrt(A) sycl::sqrt(double(A))
#define exact_fma(A, B, C) sycl::fma(double(A), double(B), double(C))
#define exact_fma_float(A, B, C) sycl::fma(float(A), float(B), float(C))
