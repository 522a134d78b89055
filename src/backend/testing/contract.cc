#include "backend/testing/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>
#include <vector>

namespace acutance {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr MemoryKind kKinds[] = {MemoryKind::kDevice, MemoryKind::kUpload, MemoryKind::kReadback};

void TestMemory(Device& device) {
  constexpr size_t kTooMuch = size_t{1} << 60;
  for (const MemoryKind kind : kKinds) {
    const auto buffer = device.Allocate(8, kind).value();
    EXPECT_EQ(buffer->bytes(), 8u);
    EXPECT_EQ(buffer->host() == nullptr, kind == MemoryKind::kDevice);
    EXPECT_TRUE(buffer->address() != 0 || kind == MemoryKind::kUpload);
    const Status status = device.Allocate(kTooMuch, kind).status();
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
    EXPECT_THAT(status.message(), HasSubstr(std::to_string(kTooMuch) + " bytes"));
    const auto nothing = device.Allocate(0, kind);
    EXPECT_EQ(nothing.ok() ? (*nothing)->bytes() : 0u, 0u);
  }
}

/// A queue and memory that copies go through.
struct Copies {
  static constexpr size_t kBytes = 1 << 20;

  explicit Copies(Device& device)
      : queue(device.MakeQueue().value()),
        upload(device.Allocate(kBytes, MemoryKind::kUpload).value()),
        a(device.Allocate(kBytes, MemoryKind::kDevice).value()),
        b(device.Allocate(kBytes, MemoryKind::kDevice).value()),
        back(device.Allocate(kBytes, MemoryKind::kReadback).value()) {}

  const std::unique_ptr<Queue> queue;
  const std::unique_ptr<Buffer> upload, a, b, back;
};

/// Commands run as if one after another, also of a recording that is submitted again while it may still run.
Status RunInOrder(Device& device) {
  const Copies c(device);
  constexpr size_t kBytes = Copies::kBytes, kHalf = kBytes / 2;
  const Command commands[] = {
      CopyCommand{c.upload.get(), 0, c.a.get(), 0, kBytes},     CopyCommand{c.upload.get(), kHalf, c.b.get(), 0, kHalf},
      CopyCommand{c.a.get(), 0, c.b.get(), kHalf, kHalf},       CopyCommand{c.upload.get(), 0, c.a.get(), kHalf, kHalf},
      CopyCommand{c.upload.get(), 0, c.a.get(), 7, 0},          CopyCommand{c.b.get(), 0, c.back.get(), 0, kHalf},
      CopyCommand{c.a.get(), kHalf, c.back.get(), kHalf, kHalf}};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, c.queue->Record(commands));
  for (int repeat = 1; repeat <= 3; ++repeat) {
    std::memset(c.upload->host(), repeat, kHalf);
    std::memset(c.upload->host() + kHalf, 16 * repeat, kHalf);
    ACU_RETURN_IF_ERROR(c.queue->Submit(*recording));
    ACU_RETURN_IF_ERROR(c.queue->Submit(*recording));
    ACU_RETURN_IF_ERROR(c.queue->Wait());
    EXPECT_EQ(c.back->host()[0], std::byte(16 * repeat));
    EXPECT_EQ(c.back->host()[kHalf], std::byte(repeat));
    EXPECT_EQ(c.back->host()[kBytes - 1], std::byte(repeat));
  }
  return {};
}

/// Queue::Copy of rows, with gaps and without.
Status CopyRows(Device& device) {
  constexpr size_t kRow = 24, kRows = 7, kUpStride = 40, kDownStride = 31, kFirst = 5;
  const Copies c(device);
  for (size_t i = 0; i < 4096; ++i) c.upload->host()[i] = static_cast<std::byte>(i * 7 + i / 256);
  std::memset(c.back->host(), 0xee, 4096);
  const CopyCommand up[] = {{c.upload.get(), kFirst, c.a.get(), 0, kRow, kRows, kUpStride, kRow}};
  const CopyCommand down[] = {{c.a.get(), 0, c.back.get(), 0, kRow, kRows, kRow, kDownStride},
                              {c.a.get(), 0, c.back.get(), 2048, kRow * kRows}};
  ACU_RETURN_IF_ERROR(c.queue->Copy(up));
  ACU_RETURN_IF_ERROR(c.queue->Copy({}));
  ACU_RETURN_IF_ERROR(c.queue->Copy(down));
  ACU_RETURN_IF_ERROR(c.queue->Wait());
  for (size_t row = 0; row < kRows; ++row) {
    const std::byte* want = c.upload->host() + kFirst + row * kUpStride;
    EXPECT_EQ(std::memcmp(c.back->host() + row * kDownStride, want, kRow), 0) << row;
    EXPECT_EQ(std::memcmp(c.back->host() + 2048 + row * kRow, want, kRow), 0) << row;
    EXPECT_EQ(c.back->host()[row * kDownStride + kRow], std::byte{0xee}) << "a copy wrote beyond row " << row;
  }
  return {};
}

/// A mark reports the end of the work before it, where a queue has marks.
Status WaitForMarks(Device& device) {
  const Copies c(device);
  for (int round = 1; round <= 8; ++round) {
    std::memset(c.upload->host(), round, Copies::kBytes);
    const CopyCommand copies[] = {{c.upload.get(), 0, c.a.get(), 0, Copies::kBytes},
                                  {c.a.get(), 0, c.back.get(), 0, Copies::kBytes}};
    ACU_RETURN_IF_ERROR(c.queue->Copy(copies));
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Mark> mark, c.queue->MarkEnd());
    ACU_RETURN_IF_ERROR(mark ? mark->Wait() : c.queue->Wait());
    EXPECT_EQ(std::memcmp(c.back->host(), c.upload->host(), Copies::kBytes), 0) << round;
  }
  return c.queue->Wait();
}

