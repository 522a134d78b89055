// Kernels that the cuda backend has compiled in helper contexts, on a fake driver.
#include "backend/cuda/compile_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/cuda/testing/fake_driver.h"
#include "base/temp_dir.h"
#include "base/usable_cpus.h"

namespace acutance::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr size_t kShare = 150'000;  // bytes of PTX of each kernel
constexpr size_t kGigabyte = size_t{1} << 30;

TEST(HelperContexts, AreAsManyAsHelp) {
  EXPECT_EQ(HelperContexts(10, 1'000'000, 16, 64 * kGigabyte), 4u) << "not more than that";
  EXPECT_EQ(HelperContexts(3, 1'000'000, 16, 64 * kGigabyte), 2u) << "a kernel for each context, the device's own too";
  EXPECT_EQ(HelperContexts(1, 1'000'000, 16, 64 * kGigabyte), 0u);
  EXPECT_EQ(HelperContexts(10, 350'000, 16, 64 * kGigabyte), 2u) << "little PTX";
  EXPECT_EQ(HelperContexts(10, 199'999, 16, 64 * kGigabyte), 0u);
  EXPECT_EQ(HelperContexts(10, 1'000'000, 4, 64 * kGigabyte), 3u) << "a processor for each";
  EXPECT_EQ(HelperContexts(10, 1'000'000, 1, 64 * kGigabyte), 0u);
  EXPECT_EQ(HelperContexts(10, 1'000'000, 16, 3 * kGigabyte), 2u) << "memory for each";
  EXPECT_EQ(HelperContexts(10, 1'000'000, 16, 2 * kGigabyte - 1), 0u);
  EXPECT_EQ(HelperContexts(0, 0, 0, 0), 0u);
}

/// A PTX file of the fake's three kernels, each of them long.
std::string Ptx(const std::string& remark) {
  std::string text = "// " + remark + "\n.version 6.3\n.target sm_75\n";
  for (const char* name : {"fill", "add", "crash"})
    text += "\n.visible .entry " + std::string(name) + "(\n)\n{\n" + std::string(kShare, ' ') + "\n}\n";
  return text;
}

/// The file's kernels as a build has them.
class Kernels {
 public:
  explicit Kernels(std::string ptx) : ptx_(std::move(ptx)) {
    binaries_[0] = {"cuda", "ptx", std::as_bytes(std::span(ptx_))};
    for (const char* name : {"fill", "add", "crash"})
      images_.push_back({.kernel = name, .variant = "", .symbol = name, .args_bytes = 16, .binaries = binaries_});
    for (const KernelImage& image : images_) pointers_.push_back(&image);
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  std::span<const KernelImage* const> all() const { return pointers_; }

 private:
  const std::string ptx_;
  std::array<KernelBinary, 1> binaries_;
  std::vector<KernelImage> images_;
  std::vector<const KernelImage*> pointers_;
};

class CompileAheadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
    for (const char* name : {"CUDA_CACHE_DISABLE", "CUDA_CACHE_PATH", "ACUTANCE_CUDA_CODE"}) ::unsetenv(name);
    fake_.memory_bytes = 64 * kGigabyte;
    fake_.compiling = std::chrono::milliseconds(10);
    if (UsableCpus() < 2) GTEST_SKIP() << "one processor compiles one kernel at a time";
  }
  void TearDown() override {
    EXPECT_EQ(fake_.alive, alive_) << "something of the device was not given back";
    EXPECT_EQ(fake_.misuse, 0);
    for (const char* name : {"CUDA_CACHE_DISABLE", "CUDA_CACHE_PATH", "XDG_CACHE_HOME"}) ::unsetenv(name);
  }

  /// Two contexts load at the same time, or one waits in vain. The first kernel is loaded before there are others.
  void LetLoadsMeet() {
    fake_.meet = 2, fake_.met = false;
    fake_.alone = 1;
  }

  /// Opens the device, loads the kernels ahead, then each; the contexts that were made for it.
  int ContextsToLoad(std::span<const KernelImage* const> images) {
    const int before = fake_.contexts;
    const Result<std::unique_ptr<Device>> device = kCudaBackend.open(0);
    EXPECT_EQ(device.status().message(), "");
    if (!device.ok()) return -1;
    (*device)->LoadAhead(images);
    const int modules = fake_.modules;
    for (const KernelImage* image : images) EXPECT_EQ((*device)->LoadKernel(*image).status().message(), "");
    EXPECT_EQ(fake_.modules, modules) << "all are there";
    return fake_.contexts - before;
  }

  std::vector<FakeLoad> Loads(bool is_primary) const {
    std::vector<FakeLoad> loads = fake_.loads;
    std::erase_if(loads, [&](const FakeLoad& load) { return load.is_primary != is_primary; });
    return loads;
  }

  const test::TempDir cache_;
  FakeCuda& fake_ = UseFakeDriver(FAKE_CUDA_LIBRARY);
  const int alive_ = fake_.alive;
  const Kernels kernels_{Ptx("one")};
  const int helpers_ = 1;  // for two kernels: the third is loaded before
};

TEST_F(CompileAheadTest, KernelsAreCompiledInSeveralContextsAtOnce) {
  LetLoadsMeet();
  EXPECT_EQ(ContextsToLoad(kernels_.all()), helpers_);
  EXPECT_TRUE(fake_.met) << "one load began when the other had ended";
}

TEST_F(CompileAheadTest, HelpersCompileWhatTheDeviceLoads) {
  LetLoadsMeet();
  ContextsToLoad(kernels_.all());
  const std::vector<FakeLoad> own = Loads(true), helpers = Loads(false);
  EXPECT_THAT(own, SizeIs(3)) << "each kernel once";
  EXPECT_THAT(helpers, ::testing::Not(IsEmpty()));
  for (const FakeLoad& helper : helpers)
    EXPECT_EQ(std::ranges::count_if(own,
                                    [&](const FakeLoad& load) {
                                      return load.text == helper.text && load.options == helper.options &&
                                             load.log_bytes == helper.log_bytes;
                                    }),
              1);
}

TEST_F(CompileAheadTest, OldGpusGetTheSameTextFromHelpers) {
  LetLoadsMeet();
  fake_.major = 6;
  ContextsToLoad(kernels_.all());
  EXPECT_THAT(Loads(false), ::testing::Not(IsEmpty()));
  for (const FakeLoad& load : fake_.loads) EXPECT_THAT(load.text, HasSubstr(".target sm_60"));
}

TEST_F(CompileAheadTest, TheCallersContextStaysCurrent) {
  const Result<const Driver*> driver = OpenDriver();
  ASSERT_TRUE(driver.ok());
  CUcontext callers = nullptr, popped = nullptr;
  ASSERT_EQ((*driver)->cuCtxCreate_v2(&callers, 0, 0), CUDA_SUCCESS);
  LetLoadsMeet();
  EXPECT_EQ(ContextsToLoad(kernels_.all()), helpers_);
  EXPECT_EQ((*driver)->cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, callers);
  EXPECT_EQ((*driver)->cuCtxDestroy_v2(callers), CUDA_SUCCESS);
  EXPECT_NE((*driver)->cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS) << "nothing was current before";
  fake_.misuse = 0;
}

// The state after acutance's own cache was removed.
TEST_F(CompileAheadTest, WhatTheDriverHasInItsFilesIsLoadedWithoutHelp) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "every load takes as long as a compiler would";
#endif
  fake_.compiling = {};
  std::deque<Kernels> tried;
  int contexts = -1;
  // A busy machine may take as long for a load as a compiler would, but not each time.
  for (int turn = 0; turn < 20 && contexts != 0; ++turn) {
    fake_.loads.clear();
    contexts = ContextsToLoad(tried.emplace_back(Ptx("kept" + std::to_string(turn))).all());
  }
  EXPECT_EQ(contexts, 0);
  EXPECT_THAT(Loads(true), SizeIs(3)) << "each kernel once";
  fake_.compiling = std::chrono::milliseconds(10);
  EXPECT_EQ(ContextsToLoad(tried.back().all()), 0) << "noted";
}

TEST_F(CompileAheadTest, EachKernelOnceForADeviceAndDriver) {
  EXPECT_EQ(ContextsToLoad(kernels_.all()), helpers_);
  EXPECT_EQ(ContextsToLoad(kernels_.all()), 0) << "noted";
  const Kernels others(Ptx("two"));
  EXPECT_EQ(ContextsToLoad(others.all()), helpers_) << "other text";
  EXPECT_EQ(ContextsToLoad(kernels_.all()), 0) << "still noted";
  fake_.version = 13000;
  EXPECT_EQ(ContextsToLoad(kernels_.all()), helpers_) << "another driver";
  ::setenv("CUDA_CACHE_PATH", "/elsewhere", 1);
  EXPECT_EQ(ContextsToLoad(kernels_.all()), helpers_) << "another place of the driver's cache";
}

TEST_F(CompileAheadTest, WhatIsLoadedIsNotCompiledAgain) {
  const Result<std::unique_ptr<Device>> device = kCudaBackend.open(0);
  ASSERT_TRUE(device.ok());
  (*device)->LoadAhead(kernels_.all());
  std::filesystem::remove_all(cache_.path());
  const int contexts = fake_.contexts;
  (*device)->LoadAhead(kernels_.all());
  EXPECT_EQ(fake_.contexts, contexts);
}

TEST_F(CompileAheadTest, NotWhereItGainsNothing) {
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);
  EXPECT_EQ(ContextsToLoad(kernels_.all()), 0) << "the driver stores nothing";
  ::unsetenv("CUDA_CACHE_DISABLE");
  fake_.memory_bytes = kGigabyte;
  EXPECT_EQ(ContextsToLoad(Kernels(Ptx("memory")).all()), 0) << "no memory for contexts";
  fake_.memory_bytes = 64 * kGigabyte;
  fake_.compute_mode = 3;  // exclusive process
  EXPECT_EQ(ContextsToLoad(Kernels(Ptx("mode")).all()), 0) << "a process has one context";
  fake_.compute_mode = CU_COMPUTEMODE_DEFAULT;
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  EXPECT_EQ(ContextsToLoad(kernels_.all()), 0) << "later runs would not find the notes";
  ::setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1);
  ::setenv("CUDA_CACHE_DISABLE", "0", 1);
  EXPECT_EQ(ContextsToLoad(kernels_.all()), helpers_);
}

