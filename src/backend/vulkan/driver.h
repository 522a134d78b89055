// The Vulkan loader, its instance and the devices that it finds.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/vulkan/functions.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::vulkan {

/// "VK_ERROR_DEVICE_LOST (the GPU or its driver has crashed)".
std::string ResultText(VkResult result);

/// True when no later call on the device can succeed either.
inline bool IsDeviceLost(VkResult result) { return result == VK_ERROR_DEVICE_LOST; }

inline bool IsOutOfMemory(VkResult result) {
  return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
}

/// Ok, or an error that says what failed: "<device>: could not <doing>: <result>".
Status CallStatus(std::string_view device, VkResult result, std::string_view doing);

/// The oldest Vulkan with all that the kernels need in its core.
inline constexpr uint32_t kMinimumVersion = VK_API_VERSION_1_2;

/// A VkInstance.
class Driver {
 public:
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const InstanceFunctions& vk() const { return vk_; }
  uint32_t version() const { return version_; }  // that devices may be used with

  /// The devices in the loader's order, by which --device counts.
  Result<std::vector<VkPhysicalDevice>> PhysicalDevices() const;

 private:
  friend Result<std::shared_ptr<const Driver>> OpenDriver();
  explicit Driver(const LoaderFunctions& loader) : loader_(loader) {}

  Status Create();
  Status CreateInstance(bool validate);
  Status FindFunctions();

  const LoaderFunctions& loader_;
  InstanceFunctions vk_;
  uint32_t version_ = 0;
  VkInstance instance_ = nullptr;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

/// A device as its driver describes it.
struct PhysicalDevice {
  VkPhysicalDevice handle = nullptr;
  DeviceInfo info;
  VkPhysicalDeviceLimits limits;
  VkPhysicalDeviceMemoryProperties memory;
  VkDeviceSize largest_allocation = 0;
  bool shares_memory = false;   // with the processor, of which it is a part
  bool reports_budget = false;  // how much memory is free
  uint32_t driver_version = 0;
  std::array<uint8_t, VK_UUID_SIZE> device_uuid, cache_uuid;
  uint32_t compute_family = 0;
  std::optional<uint32_t> copy_family;  // that only copies, next to the kernels, as copy engines do
  bool sets_wave_size = false;      // pipelines may ask for info.wave_size, which not all drivers give by themselves
  uint32_t most_waves = 0;          // of a workgroup whose wave size is set
  bool reports_statistics = false;  // of compiled kernels, as ACUTANCE_VULKAN_STATISTICS asks
  bool reports_times = false;       // of commands, as ACUTANCE_VULKAN_TIMES asks
  std::vector<uint32_t> timestamp_bits;  // of queue families
};

/// Fails when the kernels cannot run there, naming what is missing.
Result<PhysicalDevice> Describe(const Driver& driver, VkPhysicalDevice handle, int index);

/// Bytes of the device's largest heap that no program uses; nullopt where the driver does not say.
std::optional<size_t> FreeMemory(const Driver& driver, const PhysicalDevice& device);

/// The VkDevice, with the features that the kernels need.
Result<VkDevice> CreateDevice(const Driver& driver, const PhysicalDevice& device);

/// Opens the loader and makes an instance at the first call; later ones share it. Both stay for good: an instance loads
/// all drivers of the machine, which takes long and, with LLVM in a driver, leaks at each unloading.
/// ACUTANCE_VULKAN_LIBRARY names another library than libvulkan.so.1: a hook for tests.
Result<std::shared_ptr<const Driver>> OpenDriver();

/// Lets the next OpenDriver() start anew; for tests.
void CloseDriver();

}  // namespace acutance::vulkan
