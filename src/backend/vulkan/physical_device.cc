#include "backend/vulkan/physical_device.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "backend/vulkan/error.h"

namespace acutance::vulkan {
namespace {

constexpr VkSubgroupFeatureFlags kWaveOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;

/// A chain of the structs that name features. Drivers of Vulkan 1.2 do not know the last.
struct Features {
  VkPhysicalDeviceFeatures2 core = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan13Features v13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};

  explicit Features(uint32_t version) {
    core.pNext = &v11;
    v11.pNext = &v12;
    v12.pNext = version >= VK_API_VERSION_1_3 ? &v13 : nullptr;
  }
  Features(const Features&) = delete;
};

struct Need {
  const char* name;
  VkBool32& (*of)(Features&);
};
constexpr Need kNeeds[] = {
    {"shaderInt64", [](Features& f) -> VkBool32& { return f.core.features.shaderInt64; }},
    {"shaderInt16", [](Features& f) -> VkBool32& { return f.core.features.shaderInt16; }},
    {"shaderInt8", [](Features& f) -> VkBool32& { return f.v12.shaderInt8; }},
    {"storageBuffer16BitAccess", [](Features& f) -> VkBool32& { return f.v11.storageBuffer16BitAccess; }},
    {"storageBuffer8BitAccess", [](Features& f) -> VkBool32& { return f.v12.storageBuffer8BitAccess; }},
    {"bufferDeviceAddress", [](Features& f) -> VkBool32& { return f.v12.bufferDeviceAddress; }},
    {"scalarBlockLayout", [](Features& f) -> VkBool32& { return f.v12.scalarBlockLayout; }},
    {"shaderSubgroupExtendedTypes", [](Features& f) -> VkBool32& { return f.v12.shaderSubgroupExtendedTypes; }},
    {"timelineSemaphore", [](Features& f) -> VkBool32& { return f.v12.timelineSemaphore; }},
};

/// The same, for properties.
struct Properties {
  VkPhysicalDeviceProperties2 core = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceVulkan11Properties v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceVulkan13Properties v13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};

  explicit Properties(uint32_t version) {
    core.pNext = &v11;
    v11.pNext = &v12;
    v12.pNext = version >= VK_API_VERSION_1_3 ? &v13 : nullptr;
  }
  Properties(const Properties&) = delete;
};

/// Of what driver and loader both know.
uint32_t UsableVersion(const Driver& driver, const VkPhysicalDeviceProperties& properties) {
  return std::min(driver.version(), properties.apiVersion);
}

/// Key of tuning tables: a short name of the driver.
std::string Family(const VkPhysicalDeviceVulkan12Properties& properties) {
  switch (properties.driverID) {
    case VK_DRIVER_ID_NVIDIA_PROPRIETARY:
      return "nvidia";
    case VK_DRIVER_ID_AMD_PROPRIETARY:
    case VK_DRIVER_ID_AMD_OPEN_SOURCE:
      return "amdvlk";
    case VK_DRIVER_ID_MESA_RADV:
      return "radv";
    case VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA:
      return "anv";
    case VK_DRIVER_ID_MESA_LLVMPIPE:
      return "llvmpipe";
    default: {
      std::string family;
      for (const char* c = properties.driverName; *c; ++c)
        if (std::isalnum(static_cast<unsigned char>(*c)))
          family += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
      return family;
    }
  }
}

Status CheckFeatures(Features& features, const std::string& name) {
  std::string missing;
  for (const Need& need : kNeeds)
    if (!need.of(features)) missing += (missing.empty() ? "" : ", ") + std::string(need.name);
  if (missing.empty()) return {};
  return Error(StatusCode::kUnsupported,
               "{} lacks {}, which the kernels need; a newer driver may have it, and the CPU needs no device", name,
               missing);
}

Status CheckWaves(const VkPhysicalDeviceVulkan11Properties& properties, const std::string& name) {
  if ((properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
      (properties.subgroupSupportedOperations & kWaveOperations) == kWaveOperations)
    return {};
  return Error(StatusCode::kUnsupported,
               "{} lacks subgroup operations (basic, arithmetic and shuffle, in compute kernels), which the kernels "
               "need",
               name);
}

/// Whether pipelines can be held to the wave size that the driver states.
bool SetsWaveSize(const Features& features, const Properties& properties) {
  const uint32_t size = properties.v11.subgroupSize;
  return features.v13.subgroupSizeControl && features.v13.computeFullSubgroups &&
         (properties.v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
         size >= properties.v13.minSubgroupSize && size <= properties.v13.maxSubgroupSize;
}

/// The family with compute that has most queues.
Status ChooseQueueFamily(const Driver& driver, PhysicalDevice& device) {
  uint32_t count = 0;
  driver.vk().vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  driver.vk().vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount <= device.queue_count) continue;
    device.queue_family = i;
    device.queue_count = families[i].queueCount;
  }
  if (device.queue_count > 0) return {};
  return Error(StatusCode::kUnsupported, "{} has no queue for compute kernels", device.info.name);
}

