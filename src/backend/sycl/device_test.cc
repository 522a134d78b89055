// The plugin on this machine's devices: Intel's OpenCL for CPUs, where no GPU is. Skipped without the plugin or
// runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backend/sycl/plugin.h"
#include "backend/testing/contract.h"
#include "backend/testing/exact_probe.h"
#include "backend/testing/language_probe.h"
#include "base/system/process.h"

namespace acutance {

std::span<const KernelImage> ProbeImages();

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kWaves[] = {4, 8, 16, 32, 64};

// results[i] = results[i] * factor + i.
constexpr const char* kScale = R"(#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
namespace @ {
struct Args { int64_t* results; int64_t factor; };
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
void @(Args args) {
  const size_t i = sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_global_id(2);
  args.results[i] = args.results[i] * args.factor + int64_t(i)LINE;
}
}
)";

std::string Text(const std::string& symbol, const std::string& line = "") {
  std::string text = kScale;
  for (size_t at; (at = text.find('@')) != text.npos;) text.replace(at, 1, symbol);
  return text.replace(text.find("LINE"), 4, line);
}

KernelImage Image(std::string_view symbol, std::string_view text) {
  return {.kernel = symbol, .symbol = symbol, .group_x = 64, .args_bytes = 16, .buffer_args = 1, .sycl_source = text};
}

class SyclDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SetMainProgram();  // so that the runtime's loader finds the driver for CPUs
    ::setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    fs::remove_all(cache_);
    const BackendProbe probe = kSyclBackend.probe();
    if (probe.devices.empty()) GTEST_SKIP() << probe.missing;
    info_ = probe.devices[0];
  }
  void TearDown() override {
    ::unsetenv("ACUTANCE_SYCL_WAVE");
    fs::remove_all(cache_);
  }

  static std::unique_ptr<Device> Open() {
    auto device = kSyclBackend.open(0);
    EXPECT_TRUE(device.ok()) << device.status().message();
    return std::move(device).value();
  }

  /// Runs the kernel on 64 zeros, twice: results[i] = 3 * i + i.
  static Status RunScale(Device& device, const std::string& symbol, const std::string& text) {
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, device.LoadKernel(Image(symbol, text)));
    return RunScale(device, *kernel);
  }
  static Status RunScale(Device& device, const Kernel& kernel) {
    constexpr size_t kBytes = 64 * sizeof(int64_t);
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> upload, device.Allocate(kBytes, MemoryKind::kUpload));
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> results, device.Allocate(kBytes, MemoryKind::kDevice));
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> readback, device.Allocate(kBytes, MemoryKind::kReadback));
    std::memset(upload->host(), 0, kBytes);
    std::vector<std::byte> args(16);
    const int64_t values[] = {static_cast<int64_t>(results->address()), 3};
    std::memcpy(args.data(), values, sizeof values);
    const LaunchCommand launch = {&kernel, {}, args};
    const std::vector<Command> commands = {CopyCommand{upload.get(), 0, results.get(), 0, kBytes}, launch, launch,
                                           CopyCommand{results.get(), 0, readback.get(), 0, kBytes}};
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, device.MakeQueue());
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(commands));
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::memset(readback->host(), 0xA7, kBytes);
      ACU_RETURN_IF_ERROR(queue->Submit(*recording));
      ACU_RETURN_IF_ERROR(queue->Wait());
      for (int64_t i = 0; i < 64; ++i) {
        int64_t found = 0;
        std::memcpy(&found, readback->host() + i * sizeof found, sizeof found);
        if (found != 4 * i) return Error(StatusCode::kBadData, "result {} is {}, not {}", i, found, 4 * i);
      }
    }
    return {};
  }

  std::vector<fs::path> CacheFiles() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(cache_))
      if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
  }

  DeviceInfo info_;  // of device 0
  const fs::path cache_ = fs::temp_directory_path() / fmt::format("acutance_sycl_test_{}", ::getpid());
};

#define EXPECT_OK(expression)                           \
  do {                                                  \
    const Status ok_status = (expression);              \
    EXPECT_TRUE(ok_status.ok()) << ok_status.message(); \
  } while (0)

// The compiler inside of the runtime has handlers of its own.
TEST_F(SyclDeviceTest, PreservesSignalHandlers) {
  EXPECT_OK(RunScale(*Open(), "scale", Text("scale")));
  const auto handler_of = [](int signal) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    return action.sa_handler;
  };
  EXPECT_EQ(handler_of(SIGINT), SIG_DFL);
  EXPECT_EQ(handler_of(SIGTERM), SIG_DFL);
  EXPECT_EQ(handler_of(SIGXFSZ), SIG_IGN) << "as SetMainProgram() set it";
}

