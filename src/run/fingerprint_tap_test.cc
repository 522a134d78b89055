// Fingerprints from a tap: those of the pictures, in order, regardless of what computes them.
#include "run/alignment_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "devices/test_picture.h"
#include "devices/testing/flaky_device.h"
#include "engine/session.h"

namespace acutance {
namespace {

constexpr int kFrames = 37;

Picture Frame(const PictureFormat& format, int frame, int salt) { return MakeTestPicture(format, frame, salt).value(); }

/// By video, the reference first.
using Tracks = std::vector<std::vector<FrameFingerprint>>;

Tracks Expected(const PictureFormat& format, int distorted) {
  Tracks tracks(static_cast<size_t>(distorted) + 1);
  for (size_t v = 0; v < tracks.size(); ++v)
    for (int i = 0; i < kFrames; ++i) tracks[v].push_back(FingerprintOf(Frame(format, i, static_cast<int>(v))));
  return tracks;
}

struct Scored {
  Tracks tracks;
  std::unique_ptr<Session> session;
};

Scored Score(std::shared_ptr<DevicePicker> devices, const PictureFormat& format, int distorted, int threads,
             bool makes_fingerprints = true) {
  SessionSpec spec;
  spec.features = {{"motion", {}}, {"psnr", {}}};
  spec.threads = threads;
  spec.distorted_count = distorted;
  spec.devices = std::move(devices);
  spec.format = format;
  Scored scored = {Tracks(static_cast<size_t>(distorted) + 1), nullptr};
  if (makes_fingerprints)
    spec.taps = {TapFingerprints([&](int video, const FrameFingerprint& reference, const FrameFingerprint& own) {
      if (video == 0) scored.tracks[0].push_back(reference);
      scored.tracks[static_cast<size_t>(video) + 1].push_back(own);
    })};
  scored.session = Session::Open(std::move(spec)).value();
  Session& session = *scored.session;
  for (int i = 0; i < kFrames; ++i) {
    std::vector<Picture> pictures;
    for (int d = 0; d < distorted; ++d) pictures.push_back(Frame(format, i, d + 1));
    EXPECT_TRUE(session.Add(Frame(format, i, 0), std::move(pictures)).ok());
  }
  const Status flushed = session.Flush();
  EXPECT_TRUE(flushed.ok()) << flushed.message();
  return scored;
}

std::shared_ptr<DevicePicker> Emu() { return std::make_shared<DevicePicker>(DeviceChoice{"emu", 0, {}}); }

TEST(FingerprintTap, AreThoseOfThePictures) {
  for (const PictureFormat& format : {PictureFormat{150, 70, 8, PixelFormat::k420},
                                      {131, 53, 10, PixelFormat::k422},
                                      {70, 300, 16, PixelFormat::k400}})
    for (const int distorted : {1, 3}) {
      const Tracks expected = Expected(format, distorted);
      for (const int threads : {1, 3}) {
        EXPECT_EQ(Score(nullptr, format, distorted, threads).tracks, expected);
        EXPECT_EQ(Score(Emu(), format, distorted, threads).tracks, expected);
      }
    }
}

// The CPU computes what a failed device leaves.
TEST(FingerprintTap, OutliveADevice) {
  const PictureFormat format = {150, 70, 8, PixelFormat::k420};
  for (const int nth : {0, 1, 2}) {
    const Fault fault = {.where = Fault::kSubmit, .nth = nth};
    const auto devices = std::make_shared<DevicePicker>(std::make_unique<FlakyDevice>(fault));
    EXPECT_EQ(Score(devices, format, 2, 2).tracks, Expected(format, 2)) << nth;
  }
}

TEST(FingerprintTap, ChangeNoScore) {
  const PictureFormat format = {150, 70, 8, PixelFormat::k420};
  const Scored without = Score(nullptr, format, 2, 2, /*makes_fingerprints=*/false);
  const Scored with = Score(Emu(), format, 2, 2);
  for (int d = 0; d < 2; ++d) {
    const auto &expected = without.session->scores(d).columns(), &found = with.session->scores(d).columns();
    ASSERT_EQ(found.size(), expected.size());
    for (size_t c = 0; c < expected.size(); ++c) {
      EXPECT_EQ(found[c].stored, expected[c].stored);
      EXPECT_EQ(found[c].scores, expected[c].scores);
    }
  }
}

// Users cannot name the engine's own metric.
TEST(FingerprintTap, AreNoFeature) {
  SessionSpec spec;
  spec.features = {{"frame_fingerprint", {}}};
  const auto session = Session::Open(std::move(spec));
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.status().message(), testing::HasSubstr("no such feature 'frame_fingerprint'"));
}

TEST(FingerprintTap, NeedsAllFramesOfBothVideos) {
  const auto can = [](const char* feature, int subsample) {
    SessionSpec spec;
    spec.features = {{feature, {}}};
    spec.subsample = subsample;
    return CanTapFingerprints(FindNeeds(spec).value(), spec);
  };
  EXPECT_TRUE(can("psnr", 1));
  EXPECT_FALSE(can("psnr", 2));
  EXPECT_FALSE(can("motion", 1));
}

}  // namespace
}  // namespace acutance
