// The cuda backend's ways of finding devices and code, on a fake driver. What it shares with hip is in
// hip/device_test.cc.
#include "backend/cuda/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/cuda/driver.h"
#include "backend/cuda/testing/fake_driver.h"

namespace acutance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::span<const std::byte> Code(std::string_view text) { return std::as_bytes(std::span(text)); }

class CudaTest : public ::testing::Test {
 protected:
  static std::string MissingBecause() {
    const BackendProbe probe = kCudaBackend.probe();
    EXPECT_THAT(probe.devices, IsEmpty());
    EXPECT_FALSE(kCudaBackend.open(0).ok());
    return probe.missing;
  }

  static Result<std::unique_ptr<Kernel>> Load(std::span<const KernelBinary> binaries) {
    Result<std::unique_ptr<Device>> device = kCudaBackend.open(0);
    if (!device.ok()) return device.status();
    KernelImage image{.kernel = "fill", .variant = "", .symbol = "fill", .args_bytes = 16, .binaries = binaries};
    return (*device)->LoadKernel(image);
  }

  cuda::FakeCuda& fake_ = cuda::UseFakeDriver(FAKE_CUDA_LIBRARY);
  const int alive_ = fake_.alive;

  void TearDown() override {
    EXPECT_EQ(fake_.alive, alive_) << "something of the device was not given back";
    EXPECT_EQ(fake_.misuse, 0);
    ::unsetenv("ACUTANCE_CUDA_LIBRARY");
  }
};

TEST_F(CudaTest, SaysWhatToInstallWithoutADriver) {
  ::setenv("ACUTANCE_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  EXPECT_THAT(MissingBecause(),
              AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("/nowhere/libcuda.so.1"), HasSubstr("nvidia-driver")));
}

TEST_F(CudaTest, ProbesThisMachineWithoutFailing) {
  ::unsetenv("ACUTANCE_CUDA_LIBRARY");
  const BackendProbe probe = kCudaBackend.probe();
  EXPECT_EQ(probe.devices.empty(), !probe.missing.empty()) << probe.missing;
}

TEST_F(CudaTest, NamesTheFunctionThatAnOldDriverLacks) {
  ::setenv("ACUTANCE_CUDA_LIBRARY", FAKE_CUDA_OLD_LIBRARY, 1);
  EXPECT_THAT(MissingBecause(),
              AllOf(HasSubstr("too old"), HasSubstr("cuGraphInstantiateWithFlags"), HasSubstr("470")));
}

TEST_F(CudaTest, ExplainsADriverThatDoesNotStart) {
  fake_.fail["cuInit"] = cuda::CUDA_ERROR_NO_DEVICE;
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("finds no GPU"), HasSubstr("CUDA_ERROR_NO_DEVICE")));
  fake_.fail["cuInit"] = cuda::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
  EXPECT_THAT(MissingBecause(), HasSubstr("restart the machine"));
  fake_.fail["cuInit"] = cuda::CUDA_ERROR_STUB_LIBRARY;
  EXPECT_THAT(MissingBecause(), HasSubstr("stub"));
  fake_.fail["cuInit"] = cuda::CUDA_ERROR_UNKNOWN;
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("does not start"), HasSubstr("CUDA error 999")));
}

TEST_F(CudaTest, SaysWhenThereIsNoDevice) {
  fake_.devices = 0;
  EXPECT_THAT(MissingBecause(), HasSubstr("finds no GPU"));
  fake_.devices = 1;
  fake_.fail["cuDeviceGetCount"] = 1;
  EXPECT_THAT(MissingBecause(), HasSubstr("count its GPUs"));
}

TEST_F(CudaTest, DescribesDevices) {
  fake_.devices = 2;
  const BackendProbe probe = kCudaBackend.probe();
  ASSERT_THAT(probe.devices, SizeIs(2));
  const DeviceInfo& info = probe.devices[1];
  EXPECT_EQ(info.backend, "cuda");
  EXPECT_EQ(info.index, 1);
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.identity, "ab010000000000000000000000000000");
  EXPECT_EQ(info.family, "sm_90");
  EXPECT_EQ(info.wave_size, 32);
  EXPECT_TRUE(info.has_double);
  EXPECT_FALSE(info.is_cpu);
  EXPECT_EQ(info.memory_bytes, fake_.memory_bytes);
  EXPECT_EQ(info.shared_bytes, 48u * 1024);
  EXPECT_THAT(info.driver, ::testing::StartsWith("CUDA 12.4"));
  EXPECT_THAT(probe.missing, IsEmpty());
}

TEST_F(CudaTest, RefusesDevicesThatTheKernelsDoNotFit) {
  fake_.warp_size = 64;
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("64 lanes"), HasSubstr("built for 32")));
  fake_.warp_size = 32;
  fake_.major = 5, fake_.minor = 2;
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("compute capability 5.2"), HasSubstr("6.0")));
  fake_.major = 9;
  fake_.unified_addressing = 0;
  EXPECT_THAT(MissingBecause(), HasSubstr("address space"));
}