TEST_F(CompileAheadTest, NotForMachineCode) {
  const std::string code = Ptx("machine code");
  const KernelBinary binaries[] = {{"cuda", "sm_90", std::as_bytes(std::span(code))}};
  KernelImage images[] = {*kernels_.all()[0], *kernels_.all()[1], *kernels_.all()[2]};
  std::vector<const KernelImage*> pointers;
  for (KernelImage& image : images) image.binaries = binaries, pointers.push_back(&image);
  EXPECT_EQ(ContextsToLoad(pointers), 0);
}

TEST_F(CompileAheadTest, ARefusedContextIsNoError) {
  for (const int error : {2, 46, 101, 999}) {
    const Kernels kernels(Ptx("refused with " + std::to_string(error)));
    fake_.fail["cuCtxCreate_v2"] = error;
    EXPECT_EQ(ContextsToLoad(kernels.all()), 0);
  }
  EXPECT_THAT(Loads(true), SizeIs(3 * 4));
}

TEST_F(CompileAheadTest, AFailureInAHelpersContextIsNoError) {
  for (const int error : {2, 700, 719, 999}) {
    const Kernels kernels(Ptx("failed with " + std::to_string(error)));
    LetLoadsMeet();
    fake_.fails_in_helper = error;
    EXPECT_EQ(ContextsToLoad(kernels.all()), helpers_);
    EXPECT_TRUE(fake_.met);
  }
  EXPECT_THAT(Loads(true), SizeIs(3 * 4));
}

