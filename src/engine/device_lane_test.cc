// Sessions that use a device: the same scores as the CPU alone, also when the device fails.
#include "engine/device_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "backend/emu/emu.h"
#include "base/temp_dir.h"
#include "devices/testing/flaky_device.h"
#include "engine/testing/score_video.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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
                                               {"vif", {{"vif_enhn_gain_limit", "1.0"}}},
                                               {"adm", {{"adm_enhn_gain_limit", "1.0"}}},
                                               {"float_motion", {}}};

/// VIF, ADM and motion, with motion's logic over time.
ModelRequest DefaultModel() { return {std::make_shared<const Model>(LoadBuiltinModel("vmaf_v0.6.1", "").value()), {}}; }

std::unique_ptr<Session> Score(std::shared_ptr<DevicePicker> devices, const PictureFormat& format, int frames,
                               int distorted, int threads = 1, int subsample = 1, int least_bit_depth = 0) {
  SessionSpec spec = {.models = {DefaultModel()},
                      .features = kFeatures,
                      .threads = threads,
                      .subsample = subsample,
                      .distorted_count = distorted,
                      .format = format,
                      .devices = std::move(devices)};
  spec.models[0].least_bit_depth = least_bit_depth;
  return ScoreVideo(std::move(spec), frames,
                    [&](int frame, int video) { return Frame(format, frame, video == 0 ? 0 : video + 1); });
}

std::shared_ptr<DevicePicker> Flaky(Fault fault) {
  g_fault = fault;
  static const Backend* const kBackends[] = {&kFlakyBackend};
  return std::make_shared<DevicePicker>(DeviceChoice{"auto", std::nullopt, {}}, kBackends);
}

void ExpectSameLogs(const Session& a, const Session& b, int distorted) {
  for (int d = 0; d < distorted; ++d) {
    for (const LogFormat& format : LogFormats())
      EXPECT_EQ(LogOf(a, d, format), LogOf(b, d, format)) << format.name << " of video " << d;
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
      EXPECT_THAT(device->warnings(), IsEmpty());
      ExpectSameLogs(*cpu, *device, 1);
    }
}

TEST(DeviceLane, ThreadsSubsamplingAndSeveralVideosChangeNothing) {
  const auto cpu = Score(nullptr, kFormats[0], 37, 3, 1, 3);
  for (int threads : {1, 3}) ExpectSameLogs(*cpu, *Score(Emu(), kFormats[0], 37, 3, threads, 3), 3);
}

// The model's metrics read expanded pictures, the others the videos' own.
TEST(DeviceLane, ExpandsPicturesThatMetricsReadWithMoreBits) {
  for (const PictureFormat& format : {kFormats[0], kFormats[1]})
    for (const int depth : {10, 12, 16}) {
      SCOPED_TRACE(fmt::format("{} bits to {}", format.bit_depth, depth));
      const auto cpu = Score(nullptr, format, 20, 2, 1, 1, depth);
      const auto device = Score(Emu(), format, 20, 2, 1, 1, depth);
      EXPECT_FALSE(device->RunsOnCpu());
      EXPECT_THAT(device->warnings(), IsEmpty());
      ExpectSameLogs(*cpu, *device, 2);
    }
}

constexpr PictureFormat kTiny = {40, 34, 8, PixelFormat::k420};

/// The faults of a device at work.
constexpr Fault kTroubles[] = {{Fault::kCopy, 0, StatusCode::kIo, false},
                               {Fault::kSubmit, 0, StatusCode::kIo, false},  // a refused launch
                               {Fault::kWait, 0, StatusCode::kIo, true},     // a lost device
                               {Fault::kSubmit, 0, StatusCode::kIo, true}};

/// Copies and waits of four slots before the first frame.
int CallsBefore(const Fault& fault) { return fault.where == Fault::kSubmit ? 0 : 4; }

