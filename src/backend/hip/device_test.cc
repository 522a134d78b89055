// Devices of the cuda and hip backends, on a driver that needs no GPU and fails where a test demands it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "backend/cuda/api.h"
#include "backend/cuda/testing/fake_driver.h"
#include "backend/hip/api.h"
#include "backend/testing/contract.h"

namespace acutance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kPtx = ".version 6.3\n.entry fill(\n.entry add(\n.entry crash(\n";
constexpr int kCount = 1000;

/// The header of an AMD code object; the stand-in looks at no more.
constexpr std::string_view kCodeObject("\177ELF\0\0\0\0\0\0\0\0\0\0\0\0\0\0\340\0", 20);

/// Arguments of the fake driver's kernels.
struct Arguments {
  uint64_t address;
  int32_t value;
  int32_t count;
};

KernelImage Image(std::string_view symbol) {
  static const std::array binaries = {KernelBinary{"cuda", "ptx", std::as_bytes(std::span(kPtx))},
                                      KernelBinary{"hip", "gfx1100", std::as_bytes(std::span(kCodeObject))}};
  return {.kernel = symbol,
          .variant = "",
          .symbol = symbol,
          .group_x = 32,
          .group_y = 8,
          .args_bytes = sizeof(Arguments),
          .buffer_args = 1,
          .shared_bytes = 1024,
          .binaries = binaries};
}

/// Opens everything that a session needs of a device, one thing after another, until one fails.
struct Session {
  std::unique_ptr<Device> device;
  std::unique_ptr<Kernel> fill, add, crash;
  std::unique_ptr<Buffer> memory, readback;
  std::unique_ptr<Queue> queue;

  static Result<Session> Open(const Backend& backend) {
    Session s;
    ACU_ASSIGN_OR_RETURN(s.device, backend.open(0));
    ACU_ASSIGN_OR_RETURN(s.fill, s.device->LoadKernel(Image("fill")));
    ACU_ASSIGN_OR_RETURN(s.add, s.device->LoadKernel(Image("add")));
    ACU_ASSIGN_OR_RETURN(s.crash, s.device->LoadKernel(Image("crash")));
    ACU_ASSIGN_OR_RETURN(s.memory, s.device->Allocate(kCount * sizeof(int32_t), MemoryKind::kDevice));
    ACU_ASSIGN_OR_RETURN(s.readback, s.device->Allocate(kCount * sizeof(int32_t), MemoryKind::kReadback));
    ACU_ASSIGN_OR_RETURN(s.queue, s.device->MakeQueue());
    return s;
  }

  LaunchCommand Launch(const Kernel& kernel, int32_t value) const {
    const Arguments arguments = {memory->address(), value, kCount};
    return {&kernel, Grid{4, 2, 3}, ArgsBytes(arguments)};
  }
  CopyCommand ReadBack() const { return {memory.get(), 0, readback.get(), 0, memory->bytes()}; }

  Status Run(std::vector<Command> commands) {
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(commands));
    ACU_RETURN_IF_ERROR(queue->Submit(*recording));
    return queue->Wait();
  }
  Status FillAndAdd(int value) { return Run({Launch(*fill, value), Launch(*add, 100), ReadBack()}); }

  int32_t Value(int i) const {
    int32_t value = 0;
    std::memcpy(&value, readback->host() + i * sizeof(value), sizeof(value));
    return value;
  }
};

Status WholeSession(const Backend& backend) {
  ACU_ASSIGN_OR_RETURN(Session session, Session::Open(backend));
  return session.FillAndAdd(1);
}

class DeviceTest : public ::testing::TestWithParam<const Backend*> {
 protected:
  DeviceTest() {
    ::setenv("ACUTANCE_HIP_LIBRARY", HIP_STANDIN_LIBRARY, 1);
    ::setenv("ACUTANCE_HIP_STANDIN_KERNELS", folder_.c_str(), 1);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "fake.ptx") << kPtx;
    (void)WholeSession(backend_);  // HIP holds a device's context from its first use on
    alive_ = fake_.alive;
  }
  ~DeviceTest() override {
    EXPECT_EQ(fake_.alive, alive_) << "something of the device was not given back";
    EXPECT_EQ(fake_.misuse, 0);
    std::filesystem::remove_all(folder_);
  }

  const Backend& backend_ = *GetParam();
  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("acutance_device_test_" + std::to_string(::getpid()));
  cuda::FakeCuda& fake_ = cuda::UseFakeDriver(FAKE_CUDA_LIBRARY);
  int alive_;
};

