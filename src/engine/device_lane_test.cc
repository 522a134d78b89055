// Sessions that use a device: the same scores as the CPU alone, also when the device fails.
#include "engine/device_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/emu/emu.h"
#include "base/temp_dir.h"
#include "engine/selftest.h"
#include "engine/session.h"

namespace acutance {
namespace {

Picture MakePicture(const PictureFormat& format, int frame, int noise) {
  const MutablePicture picture = AllocatePicture(format).value();
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const int sample = (x * 5 + y * 3 + frame * 7 + (x * y * noise) % 29) % (1 << format.bit_depth);
        std::byte* row = picture.data[p] + y * picture.stride[p];
        if (format.bit_depth == 8) reinterpret_cast<uint8_t*>(row)[x] = static_cast<uint8_t>(sample);
        else reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(sample);
      }
  return picture.Share();
}

/// What FlakyDevice does at its nth call.
struct Fault {
  enum Where { kNowhere, kAllocate, kCopy, kSubmit, kWait } where = kNowhere;
  int nth = 0;
  StatusCode code = StatusCode::kNoDevice;
};

/// The emulator, but for one call that fails, and all after it: a lost device stays lost.
class FlakyDevice : public Device {
 public:
  explicit FlakyDevice(Fault fault) : fault_(fault), inner_(OpenEmuDevice({}).value()) {}

  Status At(Fault::Where where) {
    if (where != fault_.where || calls_++ < fault_.nth) return {};
    return Error(fault_.code, "the device is lost");
  }

  const DeviceInfo& info() const override { return inner_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    ACU_RETURN_IF_ERROR(At(Fault::kAllocate));
    return inner_->Allocate(bytes, kind);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override { return inner_->LoadKernel(image); }
  Result<std::unique_ptr<Queue>> MakeQueue() override;
  Result<std::unique_ptr<Buffer>> ImportHost(std::span<const std::byte> memory) override {
    return inner_->ImportHost(memory);
  }

 private:
  const Fault fault_;
  std::atomic<int> calls_ = 0;
  const std::unique_ptr<Device> inner_;
};

class FlakyQueue : public Queue {
 public:
  FlakyQueue(FlakyDevice& device, std::unique_ptr<Queue> inner) : device_(device), inner_(std::move(inner)) {}
  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
    return inner_->Record(commands);
  }
  Status Submit(Recording& recording) override {
    ACU_RETURN_IF_ERROR(device_.At(Fault::kSubmit));
    return inner_->Submit(recording);
  }
  Status Copy(std::span<const CopyCommand> copies) override {
    ACU_RETURN_IF_ERROR(device_.At(Fault::kCopy));
    return inner_->Copy(copies);
  }
  Status Wait() override {
    ACU_RETURN_IF_ERROR(inner_->Wait());
    return device_.At(Fault::kWait);
  }

 private:
  FlakyDevice& device_;
  const std::unique_ptr<Queue> inner_;
};

Result<std::unique_ptr<Queue>> FlakyDevice::MakeQueue() {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Queue> queue, inner_->MakeQueue());
  return std::unique_ptr<Queue>(std::make_unique<FlakyQueue>(*this, std::move(queue)));
}

Fault g_fault;  // of the next device that kFlakyBackend opens

const Backend kFlakyBackend = {"emu", "the emulator with a fault",
                               [] {
                                 BackendProbe probe = kEmuBackend.probe();
                                 for (DeviceInfo& device : probe.devices) device.is_cpu = false;
                                 return probe;
                               },
                               [](int) -> Result<std::unique_ptr<Device>> {
                                 return std::unique_ptr<Device>(std::make_unique<FlakyDevice>(g_fault));
                               }};

const std::vector<FeatureRequest> kFeatures = {{"motion", {}},
                                               {"motion", {{"motion_five_frame_window", "true"}}},
                                               {"psnr", {{"enable_apsnr", "true"}}},
                                               {"vif", {}}};

std::unique_ptr<Session> Score(std::shared_ptr<DevicePicker> devices, const PictureFormat& format, int frames,
                               int distorted, int threads = 1, int subsample = 1) {
  SessionOptions options;
  options.features = kFeatures;
  options.threads = threads;
  options.subsample = subsample;
  options.distorted_count = distorted;
  options.devices = std::move(devices);
  std::unique_ptr<Session> session = Session::Create(std::move(options)).value();
  const Status started = session->Start(format);
  EXPECT_TRUE(started.ok()) << started.message();
  for (int i = 0; i < frames; ++i) {
    std::vector<Picture> pictures;
    for (int d = 0; d < distorted; ++d) pictures.push_back(MakePicture(format, i, d + 2));
    EXPECT_TRUE(session->Add(MakePicture(format, i, 0), std::move(pictures)).ok());
  }
  const Status flushed = session->Flush();
  EXPECT_TRUE(flushed.ok()) << flushed.message();
  return session;
}