TEST_F(SyclDeviceTest, DescribesDevices) {
  const BackendProbe probe = kSyclBackend.probe();
  EXPECT_EQ(probe.missing, "");
  int index = 0;
  bool cpu_seen = false;
  for (const DeviceInfo& info : probe.devices) {
    EXPECT_EQ(info.backend, "sycl");
    EXPECT_EQ(info.index, index++);
    EXPECT_FALSE(info.name.empty());
    EXPECT_THAT(info.driver, HasSubstr(fmt::format(", wave {}", info.wave_size)));
    EXPECT_THAT(info.family, AnyOf("intel_cpu", "intel_gpu", "other_cpu", "other_gpu"));
    EXPECT_EQ(info.is_cpu, info.family.ends_with("_cpu"));
    EXPECT_TRUE(info.is_cpu || !cpu_seen) << "GPUs come first";
    cpu_seen |= info.is_cpu;
    EXPECT_GT(info.memory_bytes, 0u);
    EXPECT_GE(info.shared_bytes, 32u * 1024);
  }
}

TEST_F(SyclDeviceTest, SpeaksTheKernelLanguageAtEveryWave) {
  int waves = 0;
  for (const int wave : kWaves) {
    ::setenv("ACUTANCE_SYCL_WAVE", std::to_string(wave).c_str(), 1);
    auto device = kSyclBackend.open(0);
    if (!device.ok()) {
      EXPECT_THAT(device.status().message(), HasSubstr(fmt::format("has no waves of {} work items", wave)));
      continue;
    }
    ++waves;
    for (const KernelImage& image : ProbeImages())  // all now, so that they are compiled together
      if (image.kernel == "language") EXPECT_OK((*device)->LoadKernel(image).status());
    EXPECT_EQ((*device)->info().wave_size, wave);
    EXPECT_OK(RunLanguageProbe(**device));
  }
  EXPECT_GE(waves, info_.family == "intel_cpu" ? 5 : 1);
}

TEST_F(SyclDeviceTest, ComputesTheExactFunctions) {
  const auto device = kSyclBackend.open(0);
  ASSERT_TRUE(device.ok()) << device.status().message();
  for (const KernelImage& image : ProbeImages())  // all now, so that they are compiled together
    if (image.kernel == "exact") EXPECT_OK((*device)->LoadKernel(image).status());
  EXPECT_OK(RunExactProbe(**device));
}

TEST_F(SyclDeviceTest, RefusesWavesThatAreNotThere) {
  for (const char* wave : {"5", "128"}) {
    ::setenv("ACUTANCE_SYCL_WAVE", wave, 1);
    const BackendProbe probe = kSyclBackend.probe();
    EXPECT_TRUE(probe.devices.empty());
    EXPECT_THAT(probe.missing, AllOf(HasSubstr("no waves of"), HasSubstr("set ACUTANCE_SYCL_WAVE to")));
  }
  for (const char* wave : {"-8", "eight", "8 ", "0"}) {
    ::setenv("ACUTANCE_SYCL_WAVE", wave, 1);
    EXPECT_THAT(kSyclBackend.open(0).status().message(), HasSubstr("is not a number"));
  }
}

TEST_F(SyclDeviceTest, ShowsTheLineOfAKernelThatDoesNotCompile) {
  const auto device = Open();
  const std::string good = Text("good"), bad = Text("bad", " + missing");
  const auto good_kernel = device->LoadKernel(Image("good", good));
  const Status status = RunScale(*device, "bad", bad);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("could not compile bad"), HasSubstr("undeclared identifier 'missing'"),
                                      HasSubstr("int64_t(i) + missing;")));
  ASSERT_TRUE(good_kernel.ok());
  EXPECT_OK(RunScale(*device, **good_kernel));  // though it was in the bad one's bundle
  EXPECT_EQ(RunScale(*device, "bad", bad).message(), status.message());
}

TEST_F(SyclDeviceTest, FulfilsTheContract) {
  const std::string text = Text("scale");
  TestContract(kSyclBackend, 0, Image("scale", text));
  TestFork(kSyclBackend, 0);
}

TEST_F(SyclDeviceTest, CachesCompiledKernels) {
  const std::string text = Text("scale");
  EXPECT_OK(RunScale(*Open(), "scale", text));
  const std::vector<fs::path> files = CacheFiles();
  ASSERT_EQ(files.size(), 1u);
  const auto written = fs::last_write_time(files[0]);
  EXPECT_OK(RunScale(*Open(), "scale", text));
  EXPECT_EQ(fs::last_write_time(files[0]), written) << "compiled again";
  EXPECT_EQ(CacheFiles(), files);
  EXPECT_OK(RunScale(*Open(), "other", Text("other")));
  EXPECT_EQ(CacheFiles().size(), 2u);
}

