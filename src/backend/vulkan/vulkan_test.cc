// The vulkan backend on every device of this machine that can run kernels (Mesa's llvmpipe, if nothing else), behind a
// loader that fails where a test demands it.
#include "backend/vulkan/vulkan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "backend/testing/contract.h"
#include "backend/testing/exact_probe.h"
#include "backend/testing/language_probe.h"
#include "backend/vulkan/context.h"
#include "backend/vulkan/fma_probe.h"
#include "backend/vulkan/kernel.h"
#include "backend/vulkan/testing/faulty_vulkan.h"
#include "base/environment.h"
#include "kernel/probe/faults_args.h"

namespace acutance {

std::span<const KernelImage> ProbeImages();

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using vulkan::FaultyVulkan;

constexpr int kItems = 64;  // of the kernel "faults"

/// A variable of the environment for a scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (before_) ::setenv(name_, before_->c_str(), 1);
    else ::unsetenv(name_);
  }
  ScopedVariable(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

const KernelImage& ImageOf(std::string_view kernel) {
  for (const KernelImage& image : ProbeImages())
    if (image.kernel == kernel) return image;
  std::abort();
}

/// A device with all that a session needs of it, opened one after another until something fails.
struct Session {
  std::unique_ptr<Device> device;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Buffer> memory, readback;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Recording> recording;

  static Result<Session> Open(int index) {
    Session s;
    const size_t bytes = kItems * sizeof(int32_t);
    ACU_ASSIGN_OR_RETURN(s.device, kVulkanBackend.open(index));
    ACU_ASSIGN_OR_RETURN(s.kernel, s.device->LoadKernel(ImageOf("faults")));
    ACU_ASSIGN_OR_RETURN(s.memory, s.device->Allocate(bytes, MemoryKind::kDevice));
    ACU_ASSIGN_OR_RETURN(s.readback, s.device->Allocate(bytes, MemoryKind::kReadback));
    ACU_ASSIGN_OR_RETURN(s.queue, s.device->MakeQueue());
    const Command commands[] = {s.Launch(), CopyCommand{s.memory.get(), 0, s.readback.get(), 0, bytes}};
    ACU_ASSIGN_OR_RETURN(s.recording, s.queue->Record(commands));
    return s;
  }

  /// Each item stores how many of its wave are below the limit: all.
  LaunchCommand Launch(Grid grid = {}) const {
    const FaultsArgs args = {.results = memory->address(), .fault = FAULT_DIVERGENT_WAVE, .limit = kItems};
    return {kernel.get(), grid, ArgsBytes(args)};
  }

  Status Run() {
    ACU_RETURN_IF_ERROR(queue->Submit(*recording));
    return queue->Wait();
  }
};

Status WholeSession(int index) {
  ACU_ASSIGN_OR_RETURN(Session session, Session::Open(index));
  return session.Run();
}

class VulkanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    vulkan::CloseDriver();
    const BackendProbe probe = kVulkanBackend.probe();
    if (probe.devices.empty()) GTEST_SKIP() << probe.missing;
    index_ = probe.devices.front().index;
  }
  void TearDown() override {
    vulkan::CloseDriver();
    EXPECT_EQ(faulty_.alive, 0) << "something of the device was not given back";
    EXPECT_EQ(VulkanValidationMessages().size(), messages_) << "the validation layer found a mistake";
    ::unsetenv("ACUTANCE_VULKAN_LIBRARY");
    std::filesystem::remove_all(cache_);
  }

  std::unique_ptr<Device> Open() const {
    vulkan::CloseDriver();
    auto device = kVulkanBackend.open(index_);
    EXPECT_TRUE(device.ok()) << device.status().message();
    return device.ok() ? std::move(device).value() : nullptr;
  }

  static std::string MissingBecause() {
    vulkan::CloseDriver();
    const BackendProbe probe = kVulkanBackend.probe();
    EXPECT_THAT(probe.devices, IsEmpty());
    EXPECT_FALSE(kVulkanBackend.open(0).ok());
    return probe.missing;
  }

  const std::filesystem::path cache_ =
      std::filesystem::path(::testing::TempDir()) / ("acutance_vulkan_test_" + std::to_string(::getpid()));
  const ScopedVariable xdg_ = ScopedVariable("XDG_CACHE_HOME", cache_.c_str());
  FaultyVulkan& faulty_ = vulkan::UseFaultyVulkan(FAULTY_VULKAN_LIBRARY);
  size_t messages_ = VulkanValidationMessages().size();
  int index_ = 0;
};

class VulkanProbe : public VulkanTest {};