TEST(DeviceLane, ADeviceThatFailsHandsItsFramesToTheCpu) {
  const auto cpu = Score(nullptr, kTiny, 70, 3);
  for (Fault fault : kTroubles)
    for (int nth : {0, 2, 4}) {
      SCOPED_TRACE(fmt::format("call {} of kind {}", nth, static_cast<int>(fault.where)));
      fault.nth = CallsBefore(fault) + nth;
      const auto session = Score(Flaky(fault), kTiny, 70, 3, 2);
      EXPECT_THAT(session->warnings(),
                  ElementsAre(AllOf(HasSubstr("emu device 0 (emulation on the CPU) failed: "),
                                    HasSubstr("failed as told"), HasSubstr("scores do not change"))));
      ExpectSameLogs(*cpu, *session, 3);
    }
}

TEST(DeviceLane, ALaunchThatDoesNotRunIsAFailure) {
  const auto cpu = Score(nullptr, kTiny, 70, 3);
  for (const Fault::Kind kind : {Fault::kDrop, Fault::kHalf})
    for (int nth : {0, 2, 4}) {
      SCOPED_TRACE(fmt::format("submission {}, kind {}", nth, static_cast<int>(kind)));
      const auto session =
          Score(Flaky({.where = Fault::kSubmit, .nth = nth, .lasts = false, .kind = kind}), kTiny, 70, 3);
      EXPECT_THAT(session->warnings(), ElementsAre(HasSubstr("a kernel did not run or did not end")));
      ExpectSameLogs(*cpu, *session, 3);
    }
}

/// The device briefly lacks memory, because of another program.
TEST(DeviceLane, ADeviceThatLacksMemoryTriesAgainWithSmallerBatches) {
  const auto cpu = Score(nullptr, kTiny, 200, 1);
  const int batch = Score(Emu(), kTiny, 1, 1)->lanes()[0]->batch();
  for (const Fault::Where where : {Fault::kCopy, Fault::kSubmit})
    for (int times : {1, 2}) {
      Fault fault = {.where = where, .code = StatusCode::kOutOfMemory, .lasts = false, .calls = times};
      fault.nth = CallsBefore(fault) + 1;
      const auto session = Score(Flaky(fault), kTiny, 200, 1, 2);
      const std::vector<std::string> warnings = session->warnings();
      EXPECT_THAT(warnings, testing::Each(HasSubstr("failed as told; it tries again with smaller batches")));
      EXPECT_GE(warnings.size(), 1u);
      EXPECT_LE(session->lanes()[0]->batch(), batch / 2) << "it stays with the device";
      ExpectSameLogs(*cpu, *session, 1);
    }
}

TEST(DeviceLane, ADeviceThatLacksMemoryForGoodIsLeft) {
  const auto cpu = Score(nullptr, kTiny, 70, 1);
  const auto session =
      Score(Flaky({.where = Fault::kSubmit, .nth = 1, .code = StatusCode::kOutOfMemory}), kTiny, 70, 1, 2);
  const std::vector<std::string> warnings = session->warnings();
  ASSERT_EQ(warnings.size(), DeviceLane::kMostRetries + 1u);
  EXPECT_THAT(warnings.back(), HasSubstr("its frames go to other devices or the CPU"));
  ExpectSameLogs(*cpu, *session, 1);
}

constexpr Fault kHang = {.where = Fault::kWait, .nth = 5, .kind = Fault::kHang};  // the second batch

