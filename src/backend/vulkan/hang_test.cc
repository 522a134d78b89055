// A Vulkan device that says for ever that it is at work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "backend/testing/language_probe.h"
#include "backend/vulkan/testing/faulty_vulkan.h"
#include "backend/vulkan/vulkan.h"

namespace acutance {
namespace {

using testing::HasSubstr;

TEST(VulkanHang, IsGivenUp) {
  vulkan::FaultyVulkan& faulty = vulkan::UseFaultyVulkan(FAULTY_VULKAN_LIBRARY);
  const BackendProbe probe = kVulkanBackend.probe();
  if (probe.devices.empty()) GTEST_SKIP() << probe.missing;
  // Never freed: what it may still write stays, and so does the driver.
  Device& device = *kVulkanBackend.open(probe.devices.front().index).value().release();
  ASSERT_EQ(RunLanguageProbe(device).message(), "");
  device.LimitWaits(std::chrono::milliseconds(100));
  faulty.fail = {{"vkWaitSemaphores", VK_TIMEOUT}};
  EXPECT_THAT(RunLanguageProbe(device).message(), HasSubstr("finish what was submitted"));
  faulty.fail.clear();
  EXPECT_THAT(RunLanguageProbe(device).message(), HasSubstr("is lost since an earlier failure (it hangs)"));
  EXPECT_FALSE(device.MakeQueue().ok());
  faulty.alive = 0;
}

}  // namespace
}  // namespace acutance
