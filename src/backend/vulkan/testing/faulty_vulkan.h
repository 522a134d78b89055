// Stand-in for libvulkan.so.1 that forwards every call to the true one, unless a test demands failures, hidden features
// or false answers; so every path of the backend runs with a true driver, llvmpipe. It counts objects that are alive.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "backend/vulkan/functions.h"

namespace acutance::vulkan {

struct FaultyVulkan {
  std::map<std::string, VkResult> fail;  // function -> what it returns instead of doing its work
  std::set<std::string> without;         // functions, and features of devices, that are not there
  bool no_devices = false;
  bool no_wave_operations = false;
  std::optional<uint32_t> loader_version, device_version, wave_size;
  bool copy_family = false;             // a second family, for copies alone; it works on the first family's queue
  std::optional<uint64_t> free_memory;  // of each heap; not set: as the driver says
  std::optional<uint64_t> first_heap;   // the size of a heap before the true one, which kernels alone reach
  bool second_is_local = false;         // the true one is the device's own, too
  std::optional<VkPhysicalDeviceType> type;
  bool statistics = false;  // VK_KHR_pipeline_executable_properties: 33 registers for each kernel

  int alive = 0;             // created or allocated, and not yet destroyed or freed
  int compiled = 0;          // pipelines
  int copy_pools = 0;        // command pools of the second family
  uint64_t first_bytes = 0;  // that were taken of the first heap
  int in_second = 0;         // allocations of the second
};

using FaultyVulkanControlsFunction = FaultyVulkan*();

/// Opens the stand-in at `path` for a test, reset to fail nothing, and points the backend at it.
inline FaultyVulkan& UseFaultyVulkan(const char* path) {
  ::setenv("ACUTANCE_VULKAN_LIBRARY", path, 1);
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fputs(::dlerror(), stderr);
    std::abort();
  }
  FaultyVulkan& faulty = *reinterpret_cast<FaultyVulkanControlsFunction*>(::dlsym(library, "FaultyVulkanControls"))();
  const int alive = faulty.alive;
  faulty = FaultyVulkan();
  faulty.alive = alive;
  return faulty;
}

}  // namespace acutance::vulkan
