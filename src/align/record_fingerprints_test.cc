#include "align/record_fingerprints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "align/align_tracks.h"
#include "align/read_tracks.h"

namespace acutance {
namespace {

constexpr int64_t kFrames = 120;
constexpr PictureFormat kFormat{64, 36, 8, PixelFormat::k400};

template <class Sample>
Picture PictureOf(const Sample& sample) {
  MutablePicture picture = AllocatePicture(kFormat).value();
  for (int y = 0; y < kFormat.height; ++y)
    for (int x = 0; x < kFormat.width; ++x) picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(sample(x, y));
  return picture.Share();
}

Picture Flat(int value) {
  return PictureOf([&](int, int) { return value; });
}

/// Values of flat pictures, in 16 bits.
std::vector<int> ValuesOf(const std::vector<FrameFingerprint>& fingerprints) {
  std::vector<int> values;
  for (const FrameFingerprint& fingerprint : fingerprints) values.push_back(fingerprint.cells[100] / 256);
  return values;
}

std::vector<int> Counted(int begin, int end) {
  std::vector<int> values;
  for (int value = begin; value < end; ++value) values.push_back(value);
  return values;
}

class FingerprintStreamOf : public testing::TestWithParam<int> {};

TEST_P(FingerprintStreamOf, PreservesTheOrderOfPictures) {
  FingerprintStream stream(std::make_shared<ThreadPool>(GetParam(), ThreadPool::Mode::kThreads));
  std::vector<int> values;
  for (int i = 0; i < 200; ++i) {
    stream.Add(Flat(i));
    for (const int value : ValuesOf(stream.TakeMade())) values.push_back(value);
    if (i == 150) {
      for (const int value : ValuesOf(stream.TakeAll())) values.push_back(value);
      EXPECT_EQ(values, Counted(0, 151));
    }
  }
  for (const int value : ValuesOf(stream.TakeAll())) values.push_back(value);
  EXPECT_EQ(values, Counted(0, 200));
  EXPECT_TRUE(stream.TakeAll().empty());
}

TEST_P(FingerprintStreamOf, ReleasesPictures) {
  const auto crew = std::make_shared<ThreadPool>(GetParam(), ThreadPool::Mode::kThreads);
  FingerprintStream stream(crew);
  std::weak_ptr<const void> memory;
  {
    const Picture picture = Flat(3);
    memory = picture.memory;
    stream.Add(picture);
  }
  EXPECT_EQ(ValuesOf(stream.TakeAll()), Counted(3, 4));
  EXPECT_TRUE(memory.expired());
}

TEST_P(FingerprintStreamOf, MayBeDroppedWithPicturesInIt) {
  for (int i = 0; i < 50; ++i) {
    FingerprintStream stream(std::make_shared<ThreadPool>(GetParam(), ThreadPool::Mode::kThreads));
    for (int k = 0; k < 9; ++k) stream.Add(Flat(k));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, FingerprintStreamOf, testing::Values(0, 1, 4));

/// A wave that moves, of which an encode is a little brighter.
Picture Wave(int64_t frame, int brighter) {
  return PictureOf([&](int x, int y) {
    return 120 + 60 * std::sin(0.2 * x + 0.11 * y + 0.37 * static_cast<double>(frame)) + brighter;
  });
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

/// Black pictures, then an error.
class BrokenVideo : public VideoSource {
 public:
  BrokenVideo(int pictures, Status error) : left_(pictures), error_(std::move(error)) {}
  const PictureFormat& format() const override { return kFormat; }
  Result<std::optional<Picture>> Next() override {
    if (left_-- <= 0) return error_;
    return std::optional(Flat(16));
  }

 private:
  int left_;
  const Status error_;
};

struct Read {
  Status status;
  int64_t frames = 0;
  Status damage;
};

Read ReadBroken(StatusCode code) {
  std::vector<std::unique_ptr<VideoSource>> videos;
  videos.push_back(std::make_unique<BrokenVideo>(3, Error(code, "broken")));
  TrackReading reading(videos);
  Status status = reading.ReadTo(std::nullopt);
  return {std::move(status), reading.tracks()[0].size(), reading.damages()[0]};
}

TEST(TrackReading, OfADamagedVideoEndsWhereTheDamageIs) {
  const Read read = ReadBroken(StatusCode::kBadData);
  EXPECT_TRUE(read.status.ok());
  EXPECT_EQ(read.frames, 3);
  EXPECT_EQ(read.damage.code(), StatusCode::kBadData);
}

// The rest of a video must not be left out, or reported missing, because memory was short once.
TEST(TrackReading, FailsForReasonsThatAreNotTheVideos) {
  for (const StatusCode code : {StatusCode::kOutOfMemory, StatusCode::kCancelled})
    EXPECT_EQ(ReadBroken(code).status.code(), code);
}

}  // namespace
}  // namespace acutance
