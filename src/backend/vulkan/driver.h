// The Vulkan loader and an instance of it, which finds the machine's drivers.
#pragma once

#include <memory>
#include <vector>

#include "backend/vulkan/functions.h"
#include "base/status.h"

namespace acutance::vulkan {

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

/// Opens the loader and makes an instance at the first call; later ones share it. Both stay for good: an instance loads
/// all drivers of the machine, which takes long and, with LLVM in a driver, leaks at each unloading.
/// ACUTANCE_VULKAN_LIBRARY names another library than libvulkan.so.1: a hook for tests.
Result<std::shared_ptr<const Driver>> OpenDriver();

/// Lets the next OpenDriver() start anew; for tests.
void CloseDriver();

}  // namespace acutance::vulkan
