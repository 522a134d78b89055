// What driver.h declares, against the toolkit's own header, where the build finds one.
#include "backend/cuda/driver.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

#if CUDA_VERSION >= 13000
extern "C" CUresult cuCtxCreate_v2(CUcontext*, unsigned, CUdevice);  // left out of the header, still in the library
#endif

namespace acutance {
namespace {

template <class A, class B>
struct SameAbi : std::false_type {};
template <class R1, class... P1, class R2, class... P2>
requires(sizeof...(P1) == sizeof...(P2)) struct SameAbi<R1 (*)(P1...), R2 (*)(P2...)>
    : std::bool_constant<sizeof(R1) == sizeof(R2) &&
                         ((sizeof(P1) == sizeof(P2) && std::is_pointer_v<P1> == std::is_pointer_v<P2>)&&...)> {
};

TEST(CudaAbi, FunctionsTakeWhatTheHeaderSays) {
#define ACU_CHECK(name, parameters) \
  EXPECT_TRUE((SameAbi<decltype(cuda::Driver::name), decltype(&::name)>::value)) << #name;
  ACU_CUDA_FUNCTIONS(ACU_CHECK)
#undef ACU_CHECK
}

TEST(CudaAbi, ValuesAreThoseOfTheHeader) {
#define ACU_CHECK(name) EXPECT_EQ(static_cast<long>(cuda::name), static_cast<long>(::name)) << #name
  ACU_CHECK(CUDA_SUCCESS);
  ACU_CHECK(CUDA_ERROR_INVALID_VALUE);
  ACU_CHECK(CUDA_ERROR_OUT_OF_MEMORY);
  ACU_CHECK(CUDA_ERROR_STUB_LIBRARY);
  ACU_CHECK(CUDA_ERROR_DEVICE_UNAVAILABLE);
  ACU_CHECK(CUDA_ERROR_NO_DEVICE);
  ACU_CHECK(CUDA_ERROR_INVALID_DEVICE);
  ACU_CHECK(CUDA_ERROR_NO_BINARY_FOR_GPU);
  ACU_CHECK(CUDA_ERROR_ECC_UNCORRECTABLE);
  ACU_CHECK(CUDA_ERROR_INVALID_PTX);
  ACU_CHECK(CUDA_ERROR_NVLINK_UNCORRECTABLE);
  ACU_CHECK(CUDA_ERROR_NOT_FOUND);
  ACU_CHECK(CUDA_ERROR_ILLEGAL_ADDRESS);
  ACU_CHECK(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  ACU_CHECK(CUDA_ERROR_LAUNCH_TIMEOUT);
  ACU_CHECK(CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ACU_CHECK(CUDA_ERROR_ASSERT);
  ACU_CHECK(CUDA_ERROR_HARDWARE_STACK_ERROR);
  ACU_CHECK(CUDA_ERROR_LAUNCH_FAILED);
  ACU_CHECK(CUDA_ERROR_SYSTEM_NOT_READY);
  ACU_CHECK(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
  ACU_CHECK(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ACU_CHECK(CUDA_ERROR_UNKNOWN);
  ACU_CHECK(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  ACU_CHECK(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  ACU_CHECK(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
  ACU_CHECK(CU_COMPUTEMODE_DEFAULT);
  ACU_CHECK(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
  ACU_CHECK(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  ACU_CHECK(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  ACU_CHECK(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  ACU_CHECK(CU_JIT_ERROR_LOG_BUFFER);
  ACU_CHECK(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  ACU_CHECK(CU_STREAM_CAPTURE_MODE_RELAXED);
  ACU_CHECK(CU_STREAM_NON_BLOCKING);
  ACU_CHECK(CU_EVENT_DISABLE_TIMING);
  ACU_CHECK(CU_MEMORYTYPE_UNIFIED);
#undef ACU_CHECK
}

TEST(CudaAbi, UuidsHaveTheHeadersSize) { EXPECT_EQ(sizeof(cuda::CUuuid), sizeof(::CUuuid)); }

TEST(CudaAbi, CopiesOfRowsLieAsInTheHeader) {
#define ACU_CHECK(field) EXPECT_EQ(offsetof(cuda::CUDA_MEMCPY2D, field), offsetof(::CUDA_MEMCPY2D, field)) << #field
  ACU_CHECK(srcXInBytes);
  ACU_CHECK(srcMemoryType);
  ACU_CHECK(srcDevice);
  ACU_CHECK(srcPitch);
  ACU_CHECK(dstXInBytes);
  ACU_CHECK(dstMemoryType);
  ACU_CHECK(dstDevice);
  ACU_CHECK(dstPitch);
  ACU_CHECK(WidthInBytes);
  ACU_CHECK(Height);
#undef ACU_CHECK
  EXPECT_EQ(sizeof(cuda::CUDA_MEMCPY2D), sizeof(::CUDA_MEMCPY2D));
}

}  // namespace
}  // namespace acutance
