// Tests of sessions on devices: scores of the CPU, memory, and devices that are refused.
#include "engine/device_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_dir.h"
#include "engine/testing/device_lanes.h"

namespace acutance {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

/// Scores videos by a model whose ADM has a limit for each.
std::unique_ptr<Session> ScoreWithLimits(std::shared_ptr<DevicePicker> devices, const std::vector<int>& videos) {
  constexpr const char* kLimits[] = {"100", "1", "1.5"};
  SessionSpec spec = SpecOf(std::move(devices), kFormats[1], {{"adm", {{"adm_enhn_gain_limit", "1"}}}, {"psnr", {}}});
  spec.models = {DefaultModel()};
  spec.distorted_count = static_cast<int>(videos.size());
  for (const int video : videos) {
    Model model = *spec.models[0].model;
    for (ModelFeature& feature : model.features)
      if (feature.name.find("adm") != feature.name.npos) feature.options["adm_enhn_gain_limit"] = kLimits[video];
    spec.models[0].of_videos.push_back(std::make_shared<const Model>(std::move(model)));
  }
  std::unique_ptr<Session> session = Open(spec);
  for (int i = 0; i < 7; ++i) {
    std::vector<Picture> pictures;
    for (const int video : videos) pictures.push_back(Frame(kFormats[1], i, video + 2));
    EXPECT_TRUE(session->Add(Frame(kFormats[1], i, 0), std::move(pictures)).ok());
  }
  EXPECT_TRUE(session->Flush().ok());
  return session;
}

TEST(DeviceLane, AVideoWithOptionsOfItsOwnScoresAsAlone) {
  const auto cpu = ScoreWithLimits(nullptr, {0, 1, 2}), device = ScoreWithLimits(Emu(), {0, 1, 2});
  EXPECT_FALSE(device->RunsOnCpu());
  ExpectSameLogs(*cpu, *device, 3);
  const auto alone = [&](int video) {
    const auto session = ScoreWithLimits(nullptr, {video});
    return Log(*session, 0, *FindLogFormat("csv"));
  };
  for (int video = 0; video < 3; ++video) EXPECT_EQ(Log(*cpu, video, *FindLogFormat("csv")), alone(video));
  EXPECT_NE(Log(*cpu, 0, *FindLogFormat("csv")), Log(*cpu, 1, *FindLogFormat("csv")));
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

TEST(DeviceLane, ADeviceThatIsNotThereIsAnError) {
  auto picker = ThreeGpus({"emu", 0, {}, {3}});
  EXPECT_TRUE(picker->NextGroup().empty());
  EXPECT_THAT(picker->notes(), ElementsAre("emu: no device 3, only 0, 1, 2"));
}

TEST(DeviceLane, MemoryIsLimited) {
  const auto start = [](std::optional<size_t> limit) {
    SessionSpec spec = SpecOf(ThreeGpus({"emu", 0, {}}), {576, 324, 8, PixelFormat::k420}, {{"motion", {}}});
    spec.max_device_memory = limit;
    return Session::Open(spec);
  };
  const auto plenty = start(std::nullopt).value();
  const size_t needed = plenty->lanes()[0]->memory_bytes();
  const auto tight = start(needed / 2).value();
  EXPECT_LE(tight->lanes()[0]->memory_bytes(), needed / 2);
  EXPECT_LT(tight->lanes()[0]->batch(), plenty->lanes()[0]->batch());
  EXPECT_THAT(start(1000).status().message(), AllOf(HasSubstr("needed for one frame"), HasSubstr("0 MB are allowed")));
  EXPECT_EQ(plenty->lanes()[0]->wanted_bytes(), needed);
  EXPECT_EQ(tight->lanes()[0]->wanted_bytes(), needed) << "it is slower, and says so";
}

TEST(DeviceLane, TakesAQuarterOfWhatIsFree) {
  const auto open = [](std::optional<size_t> free, std::optional<size_t> limit = std::nullopt) {
    SessionSpec spec = SpecOf(Flaky({.free_memory = free}));
    spec.max_device_memory = limit;
    return Open(spec);
  };
  const auto usual = open(std::nullopt);
  const size_t needed = usual->lanes()[0]->memory_bytes();
  EXPECT_EQ(usual->lanes()[0]->wanted_bytes(), needed);
  EXPECT_EQ(open(4 * needed)->lanes()[0]->memory_bytes(), needed);
  const auto little = open(4 * needed - 4);
  ASSERT_EQ(little->lanes().size(), 1u);
  EXPECT_LT(little->lanes()[0]->memory_bytes(), needed);
  EXPECT_EQ(little->lanes()[0]->wanted_bytes(), needed);
  EXPECT_EQ(open(4 * needed - 4, 2 * needed)->lanes()[0]->memory_bytes(), needed) << "as much as was asked for";
  EXPECT_LE(open(needed, 2 * needed)->lanes()[0]->memory_bytes(), needed / 5 * 4) << "other programs take memory, too";
  EXPECT_EQ(open(0)->lanes()[0]->batch(), 1) << "it tries";
}

/// Bytes of a lane's batch on an H200.
size_t BatchBytes(const FeatureRequest& feature, const PictureFormat& format, int frames) {
  SessionSpec spec = SpecOf(nullptr, format, {feature});
  BoundRequests bound = Bind(spec).value();
  EXPECT_TRUE(bound.features.Describe({{"fps", "25"}}).ok());
  EXPECT_TRUE(bound.features.MakeExtractors(format).ok());
  LanePart part(bound.features, {0}, 1, {});
  EXPECT_TRUE(part.MakePlans(format, frames, "sm_90").ok());
  return part.device_bytes();
}

// What reaches 0.95 of the best rate on an H200: docs/use/devices.md.
TEST(DeviceLane, TheWantedMemoryHoldsTheBatchesThatAreFast) {
  constexpr PictureFormat k1080p = {1920, 1080}, k4K = {3840, 2160};
  EXPECT_GE(WantedDeviceMemory(k4K), 3 * BatchBytes({"ssimulacra2", {}}, k4K, 2));
  EXPECT_GE(WantedDeviceMemory(k4K), 2 * BatchBytes({"butteraugli", {}}, k4K, 1));
  EXPECT_GE(WantedDeviceMemory(k4K), 4 * BatchBytes({"cvvdp", {}}, k4K, 4));
  EXPECT_GE(WantedDeviceMemory(k1080p), 4 * BatchBytes({"cvvdp", {}}, k1080p, 8));
  EXPECT_GE(WantedDeviceMemory(k1080p), 4 * BatchBytes({"ssimulacra2", {}}, k1080p, 16));
  EXPECT_GE(WantedDeviceMemory({7680, 4320}), 4 * WantedDeviceMemory(k4K) - 1000);
  EXPECT_EQ(WantedDeviceMemory({64, 64}), WantedDeviceMemory(k1080p));
}

TEST(DeviceLane, OneGigabyteIsEnoughFor8K) {
  SessionSpec spec = SpecOf(ThreeGpus({"emu", 0, {}}), {7680, 4320, 16, PixelFormat::k420},
                            {{"vif", {}}, {"adm", {}}, {"motion", {}}});
  spec.max_device_memory = 1'000'000'000;
  EXPECT_LE(Open(spec)->lanes()[0]->memory_bytes(), *spec.max_device_memory);
}

TEST(DeviceLane, FramesLeftOutBySubsamplingCostOnlyWhatNeedsThem) {
  const auto memory = [](int subsample) {
    SessionSpec spec =
        SpecOf(ThreeGpus({"emu", 0, {}}), {320, 180, 8, PixelFormat::k420}, {{"motion", {}}, {"vif", {}}});
    spec.subsample = subsample;
    const auto session = Open(spec);
    const DeviceLane& lane = *session->lanes()[0];
    return static_cast<double>(lane.memory_bytes()) / lane.frames_in_flight();
  };
  EXPECT_LT(memory(8), memory(1) / 2);  // VIF's scratch is most of it
}

TEST(DeviceLane, ADeviceWithoutMemoryIsPassedOver) {
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
  const auto session = Open(SpecOf(Emu(), kFormats[0]));
  ASSERT_TRUE(AddFrames(*session, kFormats[0], 20).ok());
}

constexpr PictureFormat kSmall = {16, 16};

/// A backend whose device does not open.
const Backend kClosedBackend = {
    "closed", "a device that does not open",
    [] {
      return BackendProbe{{{.backend = "closed"}}, ""};
    },
    [](int) -> Result<std::unique_ptr<Device>> { return Error(StatusCode::kNoDevice, "its waves have 48 lanes"); }};

TEST(DeviceLane, AutoEndsAtTheCpu) {
  static const Backend* const kBackends[] = {&kClosedBackend, &kEmuBackend};
  const auto session = Open(SpecOf(std::make_shared<DevicePicker>(DeviceChoice{"auto", std::nullopt, {}}, kBackends),
                                   kSmall, {{"psnr", {}}}));
  EXPECT_EQ(session->device(), nullptr);
  EXPECT_THAT(session->warnings(), ElementsAre("closed device 0: its waves have 48 lanes"));
  ASSERT_TRUE(AddFrames(*session, kSmall, 1).ok());
  EXPECT_TRUE(session->Flush().ok());
}

TEST(DeviceLane, ReportsEachDeviceThatWasNamedAndRefused) {
  static const Backend* const kBackends[] = {&kClosedBackend};
  const auto devices = std::make_shared<DevicePicker>(DeviceChoice{"closed", 0, {}}, kBackends);
  EXPECT_EQ(Session::Open(SpecOf(devices, kSmall, {{"psnr", {}}})).status().message(),
            "no device can run this: closed device 0: its waves have 48 lanes");
}

TEST(DeviceLane, ABatchIsNotLargerThanAShortVideo) {
  SessionSpec spec = SpecOf(Emu(), kTiny);
  spec.frames = 3;
  const auto session = Open(spec);
  EXPECT_EQ(session->lanes().front()->batch(), 3);
  ASSERT_TRUE(AddFrames(*session, kTiny, 7).ok()) << "it may be longer than it was said to be";
  ASSERT_TRUE(session->Flush().ok());
  spec.devices = nullptr;
  const auto cpu = Open(spec);
  ASSERT_TRUE(AddFrames(*cpu, kTiny, 7).ok());
  ASSERT_TRUE(cpu->Flush().ok());
  ExpectSameLogs(*cpu, *session, 1);
}

TEST(DeviceLane, ADeviceProvesItselfForTheSessionsMetrics) {
  const test::TempDir cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const auto session =
      Open(SpecOf(std::make_shared<DevicePicker>(std::make_unique<UntestedDevice>()), kSmall, {{"psnr", {}}}));
  EXPECT_THAT(session->warnings(), ElementsAre(HasSubstr("no kernels")));
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace acutance