TEST_F(VulkanProbe, SaysWhatToInstallWithoutALoader) {
  ::setenv("ACUTANCE_VULKAN_LIBRARY", "/nowhere/libvulkan.so.1", 1);
  EXPECT_THAT(MissingBecause(),
              AllOf(HasSubstr("no Vulkan loader"), HasSubstr("/nowhere/libvulkan.so.1"), HasSubstr("libvulkan1")));
}

TEST_F(VulkanProbe, SaysWhatToInstallWithoutADriver) {
  {
    const ScopedVariable old_name("VK_ICD_FILENAMES", "/nowhere/icd.json");
    const ScopedVariable new_name("VK_DRIVER_FILES", "/nowhere/icd.json");
    EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("no driver"), HasSubstr("mesa-vulkan-drivers"),
                                        HasSubstr("nvidia-vulkan-icd"), HasSubstr("VK_ICD_FILENAMES")));
  }
  faulty_.no_devices = true;
  EXPECT_THAT(MissingBecause(), HasSubstr("mesa-vulkan-drivers"));
}

TEST_F(VulkanProbe, RefusesALibraryThatIsNoLoader) {
  ::setenv("ACUTANCE_VULKAN_LIBRARY", "libm.so.6", 1);
  EXPECT_THAT(MissingBecause(), HasSubstr("libm.so.6 is no Vulkan loader"));
}

TEST_F(VulkanProbe, RefusesOldVersions) {
  faulty_.loader_version = VK_API_VERSION_1_1;
  EXPECT_THAT(MissingBecause(), HasSubstr("the Vulkan loader has version 1.1, 1.2 is needed"));
  faulty_.loader_version.reset();
  faulty_.device_version = VK_API_VERSION_1_1;
  EXPECT_THAT(MissingBecause(), HasSubstr("has Vulkan 1.1, 1.2 is needed; install a newer driver"));
}

TEST_F(VulkanProbe, RunsOnTheOldestVersion) {
  faulty_.device_version = VK_API_VERSION_1_2;
  EXPECT_EQ(RunLanguageProbe(*Open()).message(), "");
  faulty_.device_version.reset();
  faulty_.loader_version = VK_API_VERSION_1_2;
  EXPECT_EQ(RunLanguageProbe(*Open()).message(), "");
}

TEST_F(VulkanProbe, NamesTheFeaturesThatADeviceLacks) {
  faulty_.without = {"shaderInt64", "shaderSubgroupExtendedTypes"};
  EXPECT_THAT(MissingBecause(), HasSubstr("lacks shaderInt64, shaderSubgroupExtendedTypes, which the kernels need"));
  for (const char* feature :
       {"shaderInt64", "shaderInt16", "shaderInt8", "storageBuffer16BitAccess", "storageBuffer8BitAccess",
        "bufferDeviceAddress", "scalarBlockLayout", "shaderSubgroupExtendedTypes", "timelineSemaphore"}) {
    faulty_.without = {feature};
    EXPECT_THAT(MissingBecause(), HasSubstr(fmt::format("lacks {}, which", feature)));
  }
  faulty_.without.clear();
  faulty_.no_wave_operations = true;
  EXPECT_THAT(MissingBecause(), HasSubstr("lacks subgroup operations"));
  faulty_.wave_size = 2;
  EXPECT_THAT(MissingBecause(), HasSubstr("its waves have 2 lanes, the kernels need 4 or more"));
}

TEST_F(VulkanProbe, NamesTheFunctionsThatALoaderLacks) {
  faulty_.without = {"vkGetPhysicalDeviceFeatures2"};
  EXPECT_THAT(MissingBecause(), HasSubstr("no function vkGetPhysicalDeviceFeatures2"));
  faulty_.without = {"vkGetBufferDeviceAddress"};
  vulkan::CloseDriver();
  EXPECT_THAT(kVulkanBackend.open(index_).status().message(), HasSubstr("no function vkGetBufferDeviceAddress"));
}

TEST_F(VulkanProbe, ExplainsADriverThatDoesNotStart) {
  for (const char* function : {"vkCreateInstance", "vkEnumeratePhysicalDevices", "vkEnumerateInstanceVersion"}) {
    faulty_.fail = {{function, VK_ERROR_OUT_OF_HOST_MEMORY}};
    EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("Vulkan: could not"), HasSubstr("VK_ERROR_OUT_OF_HOST_MEMORY")));
  }
}

