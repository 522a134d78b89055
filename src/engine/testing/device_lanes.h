// Sessions on emulated devices, with faults, and the comparison of their logs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/emu/emu.h"
#include "devices/test_picture.h"
#include "devices/testing/flaky_device.h"
#include "engine/session.h"
#include "log/log_writer.h"
#include "model/builtin_models.h"

namespace acutance {

inline Fault g_fault;  // of the next device that kFlakyBackend opens

inline const Backend kFlakyBackend = {"emu", "the emulator with a fault",
                                      [] {
                                        BackendProbe probe = kEmuBackend.probe();
                                        for (DeviceInfo& device : probe.devices) device.is_cpu = false;
                                        return probe;
                                      },
                                      [](int) -> Result<std::unique_ptr<Device>> {
                                        return std::unique_ptr<Device>(std::make_unique<FlakyDevice>(g_fault));
                                      }};

/// The emulator as a device that must prove itself.
class HonestDevice : public FlakyDevice {
 public:
  HonestDevice() : FlakyDevice({}), info_(FlakyDevice::info()) { info_.is_reference = false; }
  const DeviceInfo& info() const override { return info_; }

 private:
  DeviceInfo info_;
};

/// It cannot: its kernels do not load.
class UntestedDevice : public HonestDevice {
 public:
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage&) override {
    return Error(StatusCode::kUnsupported, "no kernels");
  }
};

inline const std::vector<FeatureRequest> kFeatures = {{"motion", {}},
                                                      {"motion", {{"motion_five_frame_window", "true"}}},
                                                      {"psnr", {{"enable_apsnr", "true"}}},
                                                      {"vif", {{"vif_enhn_gain_limit", "1.0"}}},
                                                      {"adm", {{"adm_enhn_gain_limit", "1.0"}}},
                                                      {"float_motion", {}}};

/// VIF, ADM and motion, with motion's logic over time.
inline ModelRequest DefaultModel() {
  return {std::make_shared<const Model>(LoadBuiltinModel("vmaf_v0.6.1", "").value()), {}};
}

inline Picture Frame(const PictureFormat& format, int frame, int salt) {
  return MakeTestPicture(format, frame, salt).value();
}

inline constexpr PictureFormat kTiny = {40, 34, 8, PixelFormat::k420};

inline SessionSpec SpecOf(std::shared_ptr<DevicePicker> devices, const PictureFormat& format = kTiny,
                          const std::vector<FeatureRequest>& features = kFeatures) {
  SessionSpec spec;
  spec.features = features;
  spec.devices = std::move(devices);
  spec.format = format;
  return spec;
}

inline std::unique_ptr<Session> Open(const SessionSpec& spec) {
  auto opened = Session::Open(spec);
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  return std::move(opened).value();
}

/// Adds frames to a session of one distorted video, until one is refused.
inline Status AddFrames(Session& session, const PictureFormat& format, int end, int begin = 0) {
  for (int i = begin; i < end; ++i) ACU_RETURN_IF_ERROR(session.Add(Frame(format, i, 0), {Frame(format, i, 3)}));
  return {};
}

inline std::unique_ptr<Session> Score(std::shared_ptr<DevicePicker> devices, const PictureFormat& format, int frames,
                                      int distorted, int threads = 1, int subsample = 1) {
  SessionSpec spec = SpecOf(std::move(devices), format);
  spec.models = {DefaultModel()};
  spec.threads = threads;
  spec.subsample = subsample;
  spec.distorted_count = distorted;
  std::unique_ptr<Session> session = Open(spec);
  for (int i = 0; i < frames; ++i) {
    std::vector<Picture> pictures;
    for (int d = 0; d < distorted; ++d) pictures.push_back(Frame(format, i, d + 2));
    EXPECT_TRUE(session->Add(Frame(format, i, 0), std::move(pictures)).ok());
  }
  const Status flushed = session->Flush();
  EXPECT_TRUE(flushed.ok()) << flushed.message();
  return session;
}

inline std::shared_ptr<DevicePicker> Emu() { return std::make_shared<DevicePicker>(DeviceChoice{"emu", 0, {}}); }

inline std::shared_ptr<DevicePicker> Flaky(Fault fault) {
  g_fault = fault;
  static const Backend* const kBackends[] = {&kFlakyBackend};
  return std::make_shared<DevicePicker>(DeviceChoice{"auto", std::nullopt, {}}, kBackends);
}

inline std::string Log(const Session& session, int distorted, const LogFormat& format) {
  std::string text;
  const LogInput input = {.scores = session.scores(distorted),
                          .frame_count = session.frames_added(),
                          .n_subsample = session.subsample(),
                          .version = "",
                          .numbers = NumberFormat::Parse("max").value()};
  format.write(input, [&](std::string_view part) { text += part; });
  return text;
}

inline void ExpectSameLogs(const Session& a, const Session& b, int distorted) {
  for (int d = 0; d < distorted; ++d) {
    for (const LogFormat& format : LogFormats())
      EXPECT_EQ(Log(a, d, format), Log(b, d, format)) << format.name << " of video " << d;
    EXPECT_EQ(a.scores(d).aggregates(), b.scores(d).aggregates());
  }
}

/// Three emulators that look like GPUs, with their faults.
inline Fault g_faults[3];
inline const Backend kThreeGpus = {"emu", "emulators",
                                   [] {
                                     BackendProbe probe = kEmuBackend.probe();
                                     probe.devices.resize(3, probe.devices[0]);
                                     for (int i = 0; i < 3; ++i)
                                       probe.devices[i].index = i, probe.devices[i].is_cpu = false;
                                     return probe;
                                   },
                                   [](int index) -> Result<std::unique_ptr<Device>> {
                                     return std::unique_ptr<Device>(std::make_unique<FlakyDevice>(g_faults[index]));
                                   }};

inline std::shared_ptr<DevicePicker> ThreeGpus(DeviceChoice choice) {
  static const Backend* const kBackends[] = {&kThreeGpus};
  return std::make_shared<DevicePicker>(std::move(choice), kBackends);
}

}  // namespace acutance