std::shared_ptr<DevicePicker> Emu() {
  return std::make_shared<DevicePicker>(DeviceChoice{"emu", 0, {}}, CheckDeviceOnce);
}

std::shared_ptr<DevicePicker> Flaky(Fault fault) {
  g_fault = fault;
  static const Backend* const kBackends[] = {&kFlakyBackend};
  return std::make_shared<DevicePicker>(DeviceChoice{"auto", std::nullopt, {}}, CheckDeviceOnce, kBackends);
}

void ExpectSameTables(const Session& a, const Session& b, int distorted) {
  for (int d = 0; d < distorted; ++d) {
    ASSERT_EQ(a.scores(d).columns().size(), b.scores(d).columns().size());
    for (size_t c = 0; c < a.scores(d).columns().size(); ++c)
      EXPECT_EQ(a.scores(d).columns()[c].scores, b.scores(d).columns()[c].scores) << a.scores(d).columns()[c].stored;
    EXPECT_EQ(a.scores(d).aggregates(), b.scores(d).aggregates());
  }
}

const PictureFormat kFormats[] = {{64, 48, 8, PixelFormat::k420},
                                  {67, 49, 10, PixelFormat::k422},
                                  {33, 37, 16, PixelFormat::k444},
                                  {40, 36, 8, PixelFormat::k400}};

TEST(DeviceLane, ScoresAreThoseOfTheCpu) {
  for (const PictureFormat& format : kFormats)
    for (int frames : {1, 2, 3, 35}) {
      const auto cpu = Score(nullptr, format, frames, 1);
      const auto device = Score(Emu(), format, frames, 1);
      ASSERT_NE(device->device(), nullptr);
      EXPECT_THAT(device->warnings(), testing::IsEmpty());
      ExpectSameTables(*cpu, *device, 1);
    }
}

TEST(DeviceLane, ThreadsSubsamplingAndSeveralVideosChangeNothing) {
  const auto cpu = Score(nullptr, kFormats[0], 37, 3, 1, 3);
  for (int threads : {1, 3}) ExpectSameTables(*cpu, *Score(Emu(), kFormats[0], 37, 3, threads, 3), 3);
}

TEST(DeviceLane, ADeviceThatFailsHandsItsFramesToTheCpu) {
  const auto cpu = Score(nullptr, kFormats[0], 70, 2);
  for (Fault::Where where : {Fault::kCopy, Fault::kSubmit, Fault::kWait})
    for (int nth : {0, 1, 2, 6, 7, 9}) {
      const auto session = Score(Flaky({where, nth}), kFormats[0], 70, 2, 2);
      EXPECT_THAT(session->warnings(), testing::ElementsAre(testing::HasSubstr("the device is lost")));
      ExpectSameTables(*cpu, *session, 2);
    }
}

/// Three emulators that look like GPUs; the one of index `broken` fails at its `nth` submission.
int g_broken = -1, g_nth = 0;
const Backend kThreeGpus = {"emu", "emulators",
                            [] {
                              BackendProbe probe = kEmuBackend.probe();
                              probe.devices.resize(3, probe.devices[0]);
                              for (int i = 0; i < 3; ++i) probe.devices[i].index = i, probe.devices[i].is_cpu = false;
                              return probe;
                            },
                            [](int index) -> Result<std::unique_ptr<Device>> {
                              const Fault fault = index == g_broken ? Fault{Fault::kSubmit, g_nth} : Fault{};
                              return std::unique_ptr<Device>(std::make_unique<FlakyDevice>(fault));
                            }};

std::shared_ptr<DevicePicker> ThreeGpus(DeviceChoice choice) {
  static const Backend* const kBackends[] = {&kThreeGpus};
  return std::make_shared<DevicePicker>(
      std::move(choice), [](Device&) { return Status(); }, kBackends);
}

