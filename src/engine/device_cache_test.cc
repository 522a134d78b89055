// Sessions one after another on devices that stay open: the reference is uploaded once, and scores are those of the
// CPU.
#include "engine/device_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backend/emu/emu.h"
#include "devices/testing/flaky_device.h"
#include "engine/testing/score_video.h"

namespace acutance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr PictureFormat kFormat = {64, 48, 8, PixelFormat::k420};
constexpr size_t kPlaneBytes = size_t{64} * 48;  // as on the device
constexpr int kFrames = 40;

Fault g_fault;  // of the next device that is opened
int g_opened = 0;
std::atomic<size_t> g_uploaded;

const Backend kCountedBackend = {"emu", "the emulator, whose uploads are counted",
                                 [] {
                                   BackendProbe probe = kEmuBackend.probe();
                                   for (DeviceInfo& device : probe.devices) device.is_cpu = false;
                                   return probe;
                                 },
                                 [](int) -> Result<std::unique_ptr<Device>> {
                                   ++g_opened;
                                   g_fault.uploaded = &g_uploaded;
                                   return std::unique_ptr<Device>(std::make_unique<FlakyDevice>(g_fault));
                                 }};

const DeviceChoice kChoice = {"emu", 0, {}};

struct Probe {
  PictureFormat format = kFormat;
  uint64_t video = 0;  // 0: the reference is not named
  uint32_t preparation = 0;
  int reference = 0, distorted = 2;  // salts of the pictures
  std::vector<FeatureRequest> features = {{"psnr", {{"enable_chroma", "false"}}}};
  int frames = kFrames;
  int subsample = 1;
};

class DeviceCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    g_fault = {};
    g_opened = 0;
  }

  std::unique_ptr<Session> Start(const Probe& probe, bool on_device = true) {
    static const Backend* const kBackends[] = {&kCountedBackend};
    g_uploaded = 0;
    SessionSpec spec = {.features = probe.features, .subsample = probe.subsample};
    if (on_device) {
      spec.devices = std::make_shared<DevicePicker>(kChoice, kBackends);
      spec.device_cache = cache_;
    }
    spec.format = probe.format;
    return OpenSession(std::move(spec));
  }

  static Status Add(Session& session, const Probe& probe, int frame) {
    return session.Add(Frame(probe.format, frame, probe.reference), {Frame(probe.format, frame, probe.distorted)},
                       {.video = probe.video, .preparation = probe.preparation, .frame = frame});
  }

  /// The log; its session has ended.
  std::string Score(const Probe& probe, bool on_device = true) {
    const auto session = Start(probe, on_device);
    for (int i = 0; i < probe.frames; ++i) EXPECT_TRUE(Add(*session, probe, i).ok());
    EXPECT_TRUE(session->Flush().ok());
    warnings_ = session->warnings();
    return LogOf(*session, 0, LogFormats()[0]);
  }

  /// Bytes that a probe uploads, whose scores must be right.
  size_t Uploaded(const Probe& probe) {
    const std::string log = Score(probe);
    const size_t uploaded = g_uploaded;
    EXPECT_EQ(log, Score(probe, /*on_device=*/false));
    return uploaded;
  }

  uint64_t NewVideo() {
    const uint64_t video = NewVideoIdentity();
    cache_->Remember(video);
    return video;
  }

  std::shared_ptr<DeviceCache> cache_ = std::make_shared<DeviceCache>(std::nullopt);
  std::vector<std::string> warnings_;
};

TEST_F(DeviceCacheTest, TheSecondProbeUploadsNothingOfTheReference) {
  Probe probe = {.video = NewVideo()};
  EXPECT_GE(Uploaded(probe), 2 * kFrames * kPlaneBytes);
  EXPECT_EQ(cache_->Frames(probe.video), kFrames);
  for (int salt : {5, 7}) {
    probe.distorted = salt;
    EXPECT_EQ(Uploaded(probe), kFrames * kPlaneBytes) << "the encode alone";
  }
  EXPECT_EQ(g_opened, 1);
  cache_->Forget(probe.video);
  EXPECT_EQ(cache_->bytes(), 0u);
}

