#include "exec/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "exec/check_copy.h"

namespace acutance {
namespace {

using testing::HasSubstr;

struct TestArgs {
  uint64_t input;
  uint64_t table;
  uint64_t sums;
};

constexpr KernelImage kImage = {
    .kernel = "k", .variant = "v", .symbol = "k_v", .args_bytes = sizeof(TestArgs), .buffer_args = 3};

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
  Result<std::unique_ptr<Buffer>> ImportHost(std::span<const std::byte> memory) override;

  void RefuseImports() { refuse_imports_ = true; }
  int slow_submissions = 0;                 // of those to come
  int imports() const { return imports_; }  // so far
  int alive_imports() const { return alive_imports_; }
  const struct FakeBuffer* largest_device_buffer() const { return largest_; }

 private:
  friend struct FakeImport;
  bool refuse_imports_ = false;
  int imports_ = 0;
  int alive_imports_ = 0;
  struct FakeBuffer* largest_ = nullptr;
  const DeviceInfo info_ = {};
  const int fail_at_;
  int calls_ = 0;
};

struct FakeBuffer : Buffer {
  FakeBuffer(size_t bytes, MemoryKind kind_of) : memory(bytes, std::byte{0x33}), kind(kind_of) {}
  size_t bytes() const override { return memory.size(); }
  uint64_t address() const override { return reinterpret_cast<uint64_t>(memory.data()); }
  std::byte* host() const override { return kind == MemoryKind::kDevice ? nullptr : memory.data(); }

  mutable std::vector<std::byte> memory;
  const MemoryKind kind;
};

struct FakeImport : FakeBuffer {
  FakeImport(FakeDevice& owner, std::span<const std::byte> bytes)
      : FakeBuffer(bytes.size(), MemoryKind::kUpload), device(owner) {
    memory.assign(bytes.begin(), bytes.end());
    ++device.imports_, ++device.alive_imports_;
  }
  ~FakeImport() override { --device.alive_imports_; }

  FakeDevice& device;
};

struct FakeRecording : Recording {
  std::vector<Command> commands;
};

/// input[0] + table[0] of each launch goes to the first sum.
void Launch(const LaunchCommand& launch) {
  TestArgs args;
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
    for (const CopyCommand& copy : copies) {
      ACU_RETURN_IF_ERROR(CheckCopy(copy));
      CopyRows(copy);
    }
    return {};
  }
  Status Wait() override { return device_.Fail() ? FakeDevice::Failure() : Status(); }

 private:
  FakeDevice& device_;
};

Result<std::unique_ptr<Buffer>> FakeDevice::Allocate(size_t bytes, MemoryKind kind) {
  if (Fail()) return Failure();
  auto buffer = std::make_unique<FakeBuffer>(bytes, kind);
  if (kind == MemoryKind::kDevice && (!largest_ || bytes > largest_->bytes())) largest_ = buffer.get();
  return std::unique_ptr<Buffer>(std::move(buffer));
}

Result<std::unique_ptr<Buffer>> FakeDevice::ImportHost(std::span<const std::byte> memory) {
  if (refuse_imports_) return Device::ImportHost(memory);
  return std::unique_ptr<Buffer>(std::make_unique<FakeImport>(*this, memory));
}

Result<std::unique_ptr<Queue>> FakeDevice::MakeQueue() {
  if (Fail()) return Failure();
  return std::unique_ptr<Queue>(std::make_unique<FakeQueue>(*this));
}

constexpr PictureFormat kFormat = {.width = 3, .height = 2, .pixel_format = PixelFormat::k400};

Plan MakePlan(PlanInput input, uint8_t table_value) {
  Plan plan(2);
  plan.AddScratch("scratch", 100);
  const BufferRef table = plan.AddTable("table", {std::byte{table_value}});
  const TestArgs args = {.input = plan.Input(input), .table = table, .sums = plan.Sums()};
  EXPECT_TRUE(plan.AddLaunch(kImage, {}, args, "none").ok());
  return plan;
}

