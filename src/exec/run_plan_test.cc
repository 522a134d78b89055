#include "exec/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "exec/device_checks.h"

namespace acutance {
namespace {

using testing::HasSubstr;

struct SumArgs {
  uint64_t input;
  uint64_t table;
  uint64_t sums;
};

constexpr KernelImage kSumImage = {
    .kernel = "k", .variant = "v", .symbol = "k_v", .args_bytes = sizeof(SumArgs), .buffer_args = 3};

/// Host memory in place of a device; copies run, launches add one to the first sum. The `fail_at`th call fails.
class FakeDevice : public Device {
 public:
  explicit FakeDevice(int fail_at = -1) : fail_at_(fail_at) {}

  int calls() const { return calls_; }
  bool Fail() { return calls_++ == fail_at_; }
  static Status Failure() { return {StatusCode::kOutOfMemory, "the fake device failed"}; }

  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override;
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage&) override {
    if (Fail()) return Failure();
    return std::make_unique<Kernel>();
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override;

  std::atomic<int> slow_submissions = 0;  // of those to come
  bool copies_fail = false;               // after they have begun
  std::set<const Buffer*> read;           // by them, until the queue is waited for

 private:
  const DeviceInfo info_ = {};
  const int fail_at_;
  std::atomic<int> calls_ = 0;  // two runners of a test share the device
};

struct FakeBuffer : Buffer {
  FakeBuffer(FakeDevice& of, size_t bytes, MemoryKind kind_of)
      : device(of), memory(bytes, std::byte{0x33}), kind(kind_of) {}
  ~FakeBuffer() override { EXPECT_FALSE(device.read.contains(this)) << "freed while the device reads it"; }
  size_t bytes() const override { return memory.size(); }
  uint64_t address() const override { return reinterpret_cast<uint64_t>(memory.data()); }
  std::byte* host() const override { return kind == MemoryKind::kDevice ? nullptr : memory.data(); }

