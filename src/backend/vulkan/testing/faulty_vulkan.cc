// The library that faulty_vulkan.h describes.
#include "backend/vulkan/testing/faulty_vulkan.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace acutance::vulkan {
namespace {

FaultyVulkan g_faulty;
std::mutex g_mutex;

PFN_vkGetInstanceProcAddr TrueLoader() {
  static void* library = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr")) : nullptr;
}

/// Opens the true driver with an instance that is never destroyed: llvmpipe's LLVM leaks when it is unloaded, and a
/// leak checker sees that.
void KeepDriversLoaded() {
  static VkInstance instance = nullptr;
  if (instance || !TrueLoader()) return;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(TrueLoader()(nullptr, "vkCreateInstance"));
  const VkInstanceCreateInfo settings = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  if (create(&settings, nullptr, &instance) != VK_SUCCESS) instance = nullptr;
}

#define ACU_TAG(name)                           \
  struct Tag_##name {                           \
    static constexpr const char* kName = #name; \
  };
ACU_VULKAN_LOADER_FUNCTIONS(ACU_TAG)
ACU_VULKAN_INSTANCE_FUNCTIONS(ACU_TAG)
ACU_VULKAN_DEVICE_FUNCTIONS(ACU_TAG)
ACU_VULKAN_EXTENSION_FUNCTIONS(ACU_TAG)
#undef ACU_TAG

/// Changes of a call's arguments: none, except in the functions below, which hide the second family from the true
/// driver. Memory that they point to lives until the thread's next call.
template <class Tag, class... Args>
void Prepare(Tag, Args&...) {}

/// The result of a call in place of its work: none, except in the function below.
template <class Tag, class... Args>
std::optional<VkResult> Refuse(Tag, Args&...) {
  return std::nullopt;
}

constexpr uint32_t kCopyFamily = 1;
constexpr const char* kStatistics = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;

/// Null: none.
const char* AddedExtension() {
  if (g_faulty.statistics) return kStatistics;
  return g_faulty.free_memory ? VK_EXT_MEMORY_BUDGET_EXTENSION_NAME : nullptr;
}

void Prepare(Tag_vkGetPhysicalDeviceQueueFamilyProperties, VkPhysicalDevice&, uint32_t*& count,
             VkQueueFamilyProperties*& families) {
  if (g_faulty.copy_family && families && *count > 0) --*count;
}

void Prepare(Tag_vkCreateDevice, VkPhysicalDevice&, const VkDeviceCreateInfo*& settings, const VkAllocationCallbacks*&,
             VkDevice*&) {
  thread_local VkDeviceCreateInfo changed;
  changed = *settings;
  settings = &changed;
  if (g_faulty.copy_family) changed.queueCreateInfoCount = 1;
  if (!g_faulty.statistics) return;
  thread_local std::vector<const char*> extensions;
  extensions.assign(settings->ppEnabledExtensionNames,
                    settings->ppEnabledExtensionNames + settings->enabledExtensionCount);
  std::erase_if(extensions, [](std::string_view name) { return name == kStatistics; });
  changed.ppEnabledExtensionNames = extensions.data();
  changed.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  thread_local VkPhysicalDeviceFeatures2 features;
  features = *static_cast<const VkPhysicalDeviceFeatures2*>(changed.pNext);
  const auto* next = static_cast<const VkBaseOutStructure*>(features.pNext);
  if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR)
    features.pNext = next->pNext;
  changed.pNext = &features;
}

void Prepare(Tag_vkEnumerateDeviceExtensionProperties, VkPhysicalDevice&, const char*&, uint32_t*& count,
             VkExtensionProperties*& extensions) {
  if (AddedExtension() && extensions) --*count;
}