Picture MakePicture(uint8_t value) {
  const MutablePicture picture = *AllocatePicture(kFormat);
  std::memset(picture.data[0], value, 3);
  return picture.Share();
}

Result<std::unique_ptr<PlanRunner>> MakeRunner(Device& device, int history) {
  std::vector<Plan> plans = {MakePlan(PlanInput::kReferenceY, 10), MakePlan(PlanInput::kDistortedY, 20)};
  return PlanRunner::Make(device, std::move(plans), MakePlanContext(kFormat, 2, history, ""), {.poison = true});
}

TEST(PlanRunner, RunsSeveralPlansOnOneUpload) {
  FakeDevice device;
  const auto runner = MakeRunner(device, 0);
  ASSERT_TRUE(runner.ok()) << runner.status().message();
  for (const uint8_t value : {1, 100}) {
    const Picture reference = MakePicture(value), distorted = MakePicture(value + 5);
    const Picture* references[] = {&reference};
    const Picture* distorteds[] = {&distorted};
    ASSERT_TRUE(runner.value()->Run(references, distorteds).ok());
    EXPECT_EQ(runner.value()->Sums(0, 0)[0], value + 10);
    EXPECT_EQ(runner.value()->Sums(1, 0)[0], value + 5 + 20);
    EXPECT_EQ(runner.value()->Sums(1, 0)[1], static_cast<int64_t>(0xA7A7A7A7A7A7A7A7)) << "nobody wrote it: poison";
  }
}

TEST(PlanRunner, TwoAreInFlightOnOneDevice) {
  FakeDevice device;
  const auto a = MakeRunner(device, 0), b = MakeRunner(device, 0);
  const Picture bright = MakePicture(200), dark = MakePicture(1);
  const Picture* brights[] = {&bright};
  const Picture* darks[] = {&dark};
  ASSERT_TRUE(a.value()->Start(brights, darks).ok());
  ASSERT_TRUE(b.value()->Start(darks, brights).ok());
  EXPECT_THAT(a.value()->Start(brights, darks).message(), HasSubstr("still running"));
  ASSERT_TRUE(a.value()->Wait().ok());
  ASSERT_TRUE(b.value()->Wait().ok());
  EXPECT_EQ(a.value()->Sums(0, 0)[0], 210);
  EXPECT_EQ(b.value()->Sums(0, 0)[0], 11);
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
  const Picture* good[] = {&picture};
  const Picture* bad[] = {nullptr, &small};
  const Picture* many[] = {&picture, &picture, &picture, &picture};
  EXPECT_THAT(runner.value()->Run(bad, good).message(), HasSubstr("2x2 samples was given where the plan reads 3x2"));
  EXPECT_THAT(runner.value()->Run(many, good).message(), HasSubstr("4 pictures are too many for a batch of 2"));
}

/// Frames of kWide in memory as a file would hold them, `gap` bytes apart.
class Region {
 public:
  Region(const PictureFormat& format, int frames, size_t gap) : format_(format) {
    const size_t plane = static_cast<size_t>(format.width) * format.height;
    stride_ = plane + gap;
    bytes_ = std::make_shared<std::vector<std::byte>>((stride_ * frames + 4095) / 4096 * 4096);  // whole pages
    for (int i = 0; i < frames; ++i) std::memset(bytes_->data() + i * stride_, i + 1, plane);
  }
  Picture Frame(int i) const {
    Picture picture{.format = format_, .planes = {}, .memory = bytes_, .region = *bytes_};
    picture.planes[0] = {bytes_->data() + i * stride_, format_.width, format_.width, format_.height};
    return picture;
  }

 private:
  const PictureFormat format_;
  size_t stride_;
  std::shared_ptr<std::vector<std::byte>> bytes_;
};

