// Pictures in a device's memory.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <utility>

#include "backend/emu/emu.h"
#include "engine/testing/score_video.h"

namespace acutance {
namespace {

const PictureFormat kFormat{150, 70, 8, PixelFormat::k420};

MutablePicture MakePicture(int frame, int seed) {
  MutablePicture picture = AllocatePicture(kFormat).value();
  std::mt19937 random(frame * 31 + seed);
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < kFormat.PlaneHeight(p); ++y)
      for (int x = 0; x < kFormat.PlaneWidth(p); ++x)
        picture.data[p][y * picture.stride[p] + x] = static_cast<std::byte>(random() % 256);
  return picture;
}

/// A picture in the emulator's memory, which is the host's; it has no planes for the CPU.
Picture OnDevice(const MutablePicture& picture) {
  Picture there{.format = picture.format, .memory = picture.memory};
  for (int p = 0; p < 3; ++p)
    there.device_planes[p] = {reinterpret_cast<uint64_t>(picture.data[p]), static_cast<size_t>(picture.stride[p])};
  return there;
}

std::unique_ptr<Session> MakeSession(std::shared_ptr<DevicePicker> devices) {
  return OpenSession({.features = {{"psnr", {}}, {"motion", {}}}, .format = kFormat, .devices = std::move(devices)});
}

std::shared_ptr<DevicePicker> Emulator() { return std::make_shared<DevicePicker>(kEmuBackend.open(0).value()); }

TEST(DevicePictures, AreReadWhereTheyLie) {
  const auto host = MakeSession(nullptr), device = MakeSession(Emulator()), mixed = MakeSession(Emulator());
  EXPECT_TRUE(host->RunsOnCpu());
  EXPECT_FALSE(device->RunsOnCpu());
  for (int i = 0; i < 7; ++i) {
    const MutablePicture reference = MakePicture(i, 1), distorted = MakePicture(i, 2);
    ASSERT_TRUE(host->Add(reference.Share(), {distorted.Share()}).ok());
    ASSERT_TRUE(device->Add(OnDevice(reference), {OnDevice(distorted)}).ok());
    ASSERT_TRUE(mixed->Add(i % 3 == 1 ? reference.Share() : OnDevice(reference), {distorted.Share()}).ok());
  }
  for (const auto* session : {&host, &device, &mixed}) ASSERT_TRUE((*session)->Flush().ok());
  ExpectSameScores(*host, *device);
  ExpectSameScores(*host, *mixed);
}

// The CPU cannot read these pictures, even with idle threads.
TEST(DevicePictures, AreLeftToTheirDevice) {
  const auto session =
      OpenSession({.features = {{"psnr", {}}, {"motion", {}}}, .threads = 4, .format = kFormat, .devices = Emulator()});
  const MutablePicture picture = MakePicture(0, 1);
  for (int i = 0; i < 200; ++i) {
    const bool on_host = i % 3 == 0;
    ASSERT_TRUE(session->Add(on_host ? picture.Share() : OnDevice(picture), {OnDevice(picture)}).ok());
  }
  const Status status = session->Flush();
  EXPECT_TRUE(status.ok()) << status.message();
}

/// An emulator that reads no pictures in its memory.
class BrokenDevice : public Device {
 public:
  const DeviceInfo& info() const override { return device_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return device_->Allocate(bytes, kind);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override { return device_->LoadKernel(image); }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return device_->MakeQueue(); }
  Result<std::unique_ptr<Buffer>> Adopt(uint64_t, size_t) override {
    return Error(StatusCode::kIo, "the device is lost");
  }
  Status WaitForClients() override {
    ++waits;
    return wait;
  }

  int waits = 0;
  Status wait;

 private:
  const std::unique_ptr<Device> device_ = kEmuBackend.open(0).value();
};

TEST(DevicePictures, AreWaitedFor) {
  auto device = std::make_unique<BrokenDevice>();
  BrokenDevice& spy = *device;
  const auto session = MakeSession(std::make_shared<DevicePicker>(std::move(device)));
  const MutablePicture picture = MakePicture(0, 1);
  ASSERT_TRUE(session->Add(picture.Share(), {picture.Share()}).ok());
  EXPECT_EQ(spy.waits, 0);
  ASSERT_TRUE(session->Add(OnDevice(picture), {picture.Share()}).ok());
  EXPECT_EQ(spy.waits, 1);
  spy.wait = Error(StatusCode::kIo, "the producer failed");
  EXPECT_EQ(session->Add(picture.Share(), {OnDevice(picture)}).message(), "the producer failed");
  EXPECT_EQ(session->frames_added(), 2);
}

TEST(DevicePictures, AreLostWithTheirDevice) {
  const MutablePicture picture = MakePicture(0, 1);
  const Picture here = picture.Share(), there = OnDevice(picture);
  for (const auto& [reference, distorted] : {std::pair{there, there}, {there, here}, {here, there}}) {
    const auto session = MakeSession(std::make_shared<DevicePicker>(std::make_unique<BrokenDevice>()));
    ASSERT_TRUE(session->Add(reference, {distorted}).ok());
    const Status status = session->Flush();
    EXPECT_EQ(status.code(), StatusCode::kNoDevice);
    EXPECT_EQ(status.message(), "frame 0: the device that holds its pictures failed");
  }
}

}  // namespace
}  // namespace acutance
