// Fingerprints from a tap: those of the pictures, in order, regardless of what computes them.
#include "run/alignment_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "devices/testing/flaky_device.h"
#include "engine/testing/score_video.h"

namespace acutance {
namespace {

constexpr int kTapFrames = 37;

/// By video, the reference first.
using Tracks = std::vector<std::vector<FrameFingerprint>>;

Tracks Expected(const PictureFormat& format, int distorted) {
  Tracks tracks(static_cast<size_t>(distorted) + 1);
  for (size_t v = 0; v < tracks.size(); ++v)
    for (int i = 0; i < kTapFrames; ++i) tracks[v].push_back(FingerprintOf(Frame(format, i, static_cast<int>(v))));
  return tracks;
}

struct Scored {
  Tracks tracks;
  std::unique_ptr<Session> session;
};

Scored Score(std::shared_ptr<DevicePicker> devices, const PictureFormat& format, int distorted, int threads,
             bool makes_fingerprints = true) {
  SessionSpec spec = {.features = {{"motion", {}}, {"psnr", {}}},
                      .threads = threads,
                      .distorted_count = distorted,
                      .format = format,
                      .devices = std::move(devices)};
  Scored scored = {Tracks(static_cast<size_t>(distorted) + 1), nullptr};
  if (makes_fingerprints)
    spec.taps = {TapFingerprints([&](int video, const FrameFingerprint& reference, const FrameFingerprint& own) {
      if (video == 0) scored.tracks[0].push_back(reference);
      scored.tracks[static_cast<size_t>(video) + 1].push_back(own);
    })};
  scored.session =
      ScoreVideo(std::move(spec), kTapFrames, [&](int frame, int video) { return Frame(format, frame, video); });
  return scored;
}

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
  ExpectSameScores(*without.session, *with.session);
}

// Users cannot name the engine's own metric.
TEST(FingerprintTap, AreNoFeature) {
  SessionSpec spec = {.features = {{"frame_fingerprint", {}}}};
  const auto session = Session::Open(std::move(spec));
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.status().message(), testing::HasSubstr("no such feature 'frame_fingerprint'"));
}

TEST(FingerprintTap, NeedsAllFramesOfBothVideos) {
  const auto can = [](const char* feature, int subsample) {
    SessionSpec spec = {.features = {{feature, {}}}, .subsample = subsample};
    return CanTapFingerprints(FindNeeds(spec).value(), spec);
  };
  EXPECT_TRUE(can("psnr", 1));
  EXPECT_FALSE(can("psnr", 2));
  EXPECT_FALSE(can("motion", 1));
}

}  // namespace
}  // namespace acutance