TEST_F(CudaTest, PrefersMachineCodeForExactlyThisGpu) {
  // Only the machine code holds the kernel, so that loading it shows which binary was chosen.
  const std::array binaries = {KernelBinary{"cuda", "ptx", Code(".version 6.3")},
                               KernelBinary{"cuda", "sm_80", Code(".version of another GPU")},
                               KernelBinary{"cuda", "sm_90", Code(".version .entry fill(")}};
  EXPECT_TRUE(Load(binaries).ok());
}

TEST_F(CudaTest, TakesPtxOnAGpuWithoutMachineCode) {
  constexpr std::string_view kFill = ".version .entry fill(", kOther = ".version 6.3";
  const std::pair<int, int> targets[] = {{6, 0}, {6, 1}, {7, 0}, {7, 5},  {8, 0},
                                         {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}};
  std::vector<std::string> names;
  for (const auto& [major, minor] : targets) names.push_back("sm_" + std::to_string(10 * major + minor));
  for (size_t i = 0; i < names.size(); ++i) {
    std::tie(fake_.major, fake_.minor) = targets[i];
    // The kernel is in the GPU's own code alone, then in the PTX alone, next to code for all others.
    std::vector<KernelBinary> own = {{"cuda", "ptx", Code(kOther)}}, others = {{"cuda", "ptx", Code(kFill)}};
    for (size_t j = 0; j < names.size(); ++j) {
      own.push_back({"cuda", names[j], Code(j == i ? kFill : kOther)});
      if (j != i) others.push_back({"cuda", names[j], Code(kOther)});
    }
    EXPECT_EQ(Load(own).status().message(), "") << names[i];
    const int modules = fake_.modules;
    EXPECT_EQ(Load(others).status().message(), "") << names[i];
    EXPECT_EQ(fake_.modules, modules + 1) << "only the PTX is loaded on " << names[i];
  }
}

TEST(Ptx, AKernelsVariantIsCompiledAlone) {
  const std::string head = "//\n.version 6.3\n.target sm_60\n", table = "\n.global .align 4 .u32 table = 7;\n";
  const auto entry = [](const std::string& name) {
    return "\n.visible .entry " + name + "(\n  .param .b32 a\n)\n{\n  ret;\n}";
  };
  const std::string whole = head + entry("fill") + "\n" + table + entry("fill_more") + "\n" + entry("more") + "\n";
  EXPECT_EQ(cuda::OnlyEntry(whole, "fill"), head + entry("fill") + "\n" + table + "\n\n");
  EXPECT_EQ(cuda::OnlyEntry(whole, "more"), head + "\n" + table + "\n" + entry("more") + "\n");
  EXPECT_EQ(cuda::OnlyEntry(whole, "absent"), head + "\n" + table + "\n\n");
  EXPECT_EQ(cuda::OnlyEntry(head, "fill"), head);
  EXPECT_EQ(cuda::OnlyEntry("", "fill"), "");
}

TEST(Ptx, IsForGpusFromPascalOn) {
  EXPECT_EQ(cuda::ForOldGpus(".version 6.3\n.target sm_75\n"), ".version 6.3\n.target sm_60\n");
  EXPECT_EQ(cuda::ForOldGpus(".version 6.3\n"), ".version 6.3\n");
}

TEST_F(CudaTest, ComparesMachineCodeWithPtx) {
  const std::array binaries = {KernelBinary{"cuda", "ptx", Code(".version 6.3")},
                               KernelBinary{"cuda", "sm_90", Code(".version .entry fill(")}};
  ::setenv("ACUTANCE_CUDA_CODE", "ptx", 1);
  EXPECT_FALSE(Load(binaries).ok());
  ::setenv("ACUTANCE_CUDA_CODE", "cubin", 1);
  EXPECT_TRUE(Load(binaries).ok());
  EXPECT_THAT(Load(std::span(binaries).first(1)).status().message(), HasSubstr("ACUTANCE_CUDA_CODE is set"));
  ::unsetenv("ACUTANCE_CUDA_CODE");
}

TEST_F(CudaTest, FallsBackToPtxWhenTheDriverRefusesMachineCode) {
  const std::array binaries = {KernelBinary{"cuda", "sm_90", Code("of a newer toolkit")},
                               KernelBinary{"cuda", "ptx", Code(".version .entry fill(")}};
  EXPECT_TRUE(Load(binaries).ok());
}

TEST_F(CudaTest, ReportsTheCompilersLog) {
  const std::array binaries = {KernelBinary{"cuda", "ptx", Code("damaged")}};
  EXPECT_THAT(Load(binaries).status().message(),
              AllOf(HasSubstr("Missing .version directive"), HasSubstr("CUDA_ERROR_INVALID_PTX")));
}

TEST_F(CudaTest, SaysWhenTheBuildHasNoCode) {
  const std::array binaries = {KernelBinary{"hip", "gfx90a", Code("x")}, KernelBinary{"cuda", "ptx", Code("")}};
  const Status status = Load(binaries).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("neither for sm_90 nor as PTX"), HasSubstr("clang-19")));
}

}  // namespace
}  // namespace acutance