TEST_F(VulkanProbe, DescribesDevices) {
  const BackendProbe probe = kVulkanBackend.probe();
  EXPECT_THAT(probe.missing, IsEmpty());
  for (const DeviceInfo& info : probe.devices) {
    EXPECT_EQ(info.backend, "vulkan");
    EXPECT_THAT(info.name, Not(IsEmpty()));
    EXPECT_THAT(info.driver, Not(IsEmpty()));
    EXPECT_THAT(info.family, ::testing::MatchesRegex("[a-z0-9]+"));
    EXPECT_GE(info.wave_size, 4);
    EXPECT_GE(info.shared_bytes, 16u * 1024);
    EXPECT_GT(info.memory_bytes, 0u);
    EXPECT_EQ(info.is_cpu, info.family == "llvmpipe");
    EXPECT_EQ(kVulkanBackend.open(info.index).value()->info().name, info.name);
  }
}

TEST_F(VulkanProbe, RefusesAQueueFamilyThatDoesNotExist) {
  const ScopedVariable family("ACUTANCE_VULKAN_FAMILY", "99");
  EXPECT_THAT(MissingBecause(), HasSubstr("ACUTANCE_VULKAN_FAMILY=99 is no queue family of"));
}

TEST_F(VulkanTest, RunsEveryWordOfTheLanguage) {
  for (const DeviceInfo& info : kVulkanBackend.probe().devices)
    EXPECT_EQ(RunLanguageProbe(*kVulkanBackend.open(info.index).value()).message(), "") << info.name;
}

TEST_F(VulkanTest, ComputesTheExactFunctions) {
  for (const DeviceInfo& info : kVulkanBackend.probe().devices)
    EXPECT_EQ(RunExactProbe(*kVulkanBackend.open(info.index).value()).message(), "") << info.name;
}

TEST(VulkanKernels, AskForAFusedOperationWhereTheyUseIt) {
  for (const KernelImage& image : ProbeImages()) {
    const auto spirv = vulkan::FindSpirv(image);
    if (spirv.ok()) {
      EXPECT_EQ(vulkan::AsksForFused(*spirv), image.symbol == "exact_fused_64x1") << image.symbol;
    }
  }
}

TEST_F(VulkanTest, IsRightOnADriverThatLiesAboutItsWaveSize) {
  for (const uint32_t size : {4, 32, 128}) {
    faulty_.wave_size = size;
    EXPECT_EQ(RunLanguageProbe(*Open()).message(), "") << size;
  }
}

TEST_F(VulkanTest, DoesWithoutDoubles) {
  faulty_.without = {"shaderFloat64"};
  const auto device = Open();
  EXPECT_FALSE(device->info().has_double);
  EXPECT_THAT(device->LoadKernel(ImageOf("language")).status().message(),
              AllOf(HasSubstr("double precision"), HasSubstr("shaderFloat64")));
  EXPECT_TRUE(device->LoadKernel(ImageOf("faults")).ok());
}

TEST_F(VulkanTest, FulfilsTheContract) {
  TestContract(kVulkanBackend, index_, ImageOf("faults"));
  TestFork(kVulkanBackend, index_);
}

