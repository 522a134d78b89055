// Tests of devices that fail, hang or compute wrong bits: scores do not change, or an error says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "engine/device_lane.h"
#include "engine/testing/device_lanes.h"

namespace acutance {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

/// Another program takes the device's memory for a short time.
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
  auto session = Open(SpecOf(Flaky(kHang)));
  EXPECT_TRUE(AddFrames(*session, kTiny, 20).ok());
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
  EXPECT_FALSE(AddFrames(*session, kTiny, 21, 20).ok());
}

/// The second batch stalls while the finishing thread is at the first, and waits for no other after that.
TEST(DeviceLane, NothingIsFreedWhileABatchStalls) {
  std::atomic<bool> blocked = false;
  auto session = Open(
      SpecOf(Flaky({.where = Fault::kSubmit, .nth = 1, .lasts = false, .kind = Fault::kStall, .blocked = &blocked})));
  ASSERT_TRUE(AddFrames(*session, kTiny, 2 * session->lanes()[0]->batch()).ok());
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
    SessionSpec spec =
        SpecOf(Flaky(is_wrong ? Fault{.where = Fault::kSubmit, .nth = 0, .kind = Fault::kBitFlip} : Fault()));
    spec.verify = 3;
    const auto session = Open(spec);
    Status status = AddFrames(*session, kTiny, 20);
    if (status.ok()) status = session->Flush();
    if (is_wrong) EXPECT_THAT(status.message(), HasSubstr("computed something else than the CPU"));
    else EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(DeviceLane, AWarningComesWhenItHappens) {
  std::atomic<int> heard = 0;
  SessionSpec spec = SpecOf(Flaky({.where = Fault::kSubmit, .code = StatusCode::kIo}));
  spec.on_warning = [&](const std::string&) { ++heard; };
  const auto session = Open(spec);
  ASSERT_TRUE(AddFrames(*session, kTiny, 1).ok());
  for (int i = 0; i < 500 && heard == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(heard, 1);
}

TEST(DeviceLane, ADeviceThatFailsWhileItIsPreparedIsPassedOver) {
  const auto cpu = Score(nullptr, kTiny, 3, 2);
  for (const Fault::Where where : {Fault::kCopy, Fault::kWait})
    for (int nth : {0, 3}) {
      const auto session = Score(Flaky({where, nth}), kTiny, 3, 2);
      EXPECT_THAT(session->warnings(), ElementsAre("emu device 0: the device failed as told"));
      EXPECT_TRUE(session->lanes().empty());
      ExpectSameLogs(*cpu, *session, 2);
    }
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

}  // namespace
}  // namespace acutance