INSTANTIATE_TEST_SUITE_P(Backends, DeviceTest, ::testing::Values(&kCudaBackend, &kHipBackend),
                         [](const auto& backend) { return std::string(backend.param->name); });

TEST_P(DeviceTest, RunsCommandsInTheirOrder) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok()) << session.status().message();
  auto recording = session->queue->Record(
      std::vector<Command>{session->Launch(*session->fill, 5), session->Launch(*session->add, 2), session->ReadBack()});
  ASSERT_TRUE(recording.ok()) << recording.status().message();
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::memset(session->readback->host(), 0xa5, session->readback->bytes());
    ASSERT_TRUE(session->queue->Submit(**recording).ok());
    ASSERT_TRUE(session->queue->Wait().ok());
    EXPECT_EQ(session->Value(0), 7);
    EXPECT_EQ(session->Value(kCount - 1), 7);
  }
}

TEST_P(DeviceTest, FulfilsTheContract) {
  TestContract(backend_, 0, Image("fill"));
  TestFork(backend_, 0);
}

TEST_P(DeviceTest, RunsRecordingsInTheOrderOfSubmission) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok());
  auto fill = session->queue->Record(std::vector<Command>{session->Launch(*session->fill, 1)});
  auto add = session->queue->Record(std::vector<Command>{session->Launch(*session->add, 10), session->ReadBack()});
  ASSERT_TRUE(fill.ok() && add.ok());
  for (Recording* recording : {fill->get(), add->get(), add->get()})
    ASSERT_TRUE(session->queue->Submit(*recording).ok());
  ASSERT_TRUE(session->queue->Wait().ok());
  EXPECT_EQ(session->Value(kCount / 2), 21);
}

TEST_P(DeviceTest, RefusesInvalidCommandsAndContinues) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok());
  LaunchCommand short_arguments = session->Launch(*session->fill, 1), deep_grid = short_arguments;
  short_arguments.args.pop_back();
  deep_grid.grid.z = 65536;
  for (const LaunchCommand& command : {short_arguments, deep_grid}) {
    const Status status = session->Run({session->Launch(*session->fill, 1), command});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.message();
    EXPECT_TRUE(session->FillAndAdd(1).ok());
    EXPECT_EQ(session->Value(0), 101);
  }
}

TEST_P(DeviceTest, SaysHowMuchMemoryWasAskedForAndIsFree) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok());
  const auto buffer = session->device->Allocate(fake_.memory_bytes, MemoryKind::kDevice);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.status().code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(buffer.status().message(),
              AllOf(HasSubstr("Fake GPU"), HasSubstr(std::to_string(fake_.memory_bytes) + " bytes were asked for"),
                    HasSubstr(std::to_string(fake_.memory_bytes - session->memory->bytes()) + " of ")));
  fake_.fail["cuMemHostAlloc"] = 2;
  const auto pinned = session->device->Allocate(1 << 20, MemoryKind::kUpload);
  ASSERT_FALSE(pinned.ok());
  EXPECT_EQ(pinned.status().code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(pinned.status().message(), AllOf(HasSubstr("pinned host memory"), HasSubstr("1048576 bytes")));
  EXPECT_TRUE(session->FillAndAdd(1).ok()) << "out of memory must not lose the device";
}

TEST_P(DeviceTest, RefusesKernelsThatDoNotFit) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok());
  KernelImage image = Image("fill");
  image.shared_bytes = 49 * 1024;
  EXPECT_THAT(session->device->LoadKernel(image).status().message(),
              AllOf(HasSubstr("50176 bytes of shared memory"), HasSubstr("49152")));
  image = Image("fill");
  image.group_y = 64;
  EXPECT_THAT(session->device->LoadKernel(image).status().message(), AllOf(HasSubstr("32x64"), HasSubstr("1024")));
  EXPECT_THAT(session->device->LoadKernel(Image("absent")).status().message(),
              AllOf(HasSubstr("kernel absent"), HasSubstr("NOT_FOUND")));
}

TEST_P(DeviceTest, LoadsCodeOnceForAllItsKernels) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok());
  const int modules = fake_.modules;
  ASSERT_TRUE(session->device->LoadKernel(Image("fill")).ok());
  EXPECT_EQ(fake_.modules, modules);
}

