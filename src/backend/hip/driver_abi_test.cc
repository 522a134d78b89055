// What driver.h declares, against ROCm's own header, where the build finds one.
#include "backend/hip/driver.h"

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include <cstddef>

namespace acutance {
namespace {

TEST(HipAbi, ValuesAreThoseOfTheHeader) {
#define ACU_CHECK(name) EXPECT_EQ(static_cast<long>(hip::name), static_cast<long>(::name)) << #name
  ACU_CHECK(hipSuccess);
  ACU_CHECK(hipErrorInvalidValue);
  ACU_CHECK(hipErrorOutOfMemory);
  ACU_CHECK(hipErrorInsufficientDriver);
  ACU_CHECK(hipErrorNoDevice);
  ACU_CHECK(hipErrorInvalidDevice);
  ACU_CHECK(hipErrorNoBinaryForGpu);
  ACU_CHECK(hipErrorECCNotCorrectable);
  ACU_CHECK(hipErrorNotFound);
  ACU_CHECK(hipErrorIllegalAddress);
  ACU_CHECK(hipErrorLaunchTimeOut);
  ACU_CHECK(hipErrorContextIsDestroyed);
  ACU_CHECK(hipErrorAssert);
  ACU_CHECK(hipErrorLaunchFailure);
  ACU_CHECK(hipErrorUnknown);
  ACU_CHECK(hipDeviceAttributeMaxSharedMemoryPerBlock);
  ACU_CHECK(hipDeviceAttributeWarpSize);
  ACU_CHECK(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  ACU_CHECK(hipMemcpyDefault);
  ACU_CHECK(hipStreamCaptureModeRelaxed);
#undef ACU_CHECK
  const unsigned non_blocking = hipStreamNonBlocking;  // a macro, which also hides the declared constant
  EXPECT_EQ(non_blocking, 1u);
}

TEST(HipAbi, ArchNameLiesWhereTheHeaderSays) {
  const size_t expected = HIP_VERSION_MAJOR >= 6 ? hip::DevicePropertiesR0600::kArchNameOffset
                                                 : hip::DevicePropertiesR0000::kArchNameOffset;
  EXPECT_EQ(offsetof(hipDeviceProp_t, gcnArchName), expected);
  EXPECT_LE(sizeof(hipDeviceProp_t), sizeof(hip::DevicePropertiesR0600));
}

}  // namespace
}  // namespace acutance
