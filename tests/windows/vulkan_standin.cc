// A loader of Vulkan 1.3 whose only answer is that there is no driver.
#include <vulkan/vulkan_core.h>

#include <string_view>

namespace {

VkResult Version(uint32_t* version) {
  *version = VK_API_VERSION_1_3;
  return VK_SUCCESS;
}

VkResult Layers(uint32_t* count, VkLayerProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VkResult Create(const VkInstanceCreateInfo*, const VkAllocationCallbacks*, VkInstance*) {
  return VK_ERROR_INCOMPATIBLE_DRIVER;
}

}  // namespace

extern "C" PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance, const char* text) {
  const std::string_view name = text;
  if (name == "vkEnumerateInstanceVersion") return reinterpret_cast<PFN_vkVoidFunction>(&Version);
  if (name == "vkEnumerateInstanceLayerProperties") return reinterpret_cast<PFN_vkVoidFunction>(&Layers);
  return name == "vkCreateInstance" ? reinterpret_cast<PFN_vkVoidFunction>(&Create) : nullptr;
}
