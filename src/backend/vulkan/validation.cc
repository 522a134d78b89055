#include "backend/vulkan/validation.h"

#include <cstdio>
#include <mutex>
#include <string_view>
#include <vector>

#include "backend/vulkan/error.h"
#include "backend/vulkan/vulkan.h"
#include "base/environment.h"

namespace acutance::vulkan {
namespace {

struct Messages {
  std::mutex mutex;
  std::vector<std::string> texts;
};

Messages& TheMessages() {
  static auto* messages = new Messages();  // outlives every instance
  return *messages;
}

VkBool32 VKAPI_PTR Receive(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                           const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  std::fprintf(stderr, "vulkan validation: %s\n", data->pMessage);
  Messages& messages = TheMessages();
  const std::lock_guard lock(messages.mutex);
  messages.texts.emplace_back(data->pMessage);
  return VK_FALSE;  // the call continues
}

}  // namespace

bool WantsValidation() { return IsOn("ACUTANCE_VULKAN_VALIDATION", /*otherwise=*/false); }

Status CheckValidationLayer(const LoaderFunctions& loader) {
  uint32_t count = 0;
  ACU_RETURN_IF_ERROR(
      CallStatus("Vulkan", loader.vkEnumerateInstanceLayerProperties(&count, nullptr), "count its layers"));
  std::vector<VkLayerProperties> layers(count);
  ACU_RETURN_IF_ERROR(
      CallStatus("Vulkan", loader.vkEnumerateInstanceLayerProperties(&count, layers.data()), "list its layers"));
  for (const VkLayerProperties& layer : layers)
    if (std::string_view(layer.layerName) == kValidationLayer) return {};
  return Error(StatusCode::kUnsupported,
               "ACUTANCE_VULKAN_VALIDATION asks for the layer {}, which is not installed; install it (on Debian the "
               "package vulkan-validationlayers) or unset the variable",
               kValidationLayer);
}

VkDebugUtilsMessengerCreateInfoEXT MessengerSettings() {
  VkDebugUtilsMessengerCreateInfoEXT settings = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  settings.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  settings.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  settings.pfnUserCallback = Receive;
  return settings;
}

}  // namespace acutance::vulkan

std::vector<std::string> acutance::VulkanValidationMessages() {
  vulkan::Messages& messages = vulkan::TheMessages();
  const std::lock_guard lock(messages.mutex);
  return messages.texts;
}