uint64_t DeviceMemory(const VkPhysicalDeviceMemoryProperties& memory) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      bytes = std::max<uint64_t>(bytes, memory.memoryHeaps[i].size);
  return bytes;
}

void FillInfo(const Properties& properties, PhysicalDevice& device) {
  DeviceInfo& info = device.info;
  info.driver = fmt::format("{} {}", properties.v12.driverName, properties.v12.driverInfo);
  info.family = Family(properties.v12);
  info.wave_size = static_cast<int>(properties.v11.subgroupSize);
  info.is_cpu = properties.core.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  info.memory_bytes = DeviceMemory(device.memory);
  info.shared_bytes = device.limits.maxComputeSharedMemorySize;
}

}  // namespace

Result<PhysicalDevice> Describe(const Driver& driver, VkPhysicalDevice handle, int index) {
  VkPhysicalDeviceProperties basic;
  driver.vk().vkGetPhysicalDeviceProperties(handle, &basic);
  PhysicalDevice device = {.handle = handle, .limits = basic.limits, .driver_version = basic.driverVersion};
  device.info.backend = "vulkan";
  device.info.index = index;
  device.info.name = basic.deviceName;
  if (basic.apiVersion < kMinimumVersion)
    return Error(StatusCode::kUnsupported, "{} has Vulkan {}.{}, {}.{} is needed; install a newer driver",
                 basic.deviceName, VK_API_VERSION_MAJOR(basic.apiVersion), VK_API_VERSION_MINOR(basic.apiVersion),
                 VK_API_VERSION_MAJOR(kMinimumVersion), VK_API_VERSION_MINOR(kMinimumVersion));
  const uint32_t version = UsableVersion(driver, basic);
  Features features(version);
  Properties properties(version);
  driver.vk().vkGetPhysicalDeviceFeatures2(handle, &features.core);
  driver.vk().vkGetPhysicalDeviceProperties2(handle, &properties.core);
  driver.vk().vkGetPhysicalDeviceMemoryProperties(handle, &device.memory);
  ACU_RETURN_IF_ERROR(CheckFeatures(features, device.info.name));
  ACU_RETURN_IF_ERROR(CheckWaves(properties.v11, device.info.name));
  ACU_RETURN_IF_ERROR(ChooseQueueFamily(driver, device));
  FillInfo(properties, device);
  device.info.has_double = features.core.features.shaderFloat64;
  device.largest_allocation = properties.v11.maxMemoryAllocationSize;
  std::copy(std::begin(properties.v11.deviceUUID), std::end(properties.v11.deviceUUID), device.device_uuid.begin());
  std::copy(std::begin(basic.pipelineCacheUUID), std::end(basic.pipelineCacheUUID), device.cache_uuid.begin());
  device.sets_wave_size = SetsWaveSize(features, properties);
  return device;
}

Result<VkDevice> CreateDevice(const Driver& driver, const PhysicalDevice& device, uint32_t queue_count) {
  VkPhysicalDeviceProperties basic;
  driver.vk().vkGetPhysicalDeviceProperties(device.handle, &basic);
  Features features(UsableVersion(driver, basic));
  for (const Need& need : kNeeds) need.of(features) = VK_TRUE;
  features.core.features.shaderFloat64 = device.info.has_double;
  features.v13.subgroupSizeControl = features.v13.computeFullSubgroups = device.sets_wave_size;
  const std::vector<float> priorities(queue_count, 1.0f);
  VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queues.queueFamilyIndex = device.queue_family;
  queues.queueCount = queue_count;
  queues.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo settings = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  settings.pNext = &features.core;
  settings.queueCreateInfoCount = 1;
  settings.pQueueCreateInfos = &queues;
  VkDevice handle = nullptr;
  ACU_RETURN_IF_ERROR(
      CallStatus(device.info.name, driver.vk().vkCreateDevice(device.handle, &settings, nullptr, &handle), "open it"));
  return handle;
}

}  // namespace acutance::vulkan
