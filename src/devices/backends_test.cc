// The choice of devices, and the notes about those that are not chosen.
#include "devices/backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/emu/emu.h"

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
  DevicePicker picker({"emu", 7, {}});
  EXPECT_EQ(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), ElementsAre("emu: no device 7, only 0"));
}

/// What `auto` may meet on its way: no driver, a device that does not open.
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
  DevicePicker picker({"auto", std::nullopt, {}}, kBackends);
  EXPECT_TRUE(picker.NextGroup().empty());
  EXPECT_THAT(picker.notes(), Contains("emu: software on the CPU alone, which auto leaves out"));
  EXPECT_THAT(picker.refused(), ElementsAre("closed device 0: its waves have 48 lanes"));
}

TEST(DevicePicker, AutoContinuesWithTheNextBackend) {
  static const Backend* const kBackends[] = {&kAbsentBackend, &kClosedBackend, &kEmulator};
  DevicePicker picker({"auto", std::nullopt, {}}, kBackends);
  EXPECT_NE(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), ElementsAre("absent: no driver; install it", "closed device 0: its waves have 48 lanes"));
}

TEST(DevicePicker, TheFirstGroupIsOpenedAhead) {
  static const Backend* const kBackends[] = {&kAbsentBackend, &kClosedBackend, &kEmulator};
  DevicePicker picker({"auto", std::nullopt, {}}, kBackends);
  EXPECT_FALSE(picker.is_ahead());
  picker.OpenAhead();
  EXPECT_TRUE(picker.is_ahead());
  EXPECT_THAT(picker.refused(), ElementsAre("closed device 0: its waves have 48 lanes"));
  EXPECT_EQ(picker.PeekGroup().size(), 1u);
  EXPECT_TRUE(picker.is_ahead());
  EXPECT_EQ(picker.NextGroup().size(), 1u);
  EXPECT_FALSE(picker.is_ahead());
  EXPECT_TRUE(picker.NextGroup().empty());
}

/// One device that works, next to one that is there and cannot be used.
const Backend kHalfRefused = {"emu", "emulation",
                              [] {
                                BackendProbe probe = kEmuBackend.probe();
                                probe.refused = {"Old GPU has compute capability 6.1"};
                                return probe;
                              },
                              kEmuBackend.open};

TEST(DevicePicker, SaysWhyADeviceCannotBeUsed) {
  static const Backend* const kBackends[] = {&kHalfRefused};
  DevicePicker picker({"emu", 1, {}}, kBackends);
  EXPECT_EQ(picker.Next(), nullptr);
  EXPECT_THAT(picker.notes(), ElementsAre("emu: no device 1, only 0; Old GPU has compute capability 6.1"));
}

}  // namespace
}  // namespace acutance
