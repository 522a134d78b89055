// The part of Vulkan's interface that acutance calls, resolved at run time: no link to a Vulkan library.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace acutance::vulkan {

#define ACU_VULKAN_LOADER_FUNCTIONS(X)  \
  X(vkEnumerateInstanceVersion)         \
  X(vkEnumerateInstanceLayerProperties) \
  X(vkCreateInstance)

#define ACU_VULKAN_INSTANCE_FUNCTIONS(X)      \
  X(vkDestroyInstance)                        \
  X(vkEnumerateDeviceExtensionProperties)     \
  X(vkEnumeratePhysicalDevices)               \
  X(vkGetPhysicalDeviceFeatures2)             \
  X(vkGetPhysicalDeviceMemoryProperties)      \
  X(vkGetPhysicalDeviceMemoryProperties2)     \
  X(vkGetPhysicalDeviceProperties)            \
  X(vkGetPhysicalDeviceProperties2)           \
  X(vkGetPhysicalDeviceQueueFamilyProperties) \
  X(vkCreateDevice)                           \
  X(vkGetDeviceProcAddr)

#define ACU_VULKAN_DEVICE_FUNCTIONS(X) \
  X(vkAllocateCommandBuffers)          \
  X(vkAllocateMemory)                  \
  X(vkBeginCommandBuffer)              \
  X(vkBindBufferMemory)                \
  X(vkCmdBindPipeline)                 \
  X(vkCmdCopyBuffer)                   \
  X(vkCmdDispatch)                     \
  X(vkCmdPipelineBarrier)              \
  X(vkCmdPushConstants)                \
  X(vkCmdWriteTimestamp)               \
  X(vkCreateBuffer)                    \
  X(vkCreateCommandPool)               \
  X(vkCreateComputePipelines)          \
  X(vkCreatePipelineCache)             \
  X(vkCreatePipelineLayout)            \
  X(vkCreateQueryPool)                 \
  X(vkCreateSemaphore)                 \
  X(vkCreateShaderModule)              \
  X(vkDestroyBuffer)                   \
  X(vkDestroyCommandPool)              \
  X(vkDestroyDevice)                   \
  X(vkDestroyPipeline)                 \
  X(vkDestroyPipelineCache)            \
  X(vkDestroyPipelineLayout)           \
  X(vkDestroyQueryPool)                \
  X(vkDestroySemaphore)                \
  X(vkDestroyShaderModule)             \
  X(vkEndCommandBuffer)                \
  X(vkFreeMemory)                      \
  X(vkGetBufferDeviceAddress)          \
  X(vkGetBufferMemoryRequirements)     \
  X(vkGetDeviceQueue)                  \
  X(vkGetPipelineCacheData)            \
  X(vkGetQueryPoolResults)             \
  X(vkMapMemory)                       \
  X(vkQueueSubmit)                     \
  X(vkQueueWaitIdle)                   \
  X(vkResetCommandPool)                \
  X(vkResetQueryPool)                  \
  X(vkWaitSemaphores)

/// Functions of extensions; null where the driver lacks them.
#define ACU_VULKAN_EXTENSION_FUNCTIONS(X) \
  X(vkGetPipelineExecutablePropertiesKHR) \
  X(vkGetPipelineExecutableStatisticsKHR)

#define ACU_DECLARE(name) PFN_##name name = nullptr;
struct LoaderFunctions {
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
  ACU_VULKAN_LOADER_FUNCTIONS(ACU_DECLARE)
};
struct InstanceFunctions {
  ACU_VULKAN_INSTANCE_FUNCTIONS(ACU_DECLARE)
};
struct DeviceFunctions {
  ACU_VULKAN_DEVICE_FUNCTIONS(ACU_DECLARE)
  ACU_VULKAN_EXTENSION_FUNCTIONS(ACU_DECLARE)
};
#undef ACU_DECLARE

}  // namespace acutance::vulkan
