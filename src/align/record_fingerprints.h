// Recording of fingerprints as a video's frames pass.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "align/alignment.h"
#include "align/fingerprint_stream.h"
#include "align/frame_clock.h"
#include "align/frame_track.h"
#include "base/status.h"
#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

/// The fingerprints of the frames that passed; a thread reads the video, another looks.
class FingerprintTrack {
 public:
  /// crew: threads that make fingerprints; null: the thread that adds pictures.
  explicit FingerprintTrack(std::shared_ptr<ThreadPool> crew) : stream_(std::move(crew)) {}

  void Begin(std::optional<double> rate);
  /// The part of the pictures that counts. Called before the first of them.
  void SetCrop(const Rectangle& crop);
  void Add(const Picture& picture, std::optional<double> time);
  int64_t size() const;
  /// The first `count` frames, or all where there are fewer.
  FrameTrack Copy(int64_t count);
  /// These frames, without their times. Each is one that is made.
  FrameTrack CopyOf(const std::vector<int64_t>& frames);
  /// The result of AlignTracks for these frames of two videos where IsIdentityAlignment holds, which needs no copies;
  /// nullopt: it does not hold.
  static std::optional<Alignment> FitPlainly(FingerprintTrack& reference, FingerprintTrack& distorted, int64_t count);

  /// A session makes the fingerprints of the pictures that it scores, from the first on, and puts them here. Those that
  /// it does not get are made when they are asked for, of pictures in the host's memory. Called before the first
  /// picture.
  void LeaveToSession();
  void Put(const FrameFingerprint& fingerprint);
  /// The frames, of `frames`, whose fingerprints are made or are not the session's to make.
  int64_t Made(int64_t frames) const;

  /// Reads on where the whole video is fingerprinted and still open, until there are `most` frames. False: the video
  /// continues, or reading was cancelled.
  bool ReadRest(int64_t most);
  /// Whether the video has ended.
  bool has_ended() const;

  // These serve RecordAllFingerprints.
  void SetReader(std::function<Result<std::optional<Picture>>()> read);
  void End();

 private:
  void MakeUpTo(int64_t count);
  int64_t Known(int64_t count) const { return std::min(count, static_cast<int64_t>(made_.size())); }
  ToldTimes TimesOf(int64_t count) const;

  mutable std::mutex mutex_;
  FingerprintStream stream_;
  FrameTrack track_;                   // without fingerprints
  std::deque<FrameFingerprint> made_;  // a vector would move them again and again as it grows
  int64_t added_ = 0;                  // pictures
  bool is_left_ = false;
  std::deque<Picture> left_;  // to the session, which has not put them yet
  std::optional<Rectangle> crop_;
  bool has_ended_ = false;
  std::function<Result<std::optional<Picture>>()> read_;  // the next picture, which leaves its fingerprint
};

/// A part of a picture's luma, which shares the picture's memory.
Picture LumaOf(const Picture& picture, const Rectangle& crop);

std::unique_ptr<VideoSource> RecordFingerprints(std::unique_ptr<VideoSource> source,
                                                std::shared_ptr<FingerprintTrack> track);
/// Frames that are passed over leave their fingerprints, too, and those after the last one by
/// FingerprintTrack::ReadRest.
std::unique_ptr<VideoSource> RecordAllFingerprints(std::unique_ptr<VideoSource> source,
                                                   std::shared_ptr<FingerprintTrack> track);

}  // namespace acutance