/// Each refused command leaves the queue as it was.
void TestRefusedCommands(Device& device, const KernelImage& image) {
  const auto kernel = device.LoadKernel(image).value();
  const auto a = device.Allocate(16, MemoryKind::kUpload).value(), b = device.Allocate(8, MemoryKind::kDevice).value();
  const auto queue = device.MakeQueue().value();
  const auto message = [&](const Command& command) {
    const Status status = queue->Record({&command, 1}).status();
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument);
    return status.message();
  };
  const auto copy = [&](size_t from, size_t to, size_t bytes, size_t rows = 1, size_t stride = 0) {
    return message(CopyCommand{a.get(), from, b.get(), to, bytes, rows, stride, stride});
  };
  EXPECT_EQ(copy(8, 0, 8), "");
  EXPECT_EQ(copy(16, 8, 0), "");
  EXPECT_THAT(copy(9, 0, 8), HasSubstr("a copy of 8 bytes (1 rows) reads at 9 of a buffer of 16 bytes"));
  EXPECT_THAT(copy(0, 0, 9),
              HasSubstr("a copy of 9 bytes (1 rows) reads at 0 of a buffer of 16 bytes and writes at 0 of one of 8"));
  EXPECT_THAT(copy(17, 0, 0), HasSubstr("reads at 17"));
  EXPECT_NE(copy(SIZE_MAX, 0, 8), "");
  EXPECT_NE(copy(8, 0, SIZE_MAX), "");
  EXPECT_NE(copy(8, 4, SIZE_MAX - 4), "");
  EXPECT_THAT(copy(0, 0, 2, 2, 1), HasSubstr("has strides of 1 and 1")) << "rows overlap";
  EXPECT_NE(copy(0, 0, 2, 200, 2), "");

  const std::vector<std::byte> args(image.args_bytes), few(image.args_bytes / 2);
  EXPECT_THAT(message(LaunchCommand{kernel.get(), {}, few}),
              HasSubstr(fmt::format("takes {} bytes of arguments, not {}", args.size(), few.size())));
  for (const Grid& grid : {Grid{.x = 0}, Grid{.y = 0}, Grid{.z = 0}, Grid{.y = -1}})
    EXPECT_THAT(message(LaunchCommand{kernel.get(), grid, args}),
                HasSubstr(fmt::format("cannot be launched on {}x{}x{} workgroups", grid.x, grid.y, grid.z)));
  const CopyCommand good[] = {{a.get(), 0, b.get(), 0, 8}};
  EXPECT_TRUE(queue->Copy(good).ok());
  EXPECT_TRUE(queue->Wait().ok());
}

void TestRefusedKernels(Device& device, const KernelImage& kernel) {
  const auto message = [&](auto change) {
    KernelImage image = kernel;
    change(image);
    return device.LoadKernel(image).status().message();
  };
  EXPECT_EQ(message([](KernelImage&) {}), "");
  EXPECT_THAT(message([](KernelImage& image) { image.shared_bytes = 1 << 30; }),
              HasSubstr("needs 1073741824 bytes of shared memory"));
  if (device.info().backend != "emu") {  // whose workgroups have any size
    EXPECT_THAT(message([](KernelImage& image) { image.group_x = image.group_y = 1 << 12; }),
                HasSubstr("has workgroups of 4096x4096 work items"));
  }
  EXPECT_THAT(message([](KernelImage& image) { image.binaries = {}, image.sycl_source = "", image.emu = nullptr; }),
              AnyOf(HasSubstr("was not built for"), HasSubstr("was built neither for"), HasSubstr("no kernels for")));
}

/// The queue, kernels and memory of a device may outlive it.
void TestLifetime(std::unique_ptr<Device> device, const KernelImage& image) {
  const auto kernel = device->LoadKernel(image).value();
  const Copies c(*device);
  device.reset();
  const CopyCommand copies[] = {{c.upload.get(), 0, c.back.get(), 0, Copies::kBytes}};
  EXPECT_TRUE(c.queue->Copy(copies).ok());
  EXPECT_TRUE(c.queue->Wait().ok());
}

void TestThreads(Device& device) {
  std::array<Status, 4> statuses;
  std::vector<std::thread> threads;
  for (Status& status : statuses)
    threads.emplace_back([&] {
      for (int i = 0; i < 5 && status.ok(); ++i) status = RunInOrder(device);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : statuses) EXPECT_EQ(status.message(), "");
}

}  // namespace

void TestContract(const Backend& backend, int index, const KernelImage& kernel) {
  const auto open = [&] { return backend.open(index).value(); };
  EXPECT_EQ(open()->info().backend, backend.name);
  EXPECT_EQ(open()->info().index, index);
  TestMemory(*open());
  EXPECT_EQ(RunInOrder(*open()).message(), "");
  EXPECT_EQ(CopyRows(*open()).message(), "");
  EXPECT_EQ(WaitForMarks(*open()).message(), "");
  TestRefusedCommands(*open(), kernel);
  TestRefusedKernels(*open(), kernel);
  TestLifetime(open(), kernel);
  TestThreads(*open());
  for (const int wrong : {-1, 100}) {
    const Status status = backend.open(wrong).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), AnyOf(HasSubstr("this machine has"), HasSubstr("there is device 0 only")));
  }
}

void TestFork(const Backend& backend, int index) {
  const auto device = backend.open(index).value();
  const pid_t child = ::fork();
  if (child == 0) {
    const Status status = backend.open(index).status();
    ::_exit(status.code() == StatusCode::kNoDevice && status.message().find("was forked") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(CopyRows(*device).message(), "");
}

}  // namespace acutance
