// Tests of devices that are opened and tested while the CPU scores, as libvmaf.so.3 uses them by default.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/temp_dir.h"
#include "engine/testing/device_lanes.h"

namespace acutance {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Devices that join once the caller has waited for the CPU.
DeviceChoice Later(milliseconds patience = milliseconds(0)) {
  return {.backend = "auto", .index = {}, .excluded = {}, .further = {}, .patience = patience};
}

std::atomic<int> g_opened = 0;
milliseconds g_opening{0};

/// The one of a test: the emulator as a device that opens slowly, and what it is then.
template <class Made>
const Backend kSlowBackend = {"emu", "the emulator", kFlakyBackend.probe, [](int) -> Result<std::unique_ptr<Device>> {
                                ++g_opened;
                                std::this_thread::sleep_for(g_opening);
                                return std::unique_ptr<Device>(std::make_unique<Made>());
                              }};

struct Healthy : FlakyDevice {
  Healthy() : FlakyDevice(g_fault) {}
};

template <class Made>
std::shared_ptr<DevicePicker> Late(milliseconds patience = milliseconds(0)) {
  static const Backend* const kBackends[] = {&kSlowBackend<Made>};
  g_opened = 0;
  return std::make_shared<DevicePicker>(Later(patience), kBackends);
}

Status AddFrame(Session& session, const SessionSpec& spec, int i) {
  std::vector<Picture> pictures;
  for (int d = 0; d < spec.distorted_count; ++d) pictures.push_back(Frame(spec.format, i, d + 2));
  return session.Add(Frame(spec.format, i, 0), std::move(pictures));
}

/// Adds frames until a device has joined, then `more`; how many there were. Gives up after a while.
int AddUntilJoined(Session& session, const SessionSpec& spec, int more) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
  int frames = 0;
  while (!session.device() && std::chrono::steady_clock::now() < end)
    EXPECT_TRUE(AddFrame(session, spec, frames++).ok());
  EXPECT_NE(session.device(), nullptr);
  while (more-- > 0) EXPECT_TRUE(AddFrame(session, spec, frames++).ok());
  return frames;
}

void ExpectCpuScores(const Session& session, SessionSpec spec, int frames) {
  spec.devices = nullptr;
  const auto cpu = Open(spec);
  for (int i = 0; i < frames; ++i) ASSERT_TRUE(AddFrame(*cpu, spec, i).ok());
  ASSERT_TRUE(cpu->Flush().ok());
  ExpectSameLogs(*cpu, session, spec.distorted_count);
}

TEST(LateDevices, JoinWhileTheCpuScoresAndChangeNothing) {
  g_fault = {};
  for (const int threads : {1, 3})
    for (const int subsample : {1, 3})
      for (const int videos : {1, 2}) {
        SessionSpec spec = SpecOf(Late<Healthy>(), kTiny);
        spec.models = {DefaultModel()};
        spec.threads = threads;
        spec.subsample = subsample;
        spec.distorted_count = videos;
        const auto session = Open(spec);
        EXPECT_EQ(session->device(), nullptr);
        const int frames = AddUntilJoined(*session, spec, 40);
        EXPECT_FALSE(session->RunsOnCpu());
        ASSERT_TRUE(session->Flush().ok());
        EXPECT_THAT(session->warnings(), IsEmpty());
        ExpectCpuScores(*session, spec, frames);
      }
}

// libvmaf's clients without threads ask for scores between pictures.
TEST(LateDevices, WaitingHasTheScoresOfAllFramesBeforeAndAfterTheyJoin) {
  g_fault = {};
  SessionSpec spec = SpecOf(Late<Healthy>());
  const auto session = Open(spec);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(AddFrame(*session, spec, i).ok());
    ASSERT_TRUE(session->WaitForAll().ok());
    EXPECT_EQ(session->frames_done(), i + 1);
  }
  int frames = 3;
  while (!session->device()) ASSERT_TRUE(AddFrame(*session, spec, frames++).ok());
  ASSERT_TRUE(AddFrame(*session, spec, frames++).ok());
  ASSERT_TRUE(session->WaitForAll().ok());
  EXPECT_EQ(session->frames_done(), frames);
  ASSERT_TRUE(session->Flush().ok());
  ExpectCpuScores(*session, spec, frames);
}