TEST(DeviceLane, SeveralDevicesAndTheCpuShareTheFrames) {
  const auto cpu = Score(nullptr, kFormats[0], 150, 1);
  const auto all = Score(ThreeGpus({"auto", std::nullopt, {}}), kFormats[0], 150, 1, 4);
  EXPECT_EQ(all->lanes().size(), 3u);
  ExpectSameTables(*cpu, *all, 1);
  const auto two = Score(ThreeGpus({"emu", 0, {}, {2}}), kFormats[0], 150, 1, 2);
  EXPECT_EQ(two->lanes().size(), 2u);
  ExpectSameTables(*cpu, *two, 1);
}

TEST(DeviceLane, WhenOneOfSeveralFailsTheOthersGoOn) {
  const auto cpu = Score(nullptr, kFormats[1], 120, 1);
  for (int nth : {0, 1}) {
    g_broken = 1, g_nth = nth;
    const auto session = Score(ThreeGpus({"emu", 0, {}, {1, 2}}), kFormats[1], 120, 1, 2);
    g_broken = -1;
    EXPECT_LE(session->warnings().size(), 1u);  // a device that gets no frame cannot fail
    ExpectSameTables(*cpu, *session, 1);
  }
}

TEST(DeviceLane, ADeviceThatIsNotThereIsAnError) {
  auto picker = ThreeGpus({"emu", 0, {}, {3}});
  EXPECT_TRUE(picker->NextGroup().empty());
  EXPECT_THAT(picker->notes(), testing::ElementsAre("emu: no device 3; there are 3"));
}

TEST(DeviceLane, MemoryIsLimited) {
  const PictureFormat format = {576, 324, 8, PixelFormat::k420};
  SessionOptions options;
  options.features = {{"motion", {}}};
  options.devices = ThreeGpus({"emu", 0, {}});
  const auto start = [&](std::optional<size_t> limit) {
    options.max_device_memory = limit;
    options.devices = ThreeGpus({"emu", 0, {}});
    auto session = Session::Create(options).value();
    const Status status = session->Start(format);
    return std::pair(std::move(session), status);
  };
  const auto [plenty, no_limit] = start(std::nullopt);
  ASSERT_TRUE(no_limit.ok());
  const size_t needed = plenty->lanes()[0]->memory_bytes();
  const auto [tight, half] = start(needed / 2);
  ASSERT_TRUE(half.ok());
  EXPECT_LE(tight->lanes()[0]->memory_bytes(), needed / 2);
  EXPECT_LT(tight->lanes()[0]->batch(), plenty->lanes()[0]->batch());
  EXPECT_THAT(start(1000).second.message(),
              testing::AllOf(testing::HasSubstr("needed for one frame pair"), testing::HasSubstr("0 MB are allowed")));
  EXPECT_GE(DefaultDeviceMemory({3840, 2160}), 1'000'000'000u);
  EXPECT_LE(DefaultDeviceMemory({3840, 2160}), 1'000'000'000u);
  EXPECT_GT(DefaultDeviceMemory({7680, 4320}), 3'900'000'000u);
}

TEST(DeviceLane, ADeviceWithoutMemoryIsPassedOver) {
  const auto cpu = Score(nullptr, kFormats[0], 3, 1);
  const auto session = Score(Flaky({Fault::kAllocate, 2, StatusCode::kOutOfMemory}), kFormats[0], 3, 1);
  EXPECT_EQ(session->device(), nullptr);
  EXPECT_THAT(session->warnings(), testing::ElementsAre(testing::HasSubstr("the device is lost")));
  ExpectSameTables(*cpu, *session, 1);
}

TEST(DeviceLane, AbandoningASessionEndsItsWork) {
  SessionOptions options;
  options.features = kFeatures;
  options.devices = Emu();
  auto session = Session::Create(std::move(options)).value();
  ASSERT_TRUE(session->Start(kFormats[0]).ok());
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(session->Add(MakePicture(kFormats[0], i, 0), {MakePicture(kFormats[0], i, 3)}).ok());
}

TEST(DevicePicker, ErrorsAreClear) {
  EXPECT_THAT(CheckDeviceChoice({"cud", std::nullopt, {}}).message(),
              testing::AllOf(testing::HasSubstr("no such backend 'cud'"), testing::HasSubstr("did you mean 'cuda'?")));
  EXPECT_FALSE(CheckDeviceChoice({"auto", 1, {}}).ok());
  DevicePicker picker({"emu", 7, {}}, CheckDeviceOnce);
  EXPECT_EQ(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), testing::ElementsAre("emu: no device 7; there are 1"));
}

TEST(DevicePicker, ADeviceThatFailsItsTestIsRefused) {
  DevicePicker picker({"emu", 0, {}}, [](Device&) { return Error(StatusCode::kBadData, "wrong sums"); });
  EXPECT_EQ(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), testing::ElementsAre("emu device 0: wrong sums"));
}

/// What `auto` may meet on its way: no driver, a device that does not open, one that computes wrong, one without
/// memory.
const Backend kAbsentBackend = {
    "absent", "no driver",
    [] {
      return BackendProbe{{}, "no driver; install it"};
    },
    [](int) -> Result<std::unique_ptr<Device>> { return Error(StatusCode::kNoDevice, "no driver; install it"); }};
const Backend kClosedBackend = {
    "closed", "a device that does not open",
    [] {
      return BackendProbe{{{.backend = "closed"}}, ""};
    },
    [](int) -> Result<std::unique_ptr<Device>> { return Error(StatusCode::kNoDevice, "its waves have 48 lanes"); }};

TEST(DevicePicker, AutoGoesOnToTheNextBackend) {
  static const Backend* const kBackends[] = {&kAbsentBackend, &kClosedBackend, &kFlakyBackend, &kFlakyBackend};
  g_fault = {};
  int opened = 0;
  const auto first_is_wrong = [&](Device&) {
    return ++opened == 1 ? Error(StatusCode::kBadData, "self-test failed: wrong sums") : Status();
  };
  DevicePicker picker({"auto", std::nullopt, {}}, first_is_wrong, kBackends);
  EXPECT_NE(picker.Next(), nullptr);
  EXPECT_EQ(opened, 2);
  EXPECT_THAT(picker.notes(),
              testing::ElementsAre("absent: no driver; install it", "closed device 0: its waves have 48 lanes",
                                   "emu device 0: self-test failed: wrong sums"));
}

TEST(DevicePicker, AutoEndsAtTheCpu) {
  static const Backend* const kBackends[] = {&kAbsentBackend, &kClosedBackend};
  const auto picker =
      std::make_shared<DevicePicker>(DeviceChoice{"auto", std::nullopt, {}}, CheckDeviceOnce, kBackends);
  const auto session = Score(picker, kFormats[0], 2, 1);
  EXPECT_EQ(session->device(), nullptr);
  ExpectSameTables(*Score(nullptr, kFormats[0], 2, 1), *session, 1);
}

/// Opens, and holds no kernel: its self-test fails at once.
class EmptyDevice : public FlakyDevice {
 public:
  EmptyDevice() : FlakyDevice({}) { info_.backend = "empty"; }
  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage&) override {
    return Error(StatusCode::kUnsupported, "no kernels");
  }

 private:
  DeviceInfo info_;
};