TEST_F(DeviceCacheTest, PicturesWithoutANameAreUploaded) {
  for (int i = 0; i < 2; ++i) EXPECT_GE(Uploaded({}), 2 * kFrames * kPlaneBytes);
  EXPECT_EQ(g_opened, 1) << "the device stays open";
}

// History, derived pictures, planes of chroma, frames that are left out.
TEST_F(DeviceCacheTest, ScoresAreThoseOfTheCpu) {
  const std::vector<FeatureRequest> features = {{"motion", {{"motion_five_frame_window", "true"}}},
                                                {"psnr", {{"enable_apsnr", "true"}}},
                                                {"vif", {}},
                                                {"adm", {}},
                                                {"ciede", {}}};
  for (const PictureFormat& format : {kFormat, PictureFormat{67, 49, 10, PixelFormat::k422}})
    for (const int subsample : {1, 3}) {
      Probe probe = {.format = format, .video = NewVideo(), .features = features, .subsample = subsample};
      const size_t first = Uploaded(probe);
      EXPECT_LT(Uploaded(probe), first * 3 / 4);
      probe.features = {{"vif", {}}, {"ciede", {}}};  // another lane, which finds the luma
      Uploaded(probe);
      probe.frames = 7;
      probe.distorted = 9;
      Uploaded(probe);
    }
}

TEST_F(DeviceCacheTest, AnotherVideoIsUploadedAnew) {
  Probe probe = {.video = NewVideo()};
  Uploaded(probe);
  probe.video = NewVideo();
  probe.reference = 4;
  EXPECT_EQ(Uploaded(probe), 2 * kFrames * kPlaneBytes);
  EXPECT_EQ(Uploaded(probe), kFrames * kPlaneBytes);
}

TEST_F(DeviceCacheTest, AnotherPreparationIsUploadedAnew) {
  Probe probe = {.video = NewVideo()};
  Uploaded(probe);
  probe.preparation = PreparationOf("cropped");
  probe.reference = 4;
  EXPECT_EQ(Uploaded(probe), 2 * kFrames * kPlaneBytes);
  EXPECT_EQ(PreparationOf(""), 0u);
  EXPECT_EQ(PreparationOf("cropped"), probe.preparation);
  EXPECT_NE(PreparationOf("scaled"), probe.preparation);
}

TEST_F(DeviceCacheTest, CachesTheFramesThatItHasRoomFor) {
  cache_ = std::make_shared<DeviceCache>(10 * kPlaneBytes);
  const Probe probe = {.video = NewVideo()};
  Uploaded(probe);
  EXPECT_LE(cache_->bytes(), 10 * kPlaneBytes);
  EXPECT_EQ(cache_->Frames(probe.video), 10);
  EXPECT_EQ(Uploaded(probe), (2 * kFrames - 10) * kPlaneBytes);
  cache_ = std::make_shared<DeviceCache>(0);
  const Probe none = {.video = NewVideo()};
  for (int i = 0; i < 2; ++i) EXPECT_GE(Uploaded(none), 2 * kFrames * kPlaneBytes);
}

TEST_F(DeviceCacheTest, WhatWasUsedLongestAgoMakesRoom) {
  cache_ = std::make_shared<DeviceCache>(20 * kPlaneBytes);
  Probe first = {.video = NewVideo(), .frames = 8}, second = {.video = NewVideo(), .frames = 8};
  Uploaded(first);
  Uploaded(second);
  EXPECT_EQ(Uploaded(first), 8 * kPlaneBytes) << "there is room for both";
  const Probe third = {.video = NewVideo(), .frames = 8};
  Uploaded(third);
  EXPECT_EQ(cache_->Frames(second.video), 0);
  EXPECT_EQ(cache_->Frames(first.video), 8);
  EXPECT_EQ(cache_->Frames(third.video), 8);
}