void Prepare(Tag_vkCreateComputePipelines, VkDevice&, VkPipelineCache&, uint32_t&,
             const VkComputePipelineCreateInfo*& settings, const VkAllocationCallbacks*&, VkPipeline*&) {
  thread_local VkComputePipelineCreateInfo changed;
  changed = *settings;
  settings = &changed;
  if (g_faulty.statistics) changed.flags &= ~VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
}

void Prepare(Tag_vkGetDeviceQueue, VkDevice&, uint32_t& family, uint32_t&, VkQueue*&) {
  if (g_faulty.copy_family) family = 0;
}

void Prepare(Tag_vkCreateCommandPool, VkDevice&, const VkCommandPoolCreateInfo*& settings,
             const VkAllocationCallbacks*&, VkCommandPool*&) {
  if (!g_faulty.copy_family || settings->queueFamilyIndex != kCopyFamily) return;
  thread_local VkCommandPoolCreateInfo changed;
  changed = *settings;
  changed.queueFamilyIndex = 0;
  settings = &changed;
  ++g_faulty.copy_pools;
}

void Prepare(Tag_vkCreateBuffer, VkDevice&, const VkBufferCreateInfo*& settings, const VkAllocationCallbacks*&,
             VkBuffer*&) {
  if (!g_faulty.copy_family || settings->sharingMode != VK_SHARING_MODE_CONCURRENT) return;
  thread_local VkBufferCreateInfo changed;
  changed = *settings;
  changed.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  settings = &changed;
}

/// The first type and heap are the stand-in's own, and all others one further than the true ones.
std::optional<VkResult> Refuse(Tag_vkAllocateMemory, VkDevice&, const VkMemoryAllocateInfo*& settings,
                               const VkAllocationCallbacks*&, VkDeviceMemory*&) {
  if (!g_faulty.first_heap) return std::nullopt;
  thread_local VkMemoryAllocateInfo changed;
  changed = *settings;
  settings = &changed;
  if (changed.memoryTypeIndex > 0) {
    --changed.memoryTypeIndex;
    ++g_faulty.in_second;
    return std::nullopt;
  }
  if (g_faulty.first_bytes + changed.allocationSize > *g_faulty.first_heap) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  g_faulty.first_bytes += changed.allocationSize;
  return std::nullopt;
}

/// Changes of a call's outcome: none, except in the functions below.
template <class Tag, class... Args>
void Alter(Tag, Args...) {}

void Alter(Tag_vkEnumerateInstanceVersion, uint32_t* version) { *version = g_faulty.loader_version.value_or(*version); }

void Alter(Tag_vkEnumeratePhysicalDevices, VkInstance, uint32_t* count, VkPhysicalDevice*) {
  if (g_faulty.no_devices) *count = 0;
}

void Alter(Tag_vkGetPhysicalDeviceQueueFamilyProperties, VkPhysicalDevice, uint32_t* count,
           VkQueueFamilyProperties* families) {
  if (!g_faulty.copy_family) return;
  if (families) families[kCopyFamily] = {.queueFlags = VK_QUEUE_TRANSFER_BIT, .queueCount = 1};
  *count = kCopyFamily + 1;
}

void Alter(Tag_vkEnumerateDeviceExtensionProperties, VkPhysicalDevice, const char*, uint32_t* count,
           VkExtensionProperties* extensions) {
  if (!AddedExtension()) return;
  if (extensions) std::strcpy(extensions[*count].extensionName, AddedExtension());
  ++*count;
}

VkResult VKAPI_CALL ReportExecutables(VkDevice, const VkPipelineInfoKHR*, uint32_t* count,
                                      VkPipelineExecutablePropertiesKHR*) {
  *count = 1;
  return VK_SUCCESS;
}

VkResult VKAPI_CALL ReportStatistics(VkDevice, const VkPipelineExecutableInfoKHR*, uint32_t* count,
                                     VkPipelineExecutableStatisticKHR* statistics) {
  *count = 1;
  if (!statistics) return VK_SUCCESS;
  std::strcpy(statistics->name, "Register Count");
  statistics->format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
  statistics->value.u64 = 33;
  return VK_SUCCESS;
}

