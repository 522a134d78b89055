#include "backend/vulkan/driver.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "backend/device_text.h"
#include "base/environment.h"
#include "base/system/process.h"

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
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};

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

/// The newest version that driver and loader both know.
uint32_t UsableVersion(const Driver& driver, const VkPhysicalDeviceProperties& properties) {
  return std::min(driver.version(), properties.apiVersion);
}

/// Key of tuning tables: a short name of the driver.
std::string Family(const VkPhysicalDeviceVulkan12Properties& properties) {
  constexpr std::pair<VkDriverId, const char*> kNames[] = {
      {VK_DRIVER_ID_NVIDIA_PROPRIETARY, "nvidia"}, {VK_DRIVER_ID_AMD_PROPRIETARY, "amdvlk"},
      {VK_DRIVER_ID_AMD_OPEN_SOURCE, "amdvlk"},    {VK_DRIVER_ID_MESA_RADV, "radv"},
      {VK_DRIVER_ID_MESA_LLVMPIPE, "llvmpipe"},    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, "anv"}};
  for (const auto& [id, name] : kNames)
    if (properties.driverID == id) return name;
  std::string family;
  for (const char* c = properties.driverName; *c; ++c)
    if (std::isalnum(static_cast<unsigned char>(*c)))
      family += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  return family;
}

Status CheckFeatures(Features& features, const std::string& name) {
  std::string missing;
  for (const Need& need : kNeeds)
    if (!need.of(features)) missing += (missing.empty() ? "" : ", ") + std::string(need.name);
  if (missing.empty()) return {};
  return Error(StatusCode::kNoDevice,
               "{} lacks {}, which the kernels need; a newer driver may have it, and the CPU needs no device", name,
               missing);
}

/// Kernels have room for the partial sums of waves from this size on (MAX_WAVES in kernel/kernel.h).
constexpr uint32_t kSmallestWave = 4;

