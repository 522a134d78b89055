#include "backend/hip/error.h"

namespace acutance::hip {

std::string ResultText(const Driver& driver, hipError_t result) {
  const char* name = driver.hipGetErrorName(result);
  const char* text = driver.hipGetErrorString(result);
  return fmt::format("{}: {}", name ? name : "HIP error", text ? text : std::to_string(result));
}

bool IsDeviceLost(hipError_t result) {
  switch (result) {
    case hipErrorECCNotCorrectable:
    case hipErrorIllegalAddress:
    case hipErrorLaunchTimeOut:
    case hipErrorContextIsDestroyed:
    case hipErrorAssert:
    case hipErrorLaunchFailure:
    case hipErrorUnknown:
      return true;
    default:
      return false;
  }
}

Status CallStatus(const Driver& driver, std::string_view device, hipError_t result, std::string_view doing) {
  if (result == hipSuccess) return {};
  const StatusCode code = result == hipErrorOutOfMemory ? StatusCode::kOutOfMemory : StatusCode::kIo;
  return Error(code, "{}: could not {}: {}", device, doing, ResultText(driver, result));
}

}  // namespace acutance::hip
