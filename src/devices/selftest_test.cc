// What the self-test finds, and what is remembered of it.
#include "devices/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/emu/emu.h"
#include "base/temp_dir.h"
#include "devices/testing/flaky_device.h"

namespace acutance {
namespace {

using testing::HasSubstr;

/// The emulator under another name, whose kernels must be tested; `broken`: it loads none.
class TestedDevice : public FlakyDevice {
 public:
  explicit TestedDevice(bool broken = false) : FlakyDevice({}), info_(FlakyDevice::info()), broken_(broken) {
    info_.backend = "tested";
    info_.is_reference = false;
  }
  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    ++loaded_;
    if (broken_) return Error(StatusCode::kUnsupported, "no kernels");
    return FlakyDevice::LoadKernel(image);
  }
  int loaded() const { return loaded_; }

 private:
  DeviceInfo info_;
  const bool broken_;
  int loaded_ = 0;
};

class SelfTestCache : public testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  const test::TempDir cache_;
};

TEST_F(SelfTestCache, ADeviceIsTestedOnce) {
  TestedDevice first, second(true), third(true);
  EXPECT_EQ(CheckDeviceOnce(first).message(), "");
  EXPECT_GT(first.loaded(), 0);
  EXPECT_TRUE(CheckDeviceOnce(second).ok()) << "what passed before is believed";
  EXPECT_EQ(second.loaded(), 0);
  EXPECT_THAT(CheckDeviceAnew(second).message(), HasSubstr("no kernels"));
  EXPECT_FALSE(CheckDeviceOnce(third).ok()) << "what failed since is not";
}

TEST_F(SelfTestCache, KeysTellDevicesAndDriversApart) {
  const DeviceInfo info = {.backend = "cuda", .name = "a", .driver = "1"};
  for (const DeviceInfo& other : {DeviceInfo{.backend = "hip", .name = "a", .driver = "1"},
                                  DeviceInfo{.backend = "cuda", .name = "b", .driver = "1"},
                                  DeviceInfo{.backend = "cuda", .name = "a", .driver = "2"}})
    EXPECT_NE(SelfTestKey(info), SelfTestKey(other));
}

/// The emulator, but one kernel's text for another's.
class MixedUpDevice : public FlakyDevice {
 public:
  MixedUpDevice() : FlakyDevice({}) {}
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    const KernelImage* wrong = FindKernelImage("unpack_samples", "u8_64x4");
    return FlakyDevice::LoadKernel(image.kernel == "unpack_samples" ? *wrong : image);
  }
};

TEST(SelfTest, FindsSamplesThatComeOutWrong) {
  MixedUpDevice device;
  EXPECT_THAT(RunSelfTest(device).message(), HasSubstr("unpack_samples u16_64x4: sample 0, 0 is"));
}

TEST(SelfTest, TheEmulatorPassesAtEveryWaveSize) {
  for (int wave : {8, 64}) {
    const auto device = OpenEmuDevice({wave, 5}).value();
    const Status status = RunSelfTest(*device);
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

}  // namespace
}  // namespace acutance
