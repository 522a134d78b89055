// The hip backend's ways of finding devices and code, on a stand-in. What it shares with cuda is in device_test.cc.
#include "backend/hip/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/testing/fake_driver.h"
#include "backend/hip/code_object.h"
#include "base/temp_dir.h"

namespace acutance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class HipTest : public ::testing::Test {
 protected:
  HipTest() { ::setenv("ACUTANCE_HIP_LIBRARY", HIP_STANDIN_LIBRARY, 1); }
  ~HipTest() override {
    ::unsetenv("ACUTANCE_HIP_LIBRARY");
    ::unsetenv("ACUTANCE_HIP_STANDIN_FAMILY");
    ::unsetenv("ACUTANCE_HIP_STANDIN_INIT");
    ::unsetenv("ACUTANCE_HIP_KERNELS");
    EXPECT_EQ(fake_.misuse, 0);
  }

  static std::string MissingBecause() {
    const BackendProbe probe = kHipBackend.probe();
    EXPECT_THAT(probe.devices, IsEmpty());
    EXPECT_FALSE(kHipBackend.open(0).ok());
    return probe.missing;
  }

  cuda::FakeCuda& fake_ = cuda::UseFakeDriver(FAKE_CUDA_LIBRARY);
};

TEST_F(HipTest, SaysWhatToInstallWithoutARuntime) {
  ::setenv("ACUTANCE_HIP_LIBRARY", "/nowhere/libamdhip64.so", 1);
  EXPECT_THAT(MissingBecause(),
              AllOf(HasSubstr("no HIP runtime"), HasSubstr("/nowhere/libamdhip64.so"), HasSubstr("libamdhip64-5")));
}

TEST_F(HipTest, ProbesThisMachineWithoutFailing) {
  ::unsetenv("ACUTANCE_HIP_LIBRARY");
  const BackendProbe probe = kHipBackend.probe();
  EXPECT_EQ(probe.devices.empty(), !probe.missing.empty()) << probe.missing;
}

TEST_F(HipTest, NamesTheFunctionThatAnotherLibraryLacks) {
  ::setenv("ACUTANCE_HIP_LIBRARY", FAKE_CUDA_LIBRARY, 1);
  EXPECT_THAT(MissingBecause(),
              AllOf(HasSubstr("too old"), HasSubstr(FAKE_CUDA_LIBRARY), HasSubstr("hipInit"), HasSubstr("ROCm 5.0")));
}

TEST_F(HipTest, SaysWhenThereIsNoDevice) {
  fake_.devices = 0;
  EXPECT_THAT(MissingBecause(), HasSubstr("finds no GPU"));
  fake_.fail["cuInit"] = 100;
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("finds no GPU"), HasSubstr("/dev/kfd")));
}

TEST_F(HipTest, ExplainsARuntimeThatDoesNotStart) {
  ::setenv("ACUTANCE_HIP_STANDIN_INIT", "35", 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("kernel driver is too old"), HasSubstr("update the kernel")));
  ::setenv("ACUTANCE_HIP_STANDIN_INIT", "999", 1);
  EXPECT_THAT(MissingBecause(), HasSubstr("does not start"));
}

TEST_F(HipTest, DescribesDevices) {
  for (const char* library : {HIP_STANDIN_LIBRARY, HIP_STANDIN_ROCM5_LIBRARY}) {
    ::setenv("ACUTANCE_HIP_LIBRARY", library, 1);
    const BackendProbe probe = kHipBackend.probe();
    ASSERT_THAT(probe.devices, SizeIs(1)) << probe.missing;
    const DeviceInfo& info = probe.devices[0];
    EXPECT_EQ(info.backend, "hip");
    EXPECT_EQ(info.index, 0);
    EXPECT_EQ(info.name, "Fake GPU");
    EXPECT_EQ(info.identity, "0000:00:00.0");
    EXPECT_EQ(info.family, "gfx1100");  // of "gfx1100:sramecc-:xnack-"
    EXPECT_EQ(info.wave_size, 32);
    EXPECT_EQ(info.memory_bytes, fake_.memory_bytes);
    EXPECT_EQ(info.shared_bytes, 48u * 1024);
    EXPECT_THAT(info.driver, ::testing::StartsWith("HIP 6.0.0, amdgpu "));
  }
}

TEST_F(HipTest, RefusesADeviceThatLiesAboutItsWaves) {
  ::setenv("ACUTANCE_HIP_STANDIN_FAMILY", "gfx90a", 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("32 lanes"), HasSubstr("gfx90a"), HasSubstr("built for 64")));
  fake_.warp_size = 64;
  EXPECT_THAT(kHipBackend.probe().devices, SizeIs(1));
  ::setenv("ACUTANCE_HIP_STANDIN_FAMILY", "gfx1201", 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("64 lanes"), HasSubstr("built for 32")));
}

TEST_F(HipTest, RefusesADeviceWithoutAnInstructionSet) {
  ::setenv("ACUTANCE_HIP_STANDIN_FAMILY", "sm_90", 1);
  EXPECT_THAT(MissingBecause(), HasSubstr("no gfx instruction set"));
}

