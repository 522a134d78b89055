#include "backend/vulkan/error.h"

namespace acutance::vulkan {

std::string ResultText(VkResult result) {
  switch (result) {
#define ACU_RESULT(name, meaning) \
  case name:                      \
    return #name " (" meaning ")";
    ACU_RESULT(VK_NOT_READY, "not done yet")
    ACU_RESULT(VK_TIMEOUT, "it took too long")
    ACU_RESULT(VK_INCOMPLETE, "the list changed meanwhile")
    ACU_RESULT(VK_ERROR_OUT_OF_HOST_MEMORY, "out of host memory")
    ACU_RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY, "out of device memory")
    ACU_RESULT(VK_ERROR_INITIALIZATION_FAILED, "the driver does not start")
    ACU_RESULT(VK_ERROR_DEVICE_LOST, "the GPU or its driver has crashed")
    ACU_RESULT(VK_ERROR_MEMORY_MAP_FAILED, "the memory cannot be mapped")
    ACU_RESULT(VK_ERROR_LAYER_NOT_PRESENT, "a layer is not installed")
    ACU_RESULT(VK_ERROR_EXTENSION_NOT_PRESENT, "an extension is not supported")
    ACU_RESULT(VK_ERROR_FEATURE_NOT_PRESENT, "a feature is not supported")
    ACU_RESULT(VK_ERROR_INCOMPATIBLE_DRIVER, "no driver, or too old a one")
    ACU_RESULT(VK_ERROR_TOO_MANY_OBJECTS, "too many allocations")
    ACU_RESULT(VK_ERROR_INVALID_SHADER_NV, "the driver does not take the kernel's code")
    ACU_RESULT(VK_ERROR_UNKNOWN, "no reason was given")
#undef ACU_RESULT
    default:
      return fmt::format("Vulkan error {}", static_cast<int>(result));
  }
}

Status CallStatus(std::string_view device, VkResult result, std::string_view doing) {
  if (result == VK_SUCCESS) return {};
  const StatusCode code = IsOutOfMemory(result) ? StatusCode::kOutOfMemory : StatusCode::kIo;
  return Error(code, "{}: could not {}: {}", device, doing, ResultText(result));
}

}  // namespace acutance::vulkan