TEST_P(DeviceTest, SurvivesARefusedLaunch) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok());
  fake_.fail["cuLaunchKernel"] = 701;  // out of resources
  const Status status = session->FillAndAdd(1);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.message(), AllOf(HasSubstr("Fake GPU"), HasSubstr("launch of kernel fill on 4x2x3 workgroups")));
  fake_.fail.clear();
  EXPECT_TRUE(session->FillAndAdd(1).ok());
}

TEST_P(DeviceTest, StaysLostAfterAFault) {
  auto session = Session::Open(backend_);
  ASSERT_TRUE(session.ok());
  const Status fault = session->Run({session->Launch(*session->crash, 1)});
  EXPECT_EQ(fault.code(), StatusCode::kIo);
  EXPECT_THAT(fault.message(), AllOf(HasSubstr("finish what was submitted"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
  const std::array later = {session->FillAndAdd(1),
                            session->queue->Wait(),
                            session->device->Allocate(8, MemoryKind::kDevice).status(),
                            session->device->Allocate(8, MemoryKind::kUpload).status(),
                            session->device->MakeQueue().status(),
                            session->device->LoadKernel(Image("add")).status()};
  for (const Status& status : later)
    EXPECT_THAT(status.message(), AllOf(HasSubstr("is lost"), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")));
}

/// Memory that the device may still write is never freed, and no call waits again.
TEST_P(DeviceTest, IsGivenUpWhenItHangs) {
  {
    auto session = Session::Open(backend_);
    ASSERT_TRUE(session.ok());
    session->device->LimitWaits(std::chrono::milliseconds(100));
    fake_.hangs = true;
    const Status status = session->FillAndAdd(1);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("finish what was submitted"), HasSubstr("no progress")));
    EXPECT_THAT(session->FillAndAdd(1).message(), HasSubstr("is lost"));
    EXPECT_FALSE(session->device->Allocate(8, MemoryKind::kDevice).ok());
  }
  EXPECT_GT(fake_.alive, alive_);
  fake_.hangs = false;
  fake_.alive = alive_;
}

TEST_P(DeviceTest, ReportsEveryCallThatFailsAndLeaksNothing) {
  for (const char* function : {"cuInit",
                               "cuDeviceGetCount",
                               "cuDeviceGetName",
                               "cuDeviceGetAttribute",
                               "cuDeviceGetUuid_v2",
                               "cuDeviceTotalMem_v2",
                               "cuCtxPushCurrent_v2",
                               "cuMemAlloc_v2",
                               "cuMemHostAlloc",
                               "cuModuleLoadDataEx",
                               "cuModuleGetFunction",
                               "cuFuncGetAttribute",
                               "cuLaunchKernel",
                               "cuMemcpyAsync",
                               "cuStreamCreate",
                               "cuStreamQuery",
                               "cuStreamBeginCapture_v2",
                               "cuStreamEndCapture",
                               "cuGraphInstantiateWithFlags",
                               "cuGraphLaunch"})
    for (const int error : {1, 2, 719}) {
      fake_.fail = {{function, error}};
      const Status status = WholeSession(backend_);
      EXPECT_FALSE(status.ok()) << function << " failed with " << error << " unnoticed";
      fake_.fail.clear();
      EXPECT_TRUE(WholeSession(backend_).ok()) << "after " << function;
      EXPECT_EQ(fake_.alive, alive_) << function << " failed with " << error;
      // Work that was submitted and never waited for goes with a stream that could not be synchronised.
      if (std::string_view(function) == "cuStreamQuery") fake_.misuse = 0;
    }
}

TEST_P(DeviceTest, OpensAndClosesAHundredTimes) {
  for (int i = 0; i < 100; ++i) {
    const Status status = WholeSession(backend_);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(fake_.alive, alive_);
  }
}

TEST_P(DeviceTest, ServesSeveralThreads) {
  auto shared = backend_.open(0);
  ASSERT_TRUE(shared.ok());
  std::array<Status, 4> statuses;
  std::vector<std::thread> threads;
  for (Status& status : statuses)
    threads.emplace_back([&] {
      for (int i = 0; i < 20 && status.ok(); ++i) status = WholeSession(backend_);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.message();
}

}  // namespace
}  // namespace acutance
