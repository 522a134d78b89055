#include "backend/cuda/error.h"

namespace acutance::cuda {

std::string ResultText(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return fmt::format("CUDA error {}", static_cast<int>(result));
  if (driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text) return name;
  return fmt::format("{}: {}", name, text);
}

bool IsDeviceLost(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      // Hardware stack error, illegal instruction, misaligned address, invalid address space or counter, launch failed.
      return result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED;
  }
}

Status CallStatus(const Driver& driver, std::string_view device, CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return {};
  const StatusCode code = result == CUDA_ERROR_OUT_OF_MEMORY ? StatusCode::kOutOfMemory : StatusCode::kIo;
  return Error(code, "{}: could not {}: {}", device, doing, ResultText(driver, result));
}

}  // namespace acutance::cuda