  FakeDevice& device;
  mutable std::vector<std::byte> memory;
  const MemoryKind kind;
};

struct FakeRecording : Recording {
  std::vector<Command> commands;
};

/// input[0] + table[0] of each launch goes to the first sum.
void Launch(const LaunchCommand& launch) {
  SumArgs args;
  std::memcpy(&args, launch.args.data(), sizeof(args));
  const int64_t sum = *reinterpret_cast<const uint8_t*>(args.input) + *reinterpret_cast<const uint8_t*>(args.table);
  *reinterpret_cast<int64_t*>(args.sums) = sum;
}

void CopyRows(const CopyCommand& copy) {
  std::byte* to = static_cast<const FakeBuffer*>(copy.to)->memory.data() + copy.to_offset;
  const std::byte* from = static_cast<const FakeBuffer*>(copy.from)->memory.data() + copy.from_offset;
  for (size_t row = 0; row < copy.rows; ++row)
    std::memcpy(to + row * copy.to_stride, from + row * copy.from_stride, copy.bytes);
}

class FakeQueue : public Queue {
 public:
  explicit FakeQueue(FakeDevice& device) : device_(device) {}

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
    if (device_.Fail()) return FakeDevice::Failure();
    auto recording = std::make_unique<FakeRecording>();
    recording->commands.assign(commands.begin(), commands.end());
    return std::unique_ptr<Recording>(std::move(recording));
  }
  Status Submit(Recording& recording) override {
    if (device_.Fail()) return FakeDevice::Failure();
    if (device_.slow_submissions-- > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (const Command& command : static_cast<FakeRecording&>(recording).commands) {
      if (const auto* copy = std::get_if<CopyCommand>(&command)) CopyRows(*copy);
      else Launch(std::get<LaunchCommand>(command));
    }
    return {};
  }
  Status Copy(std::span<const CopyCommand> copies) override {
    if (device_.Fail()) return FakeDevice::Failure();
    if (device_.copies_fail) {
      for (const CopyCommand& copy : copies) device_.read.insert(copy.from);
      return FakeDevice::Failure();
    }
    for (const CopyCommand& copy : copies) {
      ACU_RETURN_IF_ERROR(CheckCopy(copy));
      CopyRows(copy);
    }
    return {};
  }
  Status Wait() override {
    device_.read.clear();
    return device_.Fail() ? FakeDevice::Failure() : Status();
  }

 private:
  FakeDevice& device_;
};

Result<std::unique_ptr<Buffer>> FakeDevice::Allocate(size_t bytes, MemoryKind kind) {
  if (Fail()) return Failure();
  return std::unique_ptr<Buffer>(std::make_unique<FakeBuffer>(*this, bytes, kind));
}

Result<std::unique_ptr<Queue>> FakeDevice::MakeQueue() {
  if (Fail()) return Failure();
  return std::unique_ptr<Queue>(std::make_unique<FakeQueue>(*this));
}

constexpr PictureFormat kFormat = {.width = 3, .height = 2, .pixel_format = PixelFormat::k400};

PlanContext MakeContext(int history) {
  PlanContext context;
  context.format = kFormat;
  context.frames = 2;
  context.history = {history, 0};
  context.inputs = {{Video::kReference, 0, "", kFormat}, {Video::kDistorted, 0, "", kFormat}};
  return context;
}

Plan MakePlan(const PlanContext& context, Video video, uint8_t table_value) {
  Plan plan(context, context.frames, 2);
  plan.AddScratch("scratch", 100);
  const BufferRef table = plan.AddTable("table", std::vector{std::byte{table_value}});
  const SumArgs args = {.input = context.Input(video).data, .table = table, .sums = plan.Sums()};
  EXPECT_TRUE(plan.AddLaunch(kSumImage, {}, args, "none").ok());
  return plan;
}

Picture MakePicture(uint8_t value) {
  const MutablePicture picture = *AllocatePicture(kFormat);
  std::memset(picture.data[0], value, 3);
  return picture.Share();
}

Result<std::unique_ptr<PlanRunner>> MakeRunner(Device& device, int history) {
  const PlanContext context = MakeContext(history);
  std::vector<Plan> plans = {MakePlan(context, Video::kReference, 10), MakePlan(context, Video::kDistorted, 20)};
  return PlanRunner::Make(device, std::move(plans), context, {.poison = true});
}

TEST(PlanRunner, RunsSeveralPlansOnOneUpload) {
  FakeDevice device;
  const auto runner = MakeRunner(device, 0);
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  for (const uint8_t value : {1, 100}) {
    const Picture reference = MakePicture(value), distorted = MakePicture(value + 5);
    ASSERT_TRUE(runner.value()->Run({{&reference}, {&distorted}}).ok());
    EXPECT_EQ(runner.value()->Sums(0, 0)[0], value + 10);
    EXPECT_EQ(runner.value()->Sums(1, 0)[0], value + 5 + 20);
    EXPECT_EQ(runner.value()->Sums(1, 0)[1], static_cast<int64_t>(0xA7A7A7A7A7A7A7A7)) << "never written: poison";
  }
}

TEST(PlanRunner, TwoAreInFlightOnOneDevice) {
  FakeDevice device;
  const auto a = MakeRunner(device, 0), b = MakeRunner(device, 0);
  const Picture bright = MakePicture(200), dark = MakePicture(1);
  ASSERT_TRUE(a.value()->Start({{&bright}, {&dark}}).ok());
  ASSERT_TRUE(b.value()->Start({{&dark}, {&bright}}).ok());
  EXPECT_THAT(a.value()->Start({{&bright}, {&dark}}).message(), HasSubstr("still running"));
  ASSERT_TRUE(a.value()->Wait().ok());
  ASSERT_TRUE(b.value()->Wait().ok());
  EXPECT_EQ(a.value()->Sums(0, 0)[0], 210);
  EXPECT_EQ(b.value()->Sums(0, 0)[0], 11);
}

/// The oldest picture of the history plus the number of frames before the clip.
Result<std::unique_ptr<PlanRunner>> MakeRunnerOfHistory(Device& device, int history) {
  const PlanContext context = MakeContext(history);
  Plan plan(context, context.frames, 1);
  const SumArgs args = {
      .input = context.Input(Video::kReference, 0, history).data, .table = plan.BeforeClip(), .sums = plan.Sums()};
  EXPECT_TRUE(plan.AddLaunch(kSumImage, {}, args, "none").ok());
  return PlanRunner::Make(device, {plan}, context, {});
}

// A runner copies pictures from the one before, which may have to copy them itself first.
TEST(PlanRunner, ForwardsHistoryPicturesOfBatchesShorterThanTheHistory) {
  FakeDevice device;
  const Picture pictures[] = {MakePicture(10), MakePicture(20), MakePicture(30)};
  std::unique_ptr<PlanRunner> runners[3];
  for (auto& runner : runners) runner = MakeRunnerOfHistory(device, 2).value();
  for (auto& runner : runners) {
    ASSERT_TRUE(runner->BeginBatch().ok());
    if (&runner != &runners[2]) runner->KeepPictures();
  }
  const auto start = [&](int i) {
    const Status status =
        runners[i]->Start({{nullptr, nullptr, &pictures[i]}, {}}, i > 0 ? runners[i - 1].get() : nullptr);
    EXPECT_TRUE(status.ok()) << status.message();
  };
  std::thread second(start, 1), third(start, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  start(0);
  second.join();
  third.join();
  for (auto& runner : runners) static_cast<void>(runner->Wait());
  EXPECT_EQ(runners[0]->Sums(0, 0)[0], 0 + 2);
  EXPECT_EQ(runners[1]->Sums(0, 0)[0], 0 + 1);
  EXPECT_EQ(runners[2]->Sums(0, 0)[0], 10 + 0);
}

TEST(PlanRunner, TimesAreAboveZero) {
  FakeDevice device;
  const auto runner = MakeRunner(device, 0);
  device.slow_submissions = 5;  // all of one batch, none of many
  EXPECT_GT(runner.value()->TimeLaunches().value(), 0);
}

TEST(PlanRunner, RefusesPicturesThatDoNotFit) {
  FakeDevice device;
  const auto runner = MakeRunner(device, 1);
  const Picture picture = MakePicture(1);
  Picture small = picture;
  small.planes[0].width = 2;
  EXPECT_THAT(runner.value()->Run({{nullptr, &small}, {&picture}}).message(),
              HasSubstr("2x2 samples was given where the plan reads 3x2"));
  EXPECT_THAT(runner.value()->Run({{&picture, &picture, &picture, &picture}, {&picture}}).message(),
              HasSubstr("4 pictures are too many for a batch with room for 3"));
}

TEST(PlanRunner, FreesNothingThatACopyReads) {
  FakeDevice device;
  device.copies_fail = true;
  EXPECT_EQ(MakeRunner(device, 0).status().message(), "the fake device failed");
}

TEST(PlanRunner, ReportsEveryFailure) {
  const Picture picture = MakePicture(1);
  const auto run = [&](FakeDevice& device) {
    auto runner = MakeRunner(device, 0);
    return runner.ok() ? runner.value()->Run({{&picture}, {&picture}}) : runner.status();
  };
  FakeDevice good;
  ASSERT_TRUE(run(good).ok());
  ASSERT_GT(good.calls(), 15);
  for (int i = 0; i < good.calls(); ++i) {
    FakeDevice device(i);
    EXPECT_EQ(run(device).message(), "the fake device failed") << "call " << i;
  }
}

}  // namespace
}  // namespace acutance
