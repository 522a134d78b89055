#include "align/record_fingerprints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "align/align_tracks.h"

namespace acutance {
namespace {

constexpr int64_t kFrames = 120;
constexpr PictureFormat kFormat{64, 36, 8, PixelFormat::k400};

/// A wave that moves, of which an encode is a little brighter.
Picture Wave(int64_t frame, int brighter) {
  MutablePicture picture = AllocatePicture(kFormat).value();
  for (int y = 0; y < kFormat.height; ++y)
    for (int x = 0; x < kFormat.width; ++x) {
      const double phase = 0.2 * x + 0.11 * y + 0.37 * static_cast<double>(frame);
      picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(120 + 60 * std::sin(phase) + brighter);
    }
  return picture.Share();
}

std::shared_ptr<ThreadPool> NoCrew() { return std::make_shared<ThreadPool>(0, ThreadPool::Mode::kThreads); }

TEST(SharedTracks, OfASessionAreThoseOfTheirPictures) {
  FingerprintTrack left(NoCrew()), own(NoCrew());
  left.LeaveToSession();
  for (int64_t k = 0; k < kFrames; ++k) {
    const Picture picture = Wave(k, 0);
    for (FingerprintTrack* track : {&left, &own}) track->Add(picture, static_cast<double>(k) / 25);
    // The session has not got the last frames.
    if (k >= 5 && k < kFrames - 2) left.Put(FingerprintOf(Wave(k - 5, 0)));
    EXPECT_EQ(left.Made(k), std::max<int64_t>(0, std::min(k - 4, kFrames - 7)));
    EXPECT_EQ(own.Made(k), k);
  }
  const FrameTrack a = left.Copy(kFrames), b = own.Copy(kFrames);
  EXPECT_EQ(a.fingerprints, b.fingerprints);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(std::ssize(a.times), kFrames);
  EXPECT_EQ(left.Copy(7).fingerprints, own.Copy(7).fingerprints);
}

TEST(SharedTracks, OfPicturesOnADeviceHaveWhatTheSessionPuts) {
  FingerprintTrack track(NoCrew());
  track.LeaveToSession();
  for (int64_t k = 0; k < 5; ++k) track.Add({.format = kFormat}, std::nullopt);
  for (int64_t k = 0; k < 3; ++k) track.Put(FingerprintOf(Wave(k, 0)));
  EXPECT_EQ(track.Copy(5).size(), 3);
  FingerprintTrack nothing(NoCrew());
  nothing.Add({.format = kFormat}, std::nullopt);
  EXPECT_EQ(nothing.size(), 0);
}

TEST(SharedTracks, FitPlainlyAsAlignTracksSays) {
  for (const bool repeats : {false, true})
    for (const double rate : {25.0, 50.0}) {
      FingerprintTrack reference(NoCrew()), distorted(NoCrew());
      reference.Begin(25);
      distorted.Begin(rate);
      for (int64_t k = 0; k < kFrames; ++k) {
        reference.Add(Wave(k, 0), static_cast<double>(k) / 25);
        distorted.Add(Wave(repeats && k > 60 ? k - 1 : k, 3), static_cast<double>(k) / rate);
      }
      const auto plain = FingerprintTrack::FitPlainly(reference, distorted, 100);
      ASSERT_EQ(plain.has_value(), !repeats && rate == 25);
      if (!plain) continue;
      const Result<Alignment> found = AlignTracks(reference.Copy(100), distorted.Copy(100));
      ASSERT_TRUE(found.ok());
      EXPECT_EQ(plain->by, found->by);
      EXPECT_EQ(plain->confidence, found->confidence);
      EXPECT_EQ(plain->pairs, found->pairs);
      EXPECT_EQ(std::ssize(plain->pairs), 100);
    }
}

}  // namespace
}  // namespace acutance