/// Reads all that a plan's picture has, so that every byte of an upload counts.
int64_t RunInPlace(FakeDevice& device, HostImports& imports, const PictureFormat& format, const Region& region) {
  std::vector<Plan> plans = {MakePlan(PlanInput::kReferenceY, 0)};
  const auto runner =
      PlanRunner::Make(device, std::move(plans), MakePlanContext(format, 3, 1, ""), {.imports = &imports});
  std::vector<Picture> frames;
  for (int i = 0; i < 4; ++i) frames.push_back(region.Frame(i));
  const Picture* pictures[] = {&frames[0], &frames[1], &frames[2], &frames[3]};
  EXPECT_TRUE(runner.value()->Run(pictures, {}).ok());
  const std::vector<std::byte>& uploaded = device.largest_device_buffer()->memory;
  int64_t wrong = 0;
  const size_t plane = static_cast<size_t>(format.width) * format.height;
  for (size_t i = 0; i < 4 * plane; ++i) wrong += uploaded[i] != static_cast<std::byte>(i / plane + 1);
  return wrong;
}

TEST(PlanRunner, ReadsPicturesWhereTheyLie) {
  constexpr PictureFormat kWide = {.width = 3840, .height = 2160, .pixel_format = PixelFormat::k400};
  for (const size_t gap : {size_t{0}, size_t{6}, size_t{3840} * 1080}) {  // yuv 4:0:0, y4m 4:0:0, yuv 4:2:0
    FakeDevice device;
    HostImports imports(device);
    EXPECT_EQ(RunInPlace(device, imports, kWide, Region(kWide, 4, gap)), 0) << gap;
    EXPECT_GE(device.imports(), 2) << "the pictures reach over several windows";
    EXPECT_EQ(device.alive_imports(), 0);
  }
}

TEST(PlanRunner, CopiesWhatTheDeviceIsNotLetInto) {
  constexpr PictureFormat kSmall = {.width = 64, .height = 9, .pixel_format = PixelFormat::k400};
  constexpr PictureFormat kNarrow = {.width = 63, .height = 9, .pixel_format = PixelFormat::k400};
  FakeDevice device;
  device.RefuseImports();
  HostImports imports(device);
  EXPECT_TRUE(imports.IsWorthIt());
  EXPECT_EQ(RunInPlace(device, imports, kSmall, Region(kSmall, 4, 7)), 0);
  EXPECT_FALSE(imports.IsWorthIt());
  FakeDevice other;
  HostImports unused(other);
  const Region narrow(kNarrow, 4, 0);
  std::vector<Plan> plans = {MakePlan(PlanInput::kReferenceY, 0)};
  const auto runner =
      PlanRunner::Make(other, std::move(plans), MakePlanContext(kNarrow, 1, 0, ""), {.imports = &unused});
  const Picture frame = narrow.Frame(2);
  const Picture* pictures[] = {&frame};
  ASSERT_TRUE(runner.value()->Run(pictures, {}).ok());
  EXPECT_EQ(runner.value()->Sums(0, 0)[0], 3);
  EXPECT_EQ(other.imports(), 0) << "rows with gaps on the device are copied by the host";
}

TEST(HostImports, TheQuickerWayStays) {
  for (const bool in_place_is_quick : {false, true}) {
    FakeDevice device;
    HostImports imports(device);
    for (int i = 0; i < 40; ++i) {
      const bool in_place = imports.IsWorthIt();
      EXPECT_TRUE(i <= 20 || in_place == in_place_is_quick);
      imports.Report(in_place, 1000, in_place == in_place_is_quick ? 1 : 2);
    }
  }
}

TEST(PlanRunner, ReportsEveryFailure) {
  const Picture picture = MakePicture(1);
  const Picture* pictures[] = {&picture};
  const auto run = [&](FakeDevice& device) {
    auto runner = MakeRunner(device, 0);
    return runner.ok() ? runner.value()->Run(pictures, pictures) : runner.status();
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