TEST(LateDevices, SeveralJoinTogether) {
  for (Fault& fault : g_faults) fault = {};
  SessionSpec spec = SpecOf(ThreeGpus(Later()));
  const auto session = Open(spec);
  const int frames = AddUntilJoined(*session, spec, 100);
  EXPECT_THAT(session->lanes(), SizeIs(3));
  ASSERT_TRUE(session->Flush().ok());
  ExpectCpuScores(*session, spec, frames);
}

TEST(LateDevices, ADeviceThatFailsAfterwardsLeavesItsFramesToTheCpu) {
  g_fault = {Fault::kSubmit, 5};
  SessionSpec spec = SpecOf(Late<Healthy>());
  spec.threads = 2;
  const auto session = Open(spec);
  const int frames = AddUntilJoined(*session, spec, 300);
  ASSERT_TRUE(session->Flush().ok());
  EXPECT_THAT(session->warnings(), testing::ElementsAre(HasSubstr("scores do not change")));
  ExpectCpuScores(*session, spec, frames);
  g_fault = {};
}

TEST(LateDevices, ProveThemselvesMeanwhile) {
  const test::TempDir cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  SessionSpec spec = SpecOf(Late<HonestDevice>(), kTiny, {{"psnr", {}}});
  const auto session = Open(spec);
  const int frames = AddUntilJoined(*session, spec, 5);
  ASSERT_TRUE(session->Flush().ok());
  ExpectCpuScores(*session, spec, frames);
  EXPECT_FALSE(std::filesystem::is_empty(cache.path()));
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(LateDevices, ThoseThatFailTheirTestAreLeftOutSilently) {
  const test::TempDir cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  SessionSpec spec = SpecOf(Late<UntestedDevice>(), kTiny, {{"psnr", {}}});
  const auto session = Open(spec);
  int frames = 0;
  for (const auto end = std::chrono::steady_clock::now() + milliseconds(500); std::chrono::steady_clock::now() < end;)
    ASSERT_TRUE(AddFrame(*session, spec, frames++).ok());
  EXPECT_EQ(g_opened, 1);
  EXPECT_EQ(session->device(), nullptr);
  ASSERT_TRUE(session->Flush().ok());
  EXPECT_THAT(session->warnings(), IsEmpty());
  ExpectCpuScores(*session, spec, frames);
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(LateDevices, AreNotOpenedForACallerThatHardlyWaits) {
  SessionSpec spec = SpecOf(Late<Healthy>(std::chrono::hours(1)));
  const auto session = Open(spec);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(AddFrame(*session, spec, i).ok());
  ASSERT_TRUE(session->Flush().ok());
  EXPECT_EQ(g_opened, 0);
  ExpectCpuScores(*session, spec, 50);
}

TEST(LateDevices, ASessionThatEndsBeforeWaitsForTheOpeningAlone) {
  const test::TempDir cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  g_opening = milliseconds(500);
  g_opened = 0;
  static const Backend kNext = {"next", "looked at where the first has no device", kFlakyBackend.probe,
                                kSlowBackend<HonestDevice>.open};
  static const Backend* const kBackends[] = {&kSlowBackend<HonestDevice>, &kNext};
  SessionSpec spec = SpecOf(std::make_shared<DevicePicker>(Later(), kBackends), kTiny, {{"psnr", {}}});
  auto session = Open(spec);
  int frames = 0;
  while (g_opened == 0) ASSERT_TRUE(AddFrame(*session, spec, frames++).ok());
  ASSERT_TRUE(session->Flush().ok());
  ExpectCpuScores(*session, spec, frames);
  session.reset();
  EXPECT_EQ(g_opened, 1) << "no other is opened in its place";
  EXPECT_TRUE(std::filesystem::is_empty(cache.path())) << "it was not tested any more";
  g_opening = {};
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace acutance