Status CheckWaves(const VkPhysicalDeviceVulkan11Properties& properties, const std::string& name) {
  if (properties.subgroupSize < kSmallestWave)
    return Error(StatusCode::kNoDevice, "{} says that its waves have {} lanes, the kernels need {} or more", name,
                 properties.subgroupSize, kSmallestWave);
  if ((properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
      (properties.subgroupSupportedOperations & kWaveOperations) == kWaveOperations)
    return {};
  return Error(StatusCode::kNoDevice,
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

constexpr VkQueueFlags kKernels = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT;

std::vector<VkQueueFamilyProperties> QueueFamilies(const Driver& driver, VkPhysicalDevice device) {
  uint32_t count = 0;
  driver.vk().vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  driver.vk().vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

/// The family with most queues of those that have just the given ones of kKernels.
std::optional<uint32_t> FindFamily(const std::vector<VkQueueFamilyProperties>& families, VkQueueFlags kernels,
                                   VkQueueFlags needed) {
  std::optional<uint32_t> best;
  for (uint32_t i = 0; i < families.size(); ++i)
    if ((families[i].queueFlags & kKernels) == kernels && (families[i].queueFlags & needed) == needed &&
        families[i].queueCount > (best ? families[*best].queueCount : 0))
      best = i;
  return best;
}

/// Queues for compute alone stay clear of what the desktop draws, unless the user says otherwise.
Result<uint32_t> ChooseComputeFamily(const std::vector<VkQueueFamilyProperties>& families, const std::string& name) {
  if (const char* value = Variable("ACUTANCE_VULKAN_FAMILY")) {
    uint32_t family = 0;
    ACU_RETURN_IF_ERROR(ReadVariable("ACUTANCE_VULKAN_FAMILY", family));
    if (family < families.size() && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) return family;
    return Error(StatusCode::kNoDevice,
                 "ACUTANCE_VULKAN_FAMILY={} is no queue family of {} for compute kernels; it has {}", value, name,
                 families.size());
  }
  std::optional<uint32_t> family = FindFamily(families, VK_QUEUE_COMPUTE_BIT, 0);
  if (!family) family = FindFamily(families, kKernels, 0);
  if (!family) return Error(StatusCode::kNoDevice, "{} has no queue for compute kernels", name);
  return *family;
}

/// Queues for copies alone are engines of their own.
Status ChooseQueues(const Driver& driver, PhysicalDevice& device) {
  const std::vector<VkQueueFamilyProperties> families = QueueFamilies(driver, device.handle);
  for (const VkQueueFamilyProperties& family : families) device.timestamp_bits.push_back(family.timestampValidBits);
  ACU_ASSIGN_OR_RETURN(device.compute_family, ChooseComputeFamily(families, device.info.name));
  if (IsOn("ACUTANCE_VULKAN_COPY_QUEUE", /*otherwise=*/true))
    device.copy_family = FindFamily(families, 0, VK_QUEUE_TRANSFER_BIT);
  return {};
}

std::vector<VkExtensionProperties> Extensions(const Driver& driver, VkPhysicalDevice device) {
  uint32_t count = 0;
  std::vector<VkExtensionProperties> extensions;
  if (driver.vk().vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return {};
  extensions.resize(count);
  if (driver.vk().vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()) != VK_SUCCESS)
    return {};
  extensions.resize(count);
  return extensions;
}

/// Features that are used where a device has them. None of them changes a result.
void FindExtensions(const Driver& driver, PhysicalDevice& device) {
  for (const VkExtensionProperties& extension : Extensions(driver, device.handle)) {
    const std::string_view name = extension.extensionName;
    if (name == VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)
      device.reports_statistics = IsOn("ACUTANCE_VULKAN_STATISTICS", /*otherwise=*/false);
    if (name == VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) device.reports_budget = true;
  }
}

/// The most that `bytes_of` has of a heap that buffers may lie in.
template <class BytesOf>
uint64_t MostOfHeap(const VkPhysicalDeviceMemoryProperties& memory, bool shares_memory, BytesOf bytes_of) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (shares_memory || (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT))
      bytes = std::max<uint64_t>(bytes, bytes_of(i));
  return bytes;
}

bool IsCpu(const Properties& properties) {
  return properties.core.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/// "radv Mesa 22.3.6, Linux 6.1.0-13-amd64": all except NVIDIA's have their lower half in the kernel, with its version.
std::string DriverText(const Properties& properties) {
  const bool has_own_module = properties.v12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  return fmt::format("{} {}{}", properties.v12.driverName, properties.v12.driverInfo,
                     has_own_module || IsCpu(properties) ? "" : ", " + KernelRelease());
}

void FillInfo(const Properties& properties, PhysicalDevice& device) {
  DeviceInfo& info = device.info;
  info.identity = Hex(properties.v11.deviceUUID) + "-" + Hex(properties.v11.driverUUID);
  info.driver = DriverText(properties);
  info.family = Family(properties.v12);
  info.wave_size = static_cast<int>(properties.v11.subgroupSize);
  info.is_cpu = IsCpu(properties);
  info.is_integrated = device.shares_memory && !info.is_cpu;
  info.memory_bytes = MostOfHeap(device.memory, device.shares_memory,
                                 [&](uint32_t heap) { return device.memory.memoryHeaps[heap].size; });
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
    return Error(StatusCode::kNoDevice, "{} has Vulkan {}.{}, {}.{} is needed; install a newer driver",
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
  ACU_RETURN_IF_ERROR(ChooseQueues(driver, device));
  FindExtensions(driver, device);
  device.shares_memory = IsCpu(properties) || basic.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  FillInfo(properties, device);
  device.info.has_double = features.core.features.shaderFloat64;
  device.largest_allocation = properties.v11.maxMemoryAllocationSize;
  std::copy(std::begin(properties.v11.deviceUUID), std::end(properties.v11.deviceUUID), device.device_uuid.begin());
  std::copy(std::begin(basic.pipelineCacheUUID), std::end(basic.pipelineCacheUUID), device.cache_uuid.begin());
  device.reports_times = features.v12.hostQueryReset && IsOn("ACUTANCE_VULKAN_TIMES", /*otherwise=*/false);
  device.sets_wave_size = SetsWaveSize(features, properties);
  device.most_waves = properties.v13.maxComputeWorkgroupSubgroups;
  return device;
}

std::optional<size_t> FreeMemory(const Driver& driver, const PhysicalDevice& device) {
  if (!device.reports_budget) return std::nullopt;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 memory = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget};
  driver.vk().vkGetPhysicalDeviceMemoryProperties2(device.handle, &memory);
  return MostOfHeap(memory.memoryProperties, device.shares_memory, [&](uint32_t heap) {
    return budget.heapBudget[heap] - std::min(budget.heapUsage[heap], budget.heapBudget[heap]);
  });
}

Result<VkDevice> CreateDevice(const Driver& driver, const PhysicalDevice& device) {
  VkPhysicalDeviceProperties basic;
  driver.vk().vkGetPhysicalDeviceProperties(device.handle, &basic);
  Features features(UsableVersion(driver, basic));
  for (const Need& need : kNeeds) need.of(features) = VK_TRUE;
  features.core.features.shaderFloat64 = device.info.has_double;
  features.v13.subgroupSizeControl = features.v13.computeFullSubgroups = device.sets_wave_size;
  features.v12.hostQueryReset = device.reports_times;
  std::vector<const char*> extensions;
  if (device.reports_statistics) {
    extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    features.statistics.pipelineExecutableInfo = VK_TRUE;
    features.statistics.pNext = std::exchange(features.core.pNext, &features.statistics);
  }
  // There is one queue for kernels: several of a family take turns at a cost
  // (docs/history/performance-log.md).
  const float priority = 1;
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const std::optional<uint32_t> family : {std::optional(device.compute_family), device.copy_family}) {
    if (!family) continue;
    VkDeviceQueueCreateInfo& queue = queues.emplace_back();
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = *family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
  }
  VkDeviceCreateInfo settings = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  settings.pNext = &features.core;
  settings.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
  settings.pQueueCreateInfos = queues.data();
  settings.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  settings.ppEnabledExtensionNames = extensions.data();
  VkDevice handle = nullptr;
  ACU_RETURN_IF_ERROR(
      CallStatus(device.info.name, driver.vk().vkCreateDevice(device.handle, &settings, nullptr, &handle), "open it"));
  return handle;
}

}  // namespace acutance::vulkan
