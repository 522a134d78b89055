// Which device is chosen, and what is said of those that are not.
#include "devices/backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/emu/emu.h"
#include "devices/selftest.h"

namespace acutance {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(DevicePicker, ErrorsAreClear) {
  EXPECT_THAT(CheckDeviceChoice({"cud", std::nullopt, {}}).message(),
              AllOf(HasSubstr("no such backend 'cud'"), HasSubstr("did you mean 'cuda'?")));
  EXPECT_FALSE(CheckDeviceChoice({"auto", 1, {}}).ok());
  DevicePicker picker({"emu", 7, {}}, CheckDeviceOnce);
  EXPECT_EQ(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), ElementsAre("emu: no device 7, only 0"));
}

TEST(DevicePicker, ADeviceThatFailsItsTestIsRefused) {
  DevicePicker picker({"emu", 0, {}}, [](Device&) { return Error(StatusCode::kBadData, "wrong sums"); });
  EXPECT_EQ(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), ElementsAre("emu device 0: wrong sums"));
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

/// The emulator as if it were a GPU.
const Backend kEmulator = {"emu", "emulation",
                           [] {
                             BackendProbe probe = kEmuBackend.probe();
                             probe.devices[0].is_cpu = false;
                             return probe;
                           },
                           kEmuBackend.open};

TEST(DevicePicker, AutoLeavesSoftwareOut) {
  static const Backend* const kBackends[] = {&kAbsentBackend, &kClosedBackend, &kEmuBackend};
  DevicePicker picker({"auto", std::nullopt, {}}, CheckDeviceOnce, kBackends);
  EXPECT_TRUE(picker.NextGroup().empty());
  EXPECT_THAT(picker.notes(), Contains("emu: software on the CPU alone, which auto leaves out"));
  EXPECT_THAT(picker.refused(), ElementsAre("closed device 0: its waves have 48 lanes"));
}

TEST(DevicePicker, AutoGoesOnToTheNextBackend) {
  static const Backend* const kBackends[] = {&kAbsentBackend, &kClosedBackend, &kEmulator, &kEmulator};
  int opened = 0;
  const auto first_is_wrong = [&](Device&) {
    return ++opened == 1 ? Error(StatusCode::kBadData, "self-test failed: wrong sums") : Status();
  };
  DevicePicker picker({"auto", std::nullopt, {}}, first_is_wrong, kBackends);
  EXPECT_NE(picker.Next(), nullptr);
  EXPECT_EQ(opened, 2);
  EXPECT_THAT(picker.notes(), ElementsAre("absent: no driver; install it", "closed device 0: its waves have 48 lanes",
                                          "emu device 0: self-test failed: wrong sums"));
}

/// One device that works, beside one that is there and cannot be used.
const Backend kHalfRefused = {"emu", "emulation",
                              [] {
                                BackendProbe probe = kEmuBackend.probe();
                                probe.refused = {"Old GPU has compute capability 6.1"};
                                return probe;
                              },
                              kEmuBackend.open};

TEST(DevicePicker, SaysWhyADeviceCannotBeUsed) {
  static const Backend* const kBackends[] = {&kHalfRefused};
  DevicePicker picker({"emu", 1, {}}, CheckDeviceOnce, kBackends);
  EXPECT_EQ(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), ElementsAre("emu: no device 1, only 0; Old GPU has compute capability 6.1"));
}

}  // namespace
}  // namespace acutance