TEST_F(SyclDeviceTest, SurvivesADamagedCache) {
  const std::string text = Text("scale");
  EXPECT_OK(RunScale(*Open(), "scale", text));
  const fs::path file = CacheFiles().at(0);
  const uintmax_t bytes = fs::file_size(file);
  std::mt19937 random(1);
  for (const uintmax_t size : {uintmax_t{0}, bytes / 2, bytes, bytes + 1}) {
    fs::resize_file(file, size);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    if (size == bytes) stream.seekp(random() % bytes) << '\x5A' << '\xA5';  // two letters, somewhere
    stream.close();
    EXPECT_OK(RunScale(*Open(), "scale", text));
    EXPECT_EQ(fs::file_size(file), bytes) << "after a file of " << size << " bytes";
  }
}

TEST_F(SyclDeviceTest, WorksWithoutACache) {
  std::ofstream(cache_) << "a file, where a folder should be";
  EXPECT_OK(RunScale(*Open(), "scale", Text("scale")));
  fs::remove(cache_);
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  EXPECT_OK(RunScale(*Open(), "scale", Text("scale")));
}

TEST_F(SyclDeviceTest, BoundsTheCache) {
  const std::string text = Text("scale");
  EXPECT_OK(RunScale(*Open(), "scale", text));
  const fs::path file = CacheFiles().at(0);
  for (int i = 0; i < 100; ++i) {
    const fs::path old = file.parent_path() / fmt::format("{}.kernels", i);
    fs::copy_file(file, old);
    fs::last_write_time(old, fs::last_write_time(file) - std::chrono::hours(1));
  }
  EXPECT_OK(RunScale(*Open(), "other", Text("other")));
  EXPECT_EQ(CacheFiles().size(), 64u);
  EXPECT_TRUE(fs::exists(file));
}

size_t ResidentKilobytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  return 0;
}

TEST_F(SyclDeviceTest, OpensAndClosesManyTimes) {
  const std::string text = Text("scale");
  size_t before = 0;
  for (int cycle = 0; cycle < 24; ++cycle) {
    if (cycle == 4) before = ResidentKilobytes();
    const auto device = Open();
    EXPECT_OK(RunScale(*device, "scale", text));
    const auto large = device->Allocate(8 << 20, MemoryKind::kUpload);
    ASSERT_TRUE(large.ok());
    std::memset((*large)->host(), 1, 8 << 20);
  }
  EXPECT_LT(ResidentKilobytes(), before + 20 * 1024) << "each cycle holds 8 MiB while it lasts; 20 cycles leaked more";
}

TEST_F(SyclDeviceTest, TakesWorkFromSeveralThreads) {
  const auto device = Open();
  std::vector<Status> done(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < done.size(); ++i)
    threads.emplace_back([&, i] {
      const std::string symbol = fmt::format("scale{}", i % 3);
      const std::string text = Text(symbol);
      for (int repeat = 0; repeat < 5 && done[i].ok(); ++repeat) done[i] = RunScale(*device, symbol, text);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : done) EXPECT_OK(status);
}

// results[0] becomes a work item's that waits for another value there.
constexpr const char* kHang = R"(#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
struct Args { volatile int64_t* results; int64_t until; };
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<3>))
void hang(Args args) {
  const size_t i = sycl::ext::oneapi::this_work_item::get_nd_item<3>().get_global_id(2);
  if (i == 0) while (args.results[0] != args.until) {}
}
)";

TEST_F(SyclDeviceTest, GivesUpADeviceThatHangs) {
  auto device = Open();
  if (!device->info().is_cpu) GTEST_SKIP() << "a display would hang, too";
  auto kernel = device->LoadKernel(Image("hang", kHang)).value();
  auto memory = device->Allocate(8, MemoryKind::kUpload).value();
  auto* const flag = reinterpret_cast<volatile int64_t*>(memory->host());
  *flag = 0;
  std::vector<std::byte> args(16);
  const int64_t values[] = {static_cast<int64_t>(memory->address()), 1};
  std::memcpy(args.data(), values, sizeof values);
  auto queue = device->MakeQueue().value();
  const Command launch = LaunchCommand{kernel.get(), {}, args};
  auto recording = queue->Record({&launch, 1}).value();
  device->LimitWaits(std::chrono::milliseconds(100));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_OK(queue->Submit(*recording));
  auto mark = queue->MarkEnd().value();
  EXPECT_THAT(mark->Wait().message(), HasSubstr("could not finish what was marked: it made no progress for too long"));
  EXPECT_THAT(queue->Wait().message(), HasSubstr("is lost since an earlier failure"));
  EXPECT_THAT(device->Allocate(8, MemoryKind::kDevice).status().message(), HasSubstr("is lost since"));
  EXPECT_THAT(device->MakeQueue().status().message(), HasSubstr("is lost since"));
  mark.reset();
  recording.reset();
  queue.reset();
  kernel.reset();
  memory.reset();  // left to the device, as its kernel reads it
  device.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  *flag = 1;  // so that the process ends
  EXPECT_OK(RunScale(*Open(), "scale", Text("scale")));
}

}  // namespace
}  // namespace acutance