TEST(SelfTest, ABrokenCacheOnlyCostsTime) {
  const test::TempDir temporary;
  const std::filesystem::path folder = temporary / "cache";
  const auto check = [] { return CheckDeviceOnce(*std::make_unique<EmptyDevice>()); };
  const std::string key = SelfTestKey(EmptyDevice().info());
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  EXPECT_FALSE(check().ok()) << "no cache";
  std::filesystem::create_directories(folder / "acutance" / "selftest");
  EXPECT_FALSE(check().ok()) << "a folder in the file's place";
  std::filesystem::remove_all(folder / "acutance");
  std::ofstream(folder / "acutance") << "a file in the folder's place";
  EXPECT_FALSE(check().ok());
  std::filesystem::remove(folder / "acutance");
  std::filesystem::create_directories(folder / "acutance");
  std::ofstream(folder / "acutance" / "selftest") << std::string(1000, '\0') << "garbage\n" << key.substr(0, 20);
  EXPECT_FALSE(check().ok());
  std::ofstream(folder / "acutance" / "selftest", std::ios::app) << "\n" << key << "\n";
  EXPECT_TRUE(check().ok()) << "what passed before is believed";
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(SelfTest, TheEmulatorPassesAtEveryWaveSize) {
  for (int wave : {8, 64}) {
    const auto device = OpenEmuDevice({wave, 5}).value();
    const Status status = RunSelfTest(*device);
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(SelfTest, KeysTellBackendsAndDriversApart) {
  DeviceInfo info;
  info.backend = "cuda";
  info.driver = "1";
  const std::string key = SelfTestKey(info);
  info.driver = "2";
  EXPECT_NE(key, SelfTestKey(info));
}

}  // namespace
}  // namespace acutance