TEST_F(VulkanTest, SaysHowMuchMemoryWasAskedFor) {
  const auto device = Open();
  EXPECT_EQ(device->Allocate(8, MemoryKind::kUpload).value()->address(), 0u) << "kernels read no such memory";
  for (const char* function : {"vkCreateBuffer", "vkAllocateMemory", "vkBindBufferMemory", "vkMapMemory"}) {
    faulty_.fail = {{function, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
    const Status status = device->Allocate(1000, MemoryKind::kUpload).status();
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << function;
    EXPECT_THAT(status.message(), HasSubstr("1000 bytes"));
  }
}

TEST_F(VulkanTest, RefusesLaunchesThatAreTooLarge) {
  auto session = Session::Open(index_).value();
  const Command commands[] = {session.Launch({.y = INT32_MAX})};
  EXPECT_THAT(session.queue->Record(commands).status().message(), HasSubstr("workgroups: from 1 to"));
}

TEST_F(VulkanTest, RefusesKernelsThatDoNotFit) {
  const auto device = Open();
  const auto message = [&](auto change) {
    KernelImage image = ImageOf("faults");
    change(image);
    return device->LoadKernel(image).status().message();
  };
  EXPECT_THAT(message([](KernelImage& image) { image.args_bytes = 129; }), HasSubstr("takes 129 bytes of arguments"));
  const std::array<std::byte, 32> nonsense{};
  const KernelBinary damaged[] = {{"vulkan", "spirv", nonsense}};
  EXPECT_THAT(message([&](KernelImage& image) { image.binaries = damaged; }), HasSubstr("is no SPIR-V module"));
}

TEST_F(VulkanTest, CompilesAKernelOnce) {
  const auto device = Open();
  const auto first = device->LoadKernel(ImageOf("faults")).value();
  const auto second = device->LoadKernel(ImageOf("faults")).value();
  EXPECT_EQ(faulty_.compiled, 1);
}

TEST_F(VulkanTest, GivesEverythingBackWhereverASessionFails) {
  for (const char* function : {"vkCreateDevice", "vkCreatePipelineLayout", "vkCreateShaderModule",
                               "vkCreateComputePipelines", "vkCreateBuffer", "vkAllocateMemory", "vkBindBufferMemory",
                               "vkMapMemory", "vkCreateSemaphore", "vkCreateCommandPool", "vkAllocateCommandBuffers",
                               "vkResetCommandPool", "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkQueueSubmit"}) {
    faulty_.fail = {{function, VK_ERROR_OUT_OF_HOST_MEMORY}};
    const Status status = WholeSession(index_);
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << function;
    EXPECT_THAT(status.message(), HasSubstr("VK_ERROR_OUT_OF_HOST_MEMORY")) << function;
    EXPECT_EQ(faulty_.alive, 0) << function;
  }
  faulty_.fail.clear();
  EXPECT_EQ(WholeSession(index_).message(), "");
}

TEST_F(VulkanTest, RemembersThatTheDeviceIsLost) {
  for (const char* function : {"vkQueueSubmit", "vkWaitSemaphores"}) {
    auto session = Session::Open(index_).value();
    faulty_.fail = {{function, VK_ERROR_DEVICE_LOST}};
    EXPECT_THAT(session.Run().message(), HasSubstr("VK_ERROR_DEVICE_LOST"));
    faulty_.fail.clear();
    EXPECT_THAT(session.Run().message(), AllOf(HasSubstr("is lost since"), HasSubstr("VK_ERROR_DEVICE_LOST")));
    EXPECT_FALSE(session.device->Allocate(8, MemoryKind::kDevice).ok());
    EXPECT_FALSE(session.device->MakeQueue().ok());
    EXPECT_FALSE(session.device->LoadKernel(ImageOf("faults")).ok());
    EXPECT_FALSE(session.queue->Record({}).ok());
  }
  EXPECT_EQ(WholeSession(index_).message(), "") << "opened again, it is another device";
}

TEST_F(VulkanTest, CopiesOnAQueueOfTheirOwn) {
  faulty_.copy_family = true;
  const auto device = Open();
  EXPECT_EQ(RunLanguageProbe(*device).message(), "");
  constexpr size_t kBytes = 1 << 20;
  const auto upload = device->Allocate(kBytes, MemoryKind::kUpload).value();
  const auto memory = device->Allocate(kBytes, MemoryKind::kDevice).value();
  const auto back = device->Allocate(kBytes, MemoryKind::kReadback).value();
  const auto queue = device->MakeQueue().value();
  const Command commands[] = {CopyCommand{memory.get(), 0, back.get(), 0, kBytes}};
  const auto recording = queue->Record(commands).value();
  const CopyCommand halves[] = {{upload.get(), 0, memory.get(), kBytes / 2, kBytes / 2},
                                {upload.get(), kBytes / 2, memory.get(), 0, kBytes / 2}};
  for (int repeat = 1; repeat <= 5; ++repeat) {
    std::memset(upload->host(), repeat, kBytes / 2);
    std::memset(upload->host() + kBytes / 2, 16 * repeat, kBytes / 2);
    ASSERT_TRUE(queue->Copy(halves).ok());
    ASSERT_TRUE(queue->Submit(*recording).ok());
    ASSERT_TRUE(queue->Copy({}).ok()) << "a copy of nothing is in order";
    ASSERT_TRUE(queue->Wait().ok());
    EXPECT_EQ(back->host()[0], std::byte(16 * repeat));
    EXPECT_EQ(back->host()[kBytes - 1], std::byte(repeat));
  }
  EXPECT_EQ(faulty_.copy_pools, 2) << "command buffers of copies are used again";
}

TEST_F(VulkanTest, CopiesOnTheKernelsQueueIfSet) {
  faulty_.copy_family = true;
  const ScopedVariable none("ACUTANCE_VULKAN_COPY_QUEUE", "0");
  const auto session = Session::Open(index_).value();
  const CopyCommand copies[] = {{session.memory.get(), 0, session.readback.get(), 0, 8}};
  ASSERT_TRUE(session.queue->Copy(copies).ok());
  ASSERT_TRUE(session.queue->Wait().ok());
  EXPECT_EQ(faulty_.copy_pools, 0);
}

TEST_F(VulkanTest, PrintsTimesIfSet) {
  const ScopedVariable times("ACUTANCE_VULKAN_TIMES", "1");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(WholeSession(index_).message(), "");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, AllOf(HasSubstr("vulkan time: "), HasSubstr(" us faults_"), HasSubstr(" on 1x1x1"),
                          HasSubstr("us copy of 256 bytes"), HasSubstr("us in all")));
}

TEST_F(VulkanTest, PrintsStatisticsIfSet) {
  const auto printed = [&] {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(WholeSession(index_).message(), "");
    return ::testing::internal::GetCapturedStderr();
  };
  faulty_.statistics = true;
  EXPECT_THAT(printed(), Not(HasSubstr("Register Count")));
  const ScopedVariable asked("ACUTANCE_VULKAN_STATISTICS", "1");
  EXPECT_THAT(printed(), HasSubstr("vulkan kernel faults_64x1: Register Count 33\n"));
  faulty_.statistics = false;
  EXPECT_THAT(printed(), Not(HasSubstr("vulkan kernel")));
}

TEST_F(VulkanTest, OpensAHundredTimes) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(WholeSession(index_).message(), "");
    ASSERT_EQ(faulty_.alive, 0);
  }
}