TEST_F(HipTest, NamesTheFamilyThatTheBuildLeavesOut) {
  ::setenv("ACUTANCE_HIP_KERNELS", "/nowhere", 1);
  auto device = kHipBackend.open(0);
  ASSERT_TRUE(device.ok());
  const std::array code = {std::byte{1}};
  const std::array binaries = {KernelBinary{"hip", "gfx90a", code}, KernelBinary{"cuda", "gfx1100", code},
                               KernelBinary{"hip", "gfx1100", {}}};
  const KernelImage image{.kernel = "fill", .variant = "", .symbol = "fill", .binaries = binaries};
  const auto kernel = (*device)->LoadKernel(image);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(kernel.status().message(),
              AllOf(HasSubstr("/nowhere/gfx1100.kernels"), HasSubstr("ACUTANCE_HIP_TARGETS")));
}

/// A code object of clang's for the family.
std::vector<std::byte> CodeFor(const std::string& family) {
  const test::TempDir folder;
  const std::string source = folder.path() / "probe.hip", code = folder.path() / "probe.hsaco";
  std::ofstream(source)
      << "extern \"C\" __attribute__((global, visibility(\"default\"))) void fill(int* to, float by) {\n"
         "  to[__builtin_amdgcn_workitem_id_x()] = int(to[1] * by) / to[2];\n}\n";
  const std::string command = std::string(CLANG) + " -x hip --offload-arch=" + family +
                              " -nogpuinc -nogpulib --cuda-device-only --no-gpu-bundle-output -fuse-cuid=none -O3 "
                              "-mcode-object-version=4 -o " +
                              code + " " + source;
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream file(code, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

TEST_F(HipTest, NamesCodeAsClangDoes) {
  if (std::string_view(CLANG).empty()) GTEST_SKIP() << "clang-19 or lld-19 was not found";
  for (const char* family : {"gfx902", "gfx90c", "gfx1011", "gfx1012", "gfx1031", "gfx1032", "gfx1033", "gfx1034",
                             "gfx1035", "gfx1036", "gfx1102", "gfx1200"}) {
    const std::string compiled(hip::CompiledFor(family));
    SCOPED_TRACE(fmt::format("{} as {}", compiled, family));
    const std::vector<std::byte> expected = CodeFor(family);
    ASSERT_FALSE(expected.empty());
    const auto named = hip::NamedFor(family, CodeFor(compiled));
    ASSERT_TRUE(named.ok()) << named.status().message();
    EXPECT_TRUE(*named == expected);
  }
}

// Their own code has other registers; what it shares with code for the older GPU is the file's header.
TEST_F(HipTest, NamesTheCodeOfAnOlderGpu) {
  if (std::string_view(CLANG).empty()) GTEST_SKIP() << "clang-19 or lld-19 was not found";
  constexpr size_t kFlags = 48, kEndOfFlags = 52;
  for (const auto& [family, compiled] : {std::pair("gfx908", "gfx906"),
                                         {"gfx1101", "gfx1100"},
                                         {"gfx1103", "gfx1100"},
                                         {"gfx1150", "gfx1100"},
                                         {"gfx1151", "gfx1100"},
                                         {"gfx1152", "gfx1100"}}) {
    SCOPED_TRACE(fmt::format("{} as {}", compiled, family));
    EXPECT_EQ(hip::CompiledFor(family), compiled);
    const std::vector<std::byte> expected = CodeFor(family);
    ASSERT_GT(expected.size(), kEndOfFlags);
    const auto named = hip::NamedFor(family, CodeFor(compiled));
    ASSERT_TRUE(named.ok()) << named.status().message();
    EXPECT_TRUE(std::equal(expected.begin() + kFlags, expected.begin() + kEndOfFlags, named->begin() + kFlags));
    const std::string_view text(reinterpret_cast<const char*>(named->data()), named->size());
    EXPECT_NE(text.find(fmt::format("amdgcn-amd-amdhsa--{}", family)), text.npos);
    EXPECT_EQ(text.find(fmt::format("amdgcn-amd-amdhsa--{}", compiled)), text.npos);
  }
}

TEST_F(HipTest, LoadsTheCodeOfAnotherGpuWithTheSameInstructions) {
  ::setenv("ACUTANCE_HIP_STANDIN_FAMILY", "gfx1034", 1);
  auto device = kHipBackend.open(0);
  ASSERT_TRUE(device.ok());
  std::array<std::byte, 128> code{};
  code[48] = std::byte{0x36};
  const std::string name = "amdgcn-amd-amdhsa--gfx1030";
  std::ranges::copy(std::as_bytes(std::span(name)), code.begin() + 64);
  const auto named = hip::NamedFor("gfx1034", code);
  ASSERT_TRUE(named.ok());
  EXPECT_EQ((*named)[48], std::byte{0x3e});
  EXPECT_EQ((*named)[64 + name.size() - 1], std::byte{'4'});
  const std::array binaries = {KernelBinary{"hip", "gfx1030", code}};
  const KernelImage image{.kernel = "fill", .variant = "", .symbol = "fill", .binaries = binaries};
  EXPECT_THAT((*device)->LoadKernel(image).status().message(), Not(HasSubstr("was not built for")));
  code[48] = std::byte{0x41};
  EXPECT_EQ(hip::NamedFor("gfx1034", code).status().code(), StatusCode::kBadData);
}

TEST_F(HipTest, ReportsCodeThatTheRuntimeRefuses) {
  auto device = kHipBackend.open(0);
  ASSERT_TRUE(device.ok());
  const std::array<std::byte, 64> code{};
  const std::array binaries = {KernelBinary{"hip", "gfx1100", code}};
  const KernelImage image{.kernel = "fill", .variant = "", .symbol = "fill", .binaries = binaries};
  const auto kernel = (*device)->LoadKernel(image);
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.status().message(), HasSubstr("load the gfx1100 code"));
}

}  // namespace
}  // namespace acutance
