// What the self-test finds, and what is remembered of it.
#include "engine/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/emu/emu.h"
#include "base/temp_dir.h"
#include "engine/selftest_cache.h"
#include "engine/testing/flaky_device.h"

namespace acutance {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// The emulator under another name, whose kernels must be tested; `broken`: it loads none.
class TestedDevice : public FlakyDevice {
 public:
  explicit TestedDevice(bool broken = false) : FlakyDevice({}), info_(FlakyDevice::info()), broken_(broken) {
    info_.backend = "tested";
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
  void SetUp() override { ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  void Write(const std::string& text) const {
    fs::create_directories(file_.parent_path());
    std::ofstream(file_) << text;
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    std::ifstream stream(file_);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  const test::TempDir folder_;
  const fs::path cache_ = folder_ / "cache";
  const fs::path file_ = cache_ / "acutance" / "selftest";
};

TEST_F(SelfTestCache, ADeviceIsTestedOnce) {
  TestedDevice first, second(true), third(true);
  EXPECT_EQ(CheckDeviceOnce(first).message(), "");
  EXPECT_GT(first.loaded(), 0);
  EXPECT_THAT(Lines(), ElementsAre(SelfTestKey(first.info())));
  EXPECT_TRUE(CheckDeviceOnce(second).ok()) << "what passed before is believed";
  EXPECT_EQ(second.loaded(), 0);
  EXPECT_THAT(CheckDeviceAnew(second).message(), HasSubstr("no kernels"));
  EXPECT_FALSE(CheckDeviceOnce(third).ok()) << "what failed since is not";
}

TEST_F(SelfTestCache, PassesAreRememberedAndForgotten) {
  for (const char* key : {"a", "b", "c", "b"}) RememberPass(key);
  EXPECT_THAT(Lines(), ElementsAre("a", "b", "c"));
  ForgetPass("b");
  ForgetPass("d");
  EXPECT_THAT(Lines(), ElementsAre("a", "c"));
  EXPECT_TRUE(HasPassed("a"));
  EXPECT_FALSE(HasPassed("b"));
}

TEST_F(SelfTestCache, ABrokenFileOnlyCostsTime) {
  const std::string key = "vulkan | a device | driver 1";
  EXPECT_FALSE(HasPassed(key)) << "no file";
  for (const std::string& broken : {std::string(1000, '\0') + "garbage\n" + key.substr(0, 20), std::string("\n\n"),
                                    std::string(1 << 20, '\xff'), key + " 2"}) {
    Write(broken);
    EXPECT_FALSE(HasPassed(key));
    RememberPass(key);
    EXPECT_TRUE(HasPassed(key));
  }
}

TEST_F(SelfTestCache, WorksWithoutAFile) {
  const auto remembers_nothing = [] {
    RememberPass("key");
    ForgetPass("key");
    return !HasPassed("key");
  };
  fs::create_directories(file_);
  EXPECT_TRUE(remembers_nothing()) << "a folder in the file's place";
  fs::remove_all(cache_);
  std::ofstream(cache_) << "a file in the folder's place";
  EXPECT_TRUE(remembers_nothing());
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  EXPECT_TRUE(remembers_nothing());
}

TEST_F(SelfTestCache, NothingIsWrittenToTheWorkingDirectory) {
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("XDG_CACHE_HOME", "acutance_relative", 1);
  ::setenv("HOME", folder_.path().c_str(), 1);
  RememberPass("key");
  EXPECT_TRUE(fs::exists(folder_ / ".cache/acutance/selftest"));
  ::setenv("HOME", ".", 1);
  EXPECT_FALSE(HasPassed("key"));
  RememberPass("key");
  EXPECT_FALSE(fs::exists("acutance_relative") || fs::exists(".cache/acutance"));
  ::setenv("HOME", home.c_str(), 1);
}

TEST_F(SelfTestCache, ProcessesMayWriteAtOnce) {
  constexpr int kProcesses = 8, kKeys = 20;
  for (int p = 0; p < kProcesses; ++p) {
    if (::fork() != 0) continue;
    for (int k = 0; k < kKeys; ++k) RememberPass(fmt::format("device {} of process {}", k, p));
    ::_exit(0);
  }
  for (int p = 0; p < kProcesses; ++p) ASSERT_GT(::wait(nullptr), 0);
  EXPECT_EQ(Lines().size(), kProcesses * kKeys);
  for (int p = 0; p < kProcesses; ++p) EXPECT_TRUE(HasPassed(fmt::format("device {} of process {}", kKeys - 1, p)));
}

TEST_F(SelfTestCache, KeysTellDevicesAndDriversApart) {
  const DeviceInfo info = {.backend = "cuda", .name = "a", .driver = "1"};
  for (const DeviceInfo& other : {DeviceInfo{.backend = "hip", .name = "a", .driver = "1"},
                                  DeviceInfo{.backend = "cuda", .name = "b", .driver = "1"},
                                  DeviceInfo{.backend = "cuda", .name = "a", .driver = "2"}})
    EXPECT_NE(SelfTestKey(info), SelfTestKey(other));
  EXPECT_EQ(SelfTestKey({.name = "two\nlines"}).find('\n'), std::string::npos);
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