TEST_F(VulkanTest, HearsTheValidationLayer) {
  if (!IsOn("ACUTANCE_VULKAN_VALIDATION", false)) GTEST_SKIP() << "ACUTANCE_VULKAN_VALIDATION is not set";
  const auto driver = vulkan::OpenDriver().value();
  const auto physical = vulkan::Describe(*driver, driver->PhysicalDevices().value()[index_], index_).value();
  const auto context = vulkan::Context::Open(driver, physical).value();
  VkBufferCreateInfo empty = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  empty.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(context->vk().vkCreateBuffer(context->device(), &empty, nullptr, &buffer), VK_SUCCESS);
  context->vk().vkDestroyBuffer(context->device(), buffer, nullptr);
  const auto messages = VulkanValidationMessages();
  ASSERT_GT(messages.size(), messages_);
  EXPECT_THAT(messages.back(), HasSubstr("VkBufferCreateInfo"));
  messages_ = messages.size();
}

class VulkanCache : public VulkanTest {
 protected:
  std::filesystem::path File() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(cache_ / "acutance" / "vulkan"))
      files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1u);
    return files.at(0);
  }

  static std::string Contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void SetContents(const std::filesystem::path& path, const std::string& contents) {
    std::ofstream(path, std::ios::binary) << contents;
  }
};

TEST_F(VulkanCache, WritesAFileOnce) {
  ASSERT_EQ(WholeSession(index_).message(), "");
  const std::string first = Contents(File());
  EXPECT_GT(first.size(), 24u);
  const auto written = std::filesystem::last_write_time(File());
  ASSERT_EQ(WholeSession(index_).message(), "");
  EXPECT_EQ(Contents(File()), first);
  EXPECT_EQ(std::filesystem::last_write_time(File()), written) << "nothing new to write";
}

TEST_F(VulkanCache, IgnoresABrokenFile) {
  ASSERT_EQ(WholeSession(index_).message(), "");
  const auto path = File();
  const std::string whole = Contents(path);
  std::string flipped = whole, huge = whole;
  flipped[whole.size() / 2] ^= 1;
  huge.replace(8, 8, 8, '\x7f');
  for (const std::string& broken : {std::string(), whole.substr(0, 10), whole.substr(0, whole.size() - 1), whole + "x",
                                    flipped, huge, std::string(5000, '\xff')}) {
    SetContents(path, broken);
    EXPECT_EQ(WholeSession(index_).message(), "");
    EXPECT_EQ(Contents(path), whole) << "written anew";
  }
}

TEST_F(VulkanCache, DoesWithoutAFile) {
  std::filesystem::create_directories(cache_);
  SetContents(cache_ / "acutance", "a file where a folder should be");
  EXPECT_EQ(WholeSession(index_).message(), "");
  const ScopedVariable cache("XDG_CACHE_HOME", "");
  const ScopedVariable home("HOME", "");
  EXPECT_EQ(WholeSession(index_).message(), "");
}

TEST_F(VulkanCache, DoesWithoutTheDriversCache) {
  for (const char* function : {"vkCreatePipelineCache", "vkGetPipelineCacheData"}) {
    faulty_.fail = {{function, VK_ERROR_OUT_OF_HOST_MEMORY}};
    EXPECT_EQ(WholeSession(index_).message(), "");
  }
  EXPECT_FALSE(std::filesystem::exists(cache_ / "acutance"));
}

}  // namespace
}  // namespace acutance