void Alter(Tag_vkGetPhysicalDeviceMemoryProperties2, VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2* memory) {
  if (!g_faulty.free_memory) return;
  auto* budget = static_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(memory->pNext);
  for (uint32_t i = 0; i < memory->memoryProperties.memoryHeapCount; ++i) {
    budget->heapUsage[i] = 1000;
    budget->heapBudget[i] = 1000 + *g_faulty.free_memory;
  }
}

void Alter(Tag_vkGetPhysicalDeviceMemoryProperties, VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory) {
  if (!g_faulty.first_heap) return;
  for (uint32_t i = memory->memoryTypeCount++; i-- > 0;) {
    memory->memoryTypes[i + 1] = memory->memoryTypes[i];
    VkMemoryType& type = memory->memoryTypes[i + 1];
    ++type.heapIndex;
    if (!g_faulty.second_is_local) type.propertyFlags &= ~VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  }
  for (uint32_t i = memory->memoryHeapCount++; i-- > 0;) {
    memory->memoryHeaps[i + 1] = memory->memoryHeaps[i];
    if (!g_faulty.second_is_local) memory->memoryHeaps[i + 1].flags = 0;
  }
  memory->memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  memory->memoryHeaps[0] = {*g_faulty.first_heap, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

void Alter(Tag_vkGetBufferMemoryRequirements, VkDevice, VkBuffer, VkMemoryRequirements* needed) {
  if (g_faulty.first_heap) needed->memoryTypeBits = needed->memoryTypeBits << 1 | 1;
}

void Alter(Tag_vkGetPhysicalDeviceProperties, VkPhysicalDevice, VkPhysicalDeviceProperties* properties) {
  properties->deviceType = g_faulty.type.value_or(properties->deviceType);
  properties->apiVersion = g_faulty.device_version.value_or(properties->apiVersion);
}

void Alter(Tag_vkGetPhysicalDeviceProperties2, VkPhysicalDevice, VkPhysicalDeviceProperties2* properties) {
  properties->properties.deviceType = g_faulty.type.value_or(properties->properties.deviceType);
  for (auto* at = static_cast<VkBaseOutStructure*>(properties->pNext); at; at = at->pNext) {
    if (at->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) continue;
    auto* v11 = reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(at);
    v11->subgroupSize = g_faulty.wave_size.value_or(v11->subgroupSize);
    if (g_faulty.no_wave_operations) v11->subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
  }
}

void Alter(Tag_vkGetPhysicalDeviceFeatures2, VkPhysicalDevice, VkPhysicalDeviceFeatures2* features) {
  const auto hide = [](const char* name, VkBool32& feature) {
    if (g_faulty.without.contains(name)) feature = VK_FALSE;
  };
  hide("shaderInt64", features->features.shaderInt64);
  hide("shaderInt16", features->features.shaderInt16);
  hide("shaderFloat64", features->features.shaderFloat64);
  for (auto* at = static_cast<VkBaseOutStructure*>(features->pNext); at; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
      hide("storageBuffer16BitAccess",
           reinterpret_cast<VkPhysicalDeviceVulkan11Features*>(at)->storageBuffer16BitAccess);
    if (at->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) continue;
    auto* v12 = reinterpret_cast<VkPhysicalDeviceVulkan12Features*>(at);
    hide("shaderInt8", v12->shaderInt8);
    hide("storageBuffer8BitAccess", v12->storageBuffer8BitAccess);
    hide("bufferDeviceAddress", v12->bufferDeviceAddress);
    hide("scalarBlockLayout", v12->scalarBlockLayout);
    hide("timelineSemaphore", v12->timelineSemaphore);
    hide("shaderSubgroupExtendedTypes", v12->shaderSubgroupExtendedTypes);
  }
}

void Alter(Tag_vkCreateComputePipelines, VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo*,
           const VkAllocationCallbacks*, VkPipeline*) {
  ++g_faulty.compiled;
}

template <class Tag, class... Args>
void Count(Args... args) {
  constexpr std::string_view kName = Tag::kName;
  if constexpr (kName == "vkCreateInstance" || kName == "vkDestroyInstance") {
    return;  // the backend holds it
  } else if constexpr (kName.starts_with("vkCreate") || kName == "vkAllocateMemory") {
    ++g_faulty.alive;
  } else if constexpr (kName.starts_with("vkDestroy") || kName == "vkFreeMemory") {
    // The last argument is the allocator, the one before it the handle.
    if (std::get<sizeof...(Args) - 2>(std::tuple(args...))) --g_faulty.alive;
  }
}

template <class Tag, class Function>
struct Forward;

template <class Tag, class R, class... Args>
struct Forward<Tag, R(VKAPI_PTR*)(Args...)> {
  static inline R(VKAPI_PTR* true_function)(Args...) = nullptr;

  static R VKAPI_CALL Call(Args... args) {
    if constexpr (std::is_same_v<R, VkResult>) {
      {
        const std::lock_guard lock(g_mutex);
        if (const auto told = g_faulty.fail.find(Tag::kName); told != g_faulty.fail.end()) return told->second;
        if (const std::optional<VkResult> refused = Refuse(Tag(), args...)) return *refused;
        Prepare(Tag(), args...);
      }
      const R result = true_function(args...);
      const std::lock_guard lock(g_mutex);
      if (result == VK_SUCCESS) Alter(Tag(), args...), Count<Tag>(args...);
      return result;
    } else if constexpr (std::is_void_v<R>) {
      {
        const std::lock_guard lock(g_mutex);
        Prepare(Tag(), args...);
      }
      true_function(args...);
      const std::lock_guard lock(g_mutex);
      Alter(Tag(), args...), Count<Tag>(args...);
    } else {
      return true_function(args...);
    }
  }
};

PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);

/// The instance's functions work on all its devices.
VkInstance g_instance = nullptr;
PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice, const char* name) {
  return GetInstanceProcAddr(g_instance, name);
}

PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  g_instance = instance;
  if (g_faulty.without.contains(name)) return nullptr;
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr);
  if (g_faulty.statistics && std::strcmp(name, "vkGetPipelineExecutablePropertiesKHR") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(ReportExecutables);
  if (g_faulty.statistics && std::strcmp(name, "vkGetPipelineExecutableStatisticsKHR") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(ReportStatistics);
  const PFN_vkGetInstanceProcAddr loader = TrueLoader();
  const PFN_vkVoidFunction found = loader ? loader(instance, name) : nullptr;
  if (!found) return nullptr;
#define ACU_FORWARD(function)                                           \
  if (std::strcmp(name, #function) == 0) {                              \
    using Forwarded = Forward<Tag_##function, PFN_##function>;          \
    Forwarded::true_function = reinterpret_cast<PFN_##function>(found); \
    return reinterpret_cast<PFN_vkVoidFunction>(Forwarded::Call);       \
  }
  ACU_VULKAN_LOADER_FUNCTIONS(ACU_FORWARD)
  ACU_VULKAN_INSTANCE_FUNCTIONS(ACU_FORWARD)
  ACU_VULKAN_DEVICE_FUNCTIONS(ACU_FORWARD)
  ACU_VULKAN_EXTENSION_FUNCTIONS(ACU_FORWARD)
#undef ACU_FORWARD
  return found;
}

}  // namespace
}  // namespace acutance::vulkan

extern "C" acutance::vulkan::FaultyVulkan* FaultyVulkanControls() {
  acutance::vulkan::KeepDriversLoaded();
  return &acutance::vulkan::g_faulty;
}

extern "C" PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  return acutance::vulkan::GetInstanceProcAddr(instance, name);
}