TEST_F(CompileAheadTest, AKernelThatDoesNotCompileIsReportedAsBefore) {
  std::string ptx = Ptx("damaged");
  ptx.replace(ptx.find(".version"), 8, ".damaged");
  const Kernels kernels(ptx);
  const Result<std::unique_ptr<Device>> device = kCudaBackend.open(0);
  ASSERT_TRUE(device.ok());
  (*device)->LoadAhead(kernels.all());
  EXPECT_EQ(fake_.contexts, helpers_);
  EXPECT_THAT((*device)->LoadKernel(*kernels.all()[0]).status().message(),
              ::testing::AllOf(HasSubstr("Missing .version directive"), HasSubstr("CUDA_ERROR_INVALID_PTX")));
}

TEST_F(CompileAheadTest, NotOnADeviceThatIsLost) {
  const Result<std::unique_ptr<Device>> device = kCudaBackend.open(0);
  ASSERT_TRUE(device.ok());
  fake_.lost = CUDA_ERROR_ILLEGAL_ADDRESS;
  (*device)->LoadAhead(kernels_.all());
  EXPECT_EQ(fake_.contexts, 0);
  EXPECT_FALSE((*device)->LoadKernel(*kernels_.all()[0]).ok());
}

TEST_F(CompileAheadTest, NotOnADeviceThatHangs) {
  {
    const Result<std::unique_ptr<Device>> device = kCudaBackend.open(0);
    ASSERT_TRUE(device.ok());
    (*device)->LimitWaits(std::chrono::milliseconds(100));
    fake_.hangs = true;
    EXPECT_FALSE((*device)->WaitForClients().ok());
    (*device)->LoadAhead(kernels_.all());
  }
  EXPECT_EQ(fake_.contexts, 0);
  fake_.alive = alive_;  // it is never closed
}

TEST_F(CompileAheadTest, ThreadsLoadAheadAtOnce) {
  const Result<std::unique_ptr<Device>> device = kCudaBackend.open(0);
  ASSERT_TRUE(device.ok());
  std::vector<std::thread> threads(4);
  for (std::thread& thread : threads) thread = std::thread([&] { (*device)->LoadAhead(kernels_.all()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake_.contexts, helpers_);
  EXPECT_THAT(Loads(true), SizeIs(3));
}

}  // namespace
}  // namespace acutance::cuda