TEST_F(DeviceCacheTest, ADeviceThatFailsIsNotCached) {
  const Probe probe = {.video = NewVideo()};
  g_fault = {.where = Fault::kSubmit, .nth = 3};  // in the second probe
  Uploaded(probe);
  EXPECT_EQ(cache_->Frames(probe.video), kFrames);
  const int opened = g_opened;
  Uploaded({.video = probe.video, .frames = 400});
  EXPECT_THAT(warnings_, IsEmpty()) << "of the run on the CPU";
  EXPECT_EQ(cache_->Frames(probe.video), 0);
  g_fault = {};
  EXPECT_GE(Uploaded(probe), 2 * kFrames * kPlaneBytes) << "a device that was opened anew";
  EXPECT_EQ(g_opened, opened + 1);
  EXPECT_EQ(Uploaded(probe), kFrames * kPlaneBytes);
}

TEST_F(DeviceCacheTest, ASessionThatIsGivenUpLeavesWhatItHasDone) {
  const Probe probe = {.video = NewVideo()};
  {
    const auto session = Start(probe);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(Add(*session, probe, i).ok());
    session->Cancel();
  }
  EXPECT_LE(cache_->Frames(probe.video), 20);
  Uploaded(probe);
  EXPECT_EQ(Uploaded(probe), kFrames * kPlaneBytes);
  EXPECT_EQ(g_opened, 1);
}

TEST_F(DeviceCacheTest, TwoSessionsAtOnceHaveADeviceEach) {
  const Probe probe = {.video = NewVideo()};
  for (int round = 0; round < 2; ++round) {
    const auto one = Start(probe), other = Start(probe);
    for (int i = 0; i < kFrames; ++i) {
      ASSERT_TRUE(Add(*one, probe, i).ok());
      ASSERT_TRUE(Add(*other, probe, i).ok());
    }
    ASSERT_TRUE(one->Flush().ok());
    ASSERT_TRUE(other->Flush().ok());
    EXPECT_EQ(g_opened, 2);
  }
  EXPECT_EQ(Uploaded(probe), kFrames * kPlaneBytes);
  EXPECT_EQ(g_opened, 2);
}

TEST_F(DeviceCacheTest, DevicesOfDecodersAreUsedAgain) {
  const DeviceInfo info = {.backend = "emu", .index = 0};
  const auto open = [&] { return std::move(cache_->OpenDecoder(info)).value(); };
  std::shared_ptr<Device> one = open();
  const std::shared_ptr<Device> other = open();
  const Device* const first = one.get();
  EXPECT_NE(first, other.get());
  one.reset();
  one = open();
  EXPECT_EQ(one.get(), first);
  const std::weak_ptr<Device> watched = one;
  cache_.reset();
  one.reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(DeviceCacheTest, RunsShareDevicesAsLongAsACallerHoldsThem) {
  EXPECT_EQ(SharedDevices(), nullptr);
  std::shared_ptr<DeviceCache> one = ShareDevices(), other = ShareDevices();
  EXPECT_EQ(one, other);
  one.reset();
  EXPECT_EQ(SharedDevices(), other);
  other.reset();
  EXPECT_EQ(SharedDevices(), nullptr);
}

TEST_F(DeviceCacheTest, AForkedChildGetsNoDeviceOfItsParents) {
  const Probe probe = {.video = NewVideo()};
  Uploaded(probe);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const bool is_empty = cache_->Take(kChoice).empty() && cache_->bytes() == 0;
    cache_->Forget(probe.video);
    cache_.reset();
    ::_exit(is_empty ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Uploaded(probe), kFrames * kPlaneBytes) << "the parent's is still there";
}

TEST_F(DeviceCacheTest, AVideoThatIsForgottenWhileItIsReadGoesAtTheEnd) {
  const Probe probe = {.video = NewVideo()};
  {
    const auto session = Start(probe);
    for (int i = 0; i < kFrames; ++i) ASSERT_TRUE(Add(*session, probe, i).ok());
    cache_->Forget(probe.video);
    ASSERT_TRUE(session->Flush().ok());
  }
  EXPECT_EQ(cache_->bytes(), 0u);
}

}  // namespace
}  // namespace acutance