double SecondsOf(const std::function<void()>& what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(DeviceLane, ADeviceThatHangsIsGivenUp) {
  const auto cpu = Score(nullptr, kTiny, 70, 1);
  ::setenv("ACUTANCE_DEVICE_TIMEOUT", "0.2", 1);
  std::unique_ptr<Session> session;
  EXPECT_LT(SecondsOf([&] { session = Score(Flaky(kHang), kTiny, 70, 1, 2); }), 10);
  ::unsetenv("ACUTANCE_DEVICE_TIMEOUT");
  EXPECT_THAT(session->warnings(), ElementsAre(HasSubstr("hangs as told")));
  ExpectSameLogs(*cpu, *session, 1);
}

/// A session whose device hangs, with frames in flight.
std::unique_ptr<Session> Hanging() {
  auto session = OpenSession({.features = kFeatures, .format = kTiny, .devices = Flaky(kHang)});
  AddFrames(*session, kTiny, 20);
  return session;
}

TEST(DeviceLane, ASessionEndsSoonThoughItsDeviceHangs) {
  std::unique_ptr<Session> session = Hanging();
  EXPECT_LT(SecondsOf([&] { session.reset(); }), 5);
}

TEST(DeviceLane, CancelEndsAWaitForADeviceThatHangs) {
  std::unique_ptr<Session> session = Hanging();
  std::thread cancel([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    session->Cancel();
  });
  Status status;
  EXPECT_LT(SecondsOf([&] { status = session->Flush(); }), 5);
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  cancel.join();
  EXPECT_EQ(session->Add(Frame(kTiny, 20, 0), {Frame(kTiny, 20, 3)}).ok(), false);
}

/// The second batch stalls while the finishing thread is at the first, and waits for no other after that.
TEST(DeviceLane, NothingIsFreedWhileABatchStalls) {
  std::atomic<bool> blocked = false;
  auto session = OpenSession(
      {.features = kFeatures,
       .format = kTiny,
       .devices =
           Flaky({.where = Fault::kSubmit, .nth = 1, .lasts = false, .kind = Fault::kStall, .blocked = &blocked})});
  const int frames = 2 * session->lanes()[0]->batch();
  AddFrames(*session, kTiny, frames);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_LT(SecondsOf([&] { session.reset(); }), 5);
  EXPECT_FALSE(blocked);
}

TEST(DeviceLane, ASlowDeviceIsNotGivenUp) {
  const auto cpu = Score(nullptr, kTiny, 20, 1);
  const auto session = Score(Flaky({.where = Fault::kWait, .nth = 4, .kind = Fault::kSlow, .calls = 3}), kTiny, 20, 1);
  EXPECT_THAT(session->warnings(), IsEmpty());
  ExpectSameLogs(*cpu, *session, 1);
}

TEST(DeviceLane, WrongBitsAreFoundByVerifying) {
  for (const bool is_wrong : {false, true}) {
    const auto session = OpenSession(
        {.features = kFeatures,
         .format = kTiny,
         .devices = Flaky(is_wrong ? Fault{.where = Fault::kSubmit, .nth = 0, .kind = Fault::kBitFlip} : Fault()),
         .verify = 3});
    Status status;
    for (int i = 0; i < 20 && status.ok(); ++i) status = session->Add(Frame(kTiny, i, 0), {Frame(kTiny, i, 3)});
    if (status.ok()) status = session->Flush();
    if (is_wrong) EXPECT_THAT(status.message(), HasSubstr("computed something else than the CPU"));
    else EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(DeviceLane, AWarningComesWhenItHappens) {
  std::atomic<int> heard = 0;
  const auto session = OpenSession({.features = kFeatures,
                                    .format = kTiny,
                                    .devices = Flaky({.where = Fault::kSubmit, .code = StatusCode::kIo}),
                                    .on_warning = [&](const std::string&) { ++heard; }});
  AddFrames(*session, kTiny, 1);
  for (int i = 0; i < 500 && heard == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(heard, 1);
}

TEST(DeviceLane, ADeviceThatFailsWhileItIsPreparedIsSkipped) {
  const auto cpu = Score(nullptr, kTiny, 3, 2);
  for (const Fault::Where where : {Fault::kCopy, Fault::kWait})
    for (int nth : {0, 3}) {
      const auto session = Score(Flaky({where, nth}), kTiny, 3, 2);
      EXPECT_THAT(session->warnings(), ElementsAre("emu device 0: the device failed as told"));
      EXPECT_TRUE(session->lanes().empty());
      ExpectSameLogs(*cpu, *session, 2);
    }
}

/// Three emulators that look like GPUs, with their faults.
Fault g_faults[3];
const Backend kThreeGpus = {"emu", "emulators",
                            [] {
                              BackendProbe probe = kEmuBackend.probe();
                              probe.devices.resize(3, probe.devices[0]);
                              for (int i = 0; i < 3; ++i) probe.devices[i].index = i, probe.devices[i].is_cpu = false;
                              return probe;
                            },
                            [](int index) -> Result<std::unique_ptr<Device>> {
                              return std::unique_ptr<Device>(std::make_unique<FlakyDevice>(g_faults[index]));
                            }};

std::shared_ptr<DevicePicker> ThreeGpus(DeviceChoice choice) {
  static const Backend* const kBackends[] = {&kThreeGpus};
  return std::make_shared<DevicePicker>(std::move(choice), kBackends);
}

TEST(DeviceLane, SeveralDevicesAndTheCpuShareTheFrames) {
  const auto cpu = Score(nullptr, kFormats[0], 150, 1);
  const auto all = Score(ThreeGpus({"auto", std::nullopt, {}}), kFormats[0], 150, 1, 4);
  EXPECT_EQ(all->lanes().size(), 3u);
  ExpectSameLogs(*cpu, *all, 1);
  const auto two = Score(ThreeGpus({"emu", 0, {}, {2}}), kFormats[0], 150, 1, 2);
  EXPECT_EQ(two->lanes().size(), 2u);
  ExpectSameLogs(*cpu, *two, 1);
}

TEST(DeviceLane, WhenOneOfSeveralFailsTheOthersContinue) {
  const auto cpu = Score(nullptr, kTiny, 70, 2);
  for (Fault fault : kTroubles) {
    std::atomic<bool> failed = false;
    fault.nth = CallsBefore(fault) + 1;
    fault.failed = &failed;
    g_faults[0] = {.failed = &failed};
    g_faults[1] = fault;
    const auto session = Score(ThreeGpus({"emu", 0, {}, {1}}), kTiny, 70, 2, 2);
    EXPECT_THAT(session->warnings(), ElementsAre(HasSubstr("failed as told")));
    ExpectSameLogs(*cpu, *session, 2);
  }
  g_faults[0] = g_faults[1] = {};
}

TEST(DeviceLane, WhenAllFailTheCpuContinues) {
  const auto cpu = Score(nullptr, kTiny, 70, 2);
  for (Fault fault : kTroubles) {
    fault.nth = CallsBefore(fault);
    for (Fault& each : g_faults) each = fault;
    const auto session = Score(ThreeGpus({"emu", 0, {}, {1, 2}}), kTiny, 70, 2, 2);
    EXPECT_THAT(session->warnings(), Not(IsEmpty()));  // a device that gets no frame cannot fail
    ExpectSameLogs(*cpu, *session, 2);
  }
  std::ranges::fill(g_faults, Fault());
}

TEST(DeviceLane, ADeviceThatIsNotThereIsAnError) {
  auto picker = ThreeGpus({"emu", 0, {}, {3}});
  EXPECT_TRUE(picker->NextGroup().empty());
  EXPECT_THAT(picker->notes(), ElementsAre("emu: no device 3, only 0, 1, 2"));
}

TEST(DeviceLane, MemoryIsLimited) {
  const PictureFormat format = {576, 324, 8, PixelFormat::k420};
  SessionSpec spec = {.features = {{"motion", {}}}, .format = format};
  const auto start = [&](std::optional<size_t> limit) {
    spec.max_device_memory = limit;
    spec.devices = ThreeGpus({"emu", 0, {}});
    return Session::Open(spec);
  };
  const auto plenty = start(std::nullopt).value();
  const size_t needed = plenty->lanes()[0]->memory_bytes();
  const auto tight = start(needed / 2).value();
  EXPECT_LE(tight->lanes()[0]->memory_bytes(), needed / 2);
  EXPECT_LT(tight->lanes()[0]->batch(), plenty->lanes()[0]->batch());
  EXPECT_THAT(start(1000).status().message(), AllOf(HasSubstr("needed for one frame"), HasSubstr("0 MB are allowed")));
  EXPECT_GE(DefaultDeviceMemory({3840, 2160}), 1'000'000'000u);
  EXPECT_LE(DefaultDeviceMemory({3840, 2160}), 1'000'000'000u);
  EXPECT_GT(DefaultDeviceMemory({7680, 4320}), 3'900'000'000u);
}

TEST(DeviceLane, TakesLessThanWhatIsFree) {
  const size_t usual = Score(Flaky({}), kTiny, 1, 1)->lanes()[0]->memory_bytes();
  const auto session = Score(Flaky({.free_memory = usual}), kTiny, 1, 1);
  ASSERT_EQ(session->lanes().size(), 1u);
  EXPECT_LE(session->lanes()[0]->memory_bytes(), usual / 5 * 4) << "other programs take memory, too";
}

TEST(DeviceLane, OneGigabyteIsEnoughFor8K) {
  SessionSpec spec = {.features = {{"vif", {}}, {"adm", {}}, {"motion", {}}},
                      .format = {7680, 4320, 16, PixelFormat::k420},
                      .devices = ThreeGpus({"emu", 0, {}}),
                      .max_device_memory = 1'000'000'000};
  const auto session = Session::Open(spec);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_LE((*session)->lanes()[0]->memory_bytes(), *spec.max_device_memory);
}

TEST(DeviceLane, FramesLeftOutBySubsamplingCostOnlyWhatNeedsThem) {
  SessionSpec spec = {.features = {{"motion", {}}, {"vif", {}}}};
  const auto memory = [&](int subsample) {
    spec.subsample = subsample;
    spec.devices = ThreeGpus({"emu", 0, {}});
    spec.format = {320, 180, 8, PixelFormat::k420};
    auto session = Session::Open(spec).value();
    const DeviceLane& lane = *session->lanes()[0];
    return static_cast<double>(lane.memory_bytes()) / lane.frames_in_flight();
  };
  EXPECT_LT(memory(8), memory(1) / 2);  // VIF's scratch is most of it
}

TEST(DeviceLane, ADeviceWithoutMemoryIsSkipped) {
  const auto cpu = Score(nullptr, kFormats[0], 3, 1);
  const auto session = Score(Flaky({Fault::kAllocate, 2, StatusCode::kOutOfMemory}), kFormats[0], 3, 1);
  EXPECT_EQ(session->device(), nullptr);
  EXPECT_THAT(session->warnings(), ElementsAre("emu device 0: the device failed as told"));
  ExpectSameLogs(*cpu, *session, 1);
}

TEST(DeviceLane, ADeviceWithLittleMemoryHasFewerBatchesInFlight) {
  const auto plenty = Score(Emu(), kTiny, 40, 1);
  const auto little = Score(Flaky({Fault::kAllocate, 2, StatusCode::kOutOfMemory, false}), kTiny, 40, 1);
  ASSERT_NE(little->device(), nullptr);
  EXPECT_EQ(little->lanes()[0]->batch(), plenty->lanes()[0]->batch());
  EXPECT_LT(little->lanes()[0]->frames_in_flight(), plenty->lanes()[0]->frames_in_flight());
  EXPECT_THAT(little->warnings(), IsEmpty());
  ExpectSameLogs(*plenty, *little, 1);
}

TEST(DeviceLane, AbandoningASessionEndsItsWork) {
  const auto session = OpenSession({.features = kFeatures, .format = kFormats[0], .devices = Emu()});
  AddFrames(*session, kFormats[0], 20);
}

/// A backend whose device does not open.
const Backend kClosedBackend = {
    "closed", "a device that does not open",
    [] {
      return BackendProbe{{{.backend = "closed"}}, ""};
    },
    [](int) -> Result<std::unique_ptr<Device>> { return Error(StatusCode::kNoDevice, "its waves have 48 lanes"); }};

TEST(DeviceLane, AutoEndsAtTheCpu) {
  static const Backend* const kBackends[] = {&kClosedBackend, &kEmuBackend};
  SessionSpec spec = {.features = {{"psnr", {}}},
                      .devices = std::make_shared<DevicePicker>(DeviceChoice{"auto", std::nullopt, {}}, kBackends)};
  const PictureFormat format = {16, 16};
  spec.format = format;
  const auto session = Session::Open(std::move(spec)).value();
  EXPECT_EQ(session->device(), nullptr);
  EXPECT_THAT(session->warnings(), ElementsAre("closed device 0: its waves have 48 lanes"));
  const Picture picture = Frame(format, 0, 1);
  ASSERT_TRUE(session->Add(picture, {picture}).ok());
  EXPECT_TRUE(session->Flush().ok());
}

TEST(DeviceLane, ReportsEachDeviceThatWasNamedAndRefused) {
  static const Backend* const kBackends[] = {&kClosedBackend};
  SessionSpec spec = {.features = {{"psnr", {}}},
                      .format = {16, 16},
                      .devices = std::make_shared<DevicePicker>(DeviceChoice{"closed", 0, {}}, kBackends)};
  EXPECT_EQ(Session::Open(std::move(spec)).status().message(),
            "no device can run this: closed device 0: its waves have 48 lanes");
}

/// The emulator as a device that must prove itself, and can.
class HonestDevice : public FlakyDevice {
 public:
  HonestDevice() : FlakyDevice({}), info_(FlakyDevice::info()) { info_.is_reference = false; }
  const DeviceInfo& info() const override { return info_; }

 private:
  DeviceInfo info_;
};

/// Likewise, but its kernels do not load.
class UntestedDevice : public HonestDevice {
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage&) override {
    return Error(StatusCode::kUnsupported, "no kernels");
  }
};

TEST(DeviceLane, ADeviceProvesItselfForTheSessionsMetrics) {
  const test::TempDir cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const auto session = OpenSession({.features = {{"psnr", {}}},
                                    .format = {16, 16},
                                    .devices = std::make_shared<DevicePicker>(std::make_unique<UntestedDevice>())});
  EXPECT_THAT(session->warnings(), ElementsAre(HasSubstr("no kernels")));
  ::unsetenv("XDG_CACHE_HOME");
}

const Backend kHonestBackend = {
    "emu", "the emulator, to be tested", kFlakyBackend.probe,
    [](int) -> Result<std::unique_ptr<Device>> { return std::unique_ptr<Device>(std::make_unique<HonestDevice>()); }};

// The default of libvmaf.so.3.
TEST(DeviceLane, AnUnprovedDeviceIsLeftOutSilently) {
  const test::TempDir cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  static const Backend* const kBackends[] = {&kHonestBackend};
  const auto start = [](bool only_proved) {
    SessionSpec spec = {.features = {{"psnr", {}}}};
    const DeviceChoice choice = {
        .backend = "auto", .index = {}, .excluded = {}, .further = {}, .only_proved = only_proved};
    spec.devices = std::make_shared<DevicePicker>(choice, kBackends);
    spec.format = {16, 16};
    auto session = Session::Open(std::move(spec)).value();
    EXPECT_THAT(session->warnings(), IsEmpty());
    return session->device() != nullptr;
  };
  EXPECT_FALSE(start(/*only_proved=*/true));
  EXPECT_FALSE(start(/*only_proved=*/true)) << "it has not been tested meanwhile";
  EXPECT_TRUE(start(/*only_proved=*/false));
  EXPECT_TRUE(start(/*only_proved=*/true));
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace acutance
