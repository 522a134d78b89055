// Devices whose memory lies in several heaps.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "backend/testing/language_probe.h"
#include "backend/vulkan/driver.h"
#include "backend/vulkan/testing/faulty_vulkan.h"
#include "backend/vulkan/vulkan.h"

namespace acutance {
namespace {

TEST(VulkanMemory, TakesMemoryOfASecondHeapWhereTheFirstIsFull) {
  vulkan::FaultyVulkan& faulty = vulkan::UseFaultyVulkan(FAULTY_VULKAN_LIBRARY);
  const BackendProbe probe = kVulkanBackend.probe();
  if (probe.devices.empty()) GTEST_SKIP() << probe.missing;
  const int index = probe.devices.front().index;
  constexpr size_t kHeap = 1 << 20, kBuffer = 400 << 10;
  struct Case {
    bool second_is_local;
    VkPhysicalDeviceType type;
    bool works;
  };
  for (const Case each : {Case{true, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, true},
                          Case{false, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, true},
                          Case{false, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, false}}) {
    SCOPED_TRACE(each.second_is_local);
    SCOPED_TRACE(each.type);
    faulty.first_heap = kHeap;
    faulty.first_bytes = 0;
    faulty.in_second = 0;
    faulty.second_is_local = each.second_is_local;
    faulty.type = each.type;
    vulkan::CloseDriver();
    const auto device = kVulkanBackend.open(index).value();
    EXPECT_EQ(device->info().memory_bytes > kHeap, each.works);
    std::vector<std::unique_ptr<Buffer>> buffers;
    for (int i = 0; i < 2; ++i) buffers.push_back(device->Allocate(kBuffer, MemoryKind::kDevice).value());
    EXPECT_EQ(faulty.in_second, 0);
    for (const size_t bytes : {kBuffer, 2 * kHeap}) {  // what is left is too small, and so is the whole
      const auto third = device->Allocate(bytes, MemoryKind::kDevice);
      EXPECT_EQ(third.ok(), each.works) << third.status().message();
      EXPECT_TRUE(third.ok() || third.status().code() == StatusCode::kOutOfMemory);
    }
    EXPECT_EQ(faulty.in_second, each.works ? 2 : 0);
    buffers.clear();
    faulty.first_bytes = each.works ? kHeap : 0;
    EXPECT_EQ(RunLanguageProbe(*device).message(), "");
  }
  vulkan::CloseDriver();
  ::unsetenv("ACUTANCE_VULKAN_LIBRARY");
}

TEST(VulkanMemory, ReportsWhatIsFree) {
  vulkan::FaultyVulkan& faulty = vulkan::UseFaultyVulkan(FAULTY_VULKAN_LIBRARY);
  vulkan::CloseDriver();
  const BackendProbe probe = kVulkanBackend.probe();
  if (probe.devices.empty()) GTEST_SKIP() << probe.missing;
  const auto own = kVulkanBackend.open(probe.devices.front().index).value();
  EXPECT_LE(own->FreeMemory().value_or(0), own->info().memory_bytes);
  faulty.free_memory = 12345;
  const auto device = kVulkanBackend.open(probe.devices.front().index).value();
  EXPECT_EQ(device->FreeMemory(), 12345u);
  faulty.free_memory.reset();
  vulkan::CloseDriver();
  ::unsetenv("ACUTANCE_VULKAN_LIBRARY");
}

}  // namespace
}  // namespace acutance
