// Fingerprint recording while a video's frames pass, computed in the background.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "align/alignment.h"
#include "align/frame_track.h"
#include "align/picture_stream.h"
#include "base/status.h"
#include "base/threads/thread_pool.h"
#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

/// The fingerprints of a video's pictures, in order.
class FingerprintStream : public PictureStream<FrameFingerprint> {
 public:
  /// crew: null for none.
  explicit FingerprintStream(std::shared_ptr<ThreadPool> crew)
      : PictureStream(std::move(crew), [](const Picture& picture, const Picture&) { return FingerprintOf(picture); }) {}
};

/// The background threads that a run of `threads` threads needs; null for a single one.
std::shared_ptr<ThreadPool> MakeFingerprintCrew(int threads);

/// The fingerprints of the frames that passed. One thread reads the video, another one compares.
class FingerprintTrack {
 public:
  /// crew: threads that compute fingerprints; null: the thread that adds pictures.
  explicit FingerprintTrack(std::shared_ptr<ThreadPool> crew) : stream_(std::move(crew)) {}

  void Begin(std::optional<double> rate);
  /// The part of the pictures that is fingerprinted. Called before the first of them.
  void SetCrop(const Rectangle& crop);
  void Add(const Picture& picture, std::optional<double> time);
  int64_t size() const;
  /// The first `count` frames, or all if there are fewer; without forgotten ones.
  FrameTrack Copy(int64_t count);
  /// Frees the fingerprints of the first `count` frames, which the receiver gets one by one.
  void Forget(int64_t count);
  void SetForgotten(std::function<void(const FrameFingerprint&)> receiver) { forgotten_ = std::move(receiver); }
  /// These of the frames that are not forgotten, without their times. Their fingerprints must be computed already.
  FrameTrack CopyOf(const std::vector<int64_t>& frames);
  /// The result of AlignTracks for these frames of two videos where IsIdentityAlignment holds, which needs no copies;
  /// nullopt: it does not hold.
  static std::optional<Alignment> FitPlainly(FingerprintTrack& reference, FingerprintTrack& distorted, int64_t count);

  /// A session computes the fingerprints of the pictures that it scores, from the first on, and puts them here. The
  /// others are computed on demand, of pictures in the host's memory. Called before the first picture.
  void LeaveToSession();
  bool is_left() const;
  void Put(const FrameFingerprint& fingerprint);
  /// The frames, of `frames`, whose fingerprints are computed or are not the session's to compute.
  int64_t Made(int64_t frames) const;

  /// Continues reading, where the whole video is fingerprinted and still open, until there are `most` frames. False:
  /// the video continues, or reading was cancelled.
  bool ReadRest(int64_t most);
  /// Whether the video has ended.
  bool has_ended() const;

  // These serve RecordAllFingerprints.
  void SetReader(std::function<Result<std::optional<Picture>>()> read);
  void End();

 private:
  void MakeUpTo(int64_t count);
  int64_t Known(int64_t count) const { return std::clamp<int64_t>(count - first_, 0, std::ssize(made_)); }
  DeclaredTimes TimesOf(int64_t count) const;

  mutable std::mutex mutex_;
  FingerprintStream stream_;
  FrameTrack track_;                   // without fingerprints
  std::deque<FrameFingerprint> made_;  // a vector would copy them again and again as it grows
  int64_t first_ = 0;                  // frames that are forgotten
  std::function<void(const FrameFingerprint&)> forgotten_;
  int64_t added_ = 0;  // pictures
  bool is_left_ = false;
  std::deque<Picture> left_;  // to the session, which has not put their fingerprints yet
  std::optional<Rectangle> crop_;
  bool has_ended_ = false;
  std::function<Result<std::optional<Picture>>()> read_;  // the next picture, which leaves its fingerprint
};

/// A part of a picture's luma, which shares the picture's memory.
Picture LumaOf(const Picture& picture, const Rectangle& crop);

/// `source`, whose frames leave their fingerprints in `track`; skipped frames leave none.
std::unique_ptr<VideoSource> RecordFingerprints(std::unique_ptr<VideoSource> source,
                                                std::shared_ptr<FingerprintTrack> track);
/// The same; skipped frames leave their fingerprints, too, and FingerprintTrack::ReadRest reads those after the last.
std::unique_ptr<VideoSource> RecordAllFingerprints(std::unique_ptr<VideoSource> source,
                                                   std::shared_ptr<FingerprintTrack> track);

}  // namespace acutance
