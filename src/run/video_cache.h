// Opening of a run's videos. Pipes and first pictures that are read again are replayed from memory.
#pragma once

#include <acutance/run.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "io/video_source.h"
#include "run/score_run.h"
#include "video/replay_buffer.h"

namespace acutance {

/// The videos of a folder, for rate-quality curves. Hidden files are left out. A file that only lacks what an option
/// declares is included, so that the run reports it. kNotFound without a video.
Result<FolderVideos> FindVideos(const std::string& folder, const OpenOptions& options);

/// Videos are numbered: 0 is the reference.
class VideoCache {
 public:
  /// The request outlives the cache.
  explicit VideoCache(const RunRequest& request) : request_(&request) {}

  /// Opens the videos of another part of the run from now on, by its numbers.
  void Use(const RunRequest& part) { request_ = &part; }

  const std::string& PathOf(size_t video) const {
    return video == 0 ? request_->reference : request_->distorted[video - 1];
  }
  bool IsFile(size_t video) const;

  /// Opens a video from its first picture. A pipe that may be read again is opened once, and its pictures are cached;
  /// an error where they exceeded the limit.
  Result<std::unique_ptr<VideoSource>> Open(size_t video, const OpenOptions& options);

  /// All videos, files side by side, since decoding the first picture of each takes some time. After a failure, no
  /// later pipe is opened: kCancelled.
  std::vector<Result<std::unique_ptr<VideoSource>>> OpenAll(const OpenOptions& options);

  /// Likewise a file whose first pictures are read now: they are cached for the attempt that follows.
  Result<std::unique_ptr<VideoSource>> OpenForStart(size_t video, const OpenOptions& options);

  /// Whether another reading of the video is served from the cache, which needs chroma then.
  bool IsCached(size_t video) const { return replays_.contains(PathOf(video)); }

  /// The next reading of each video frees pictures as it passes them.
  void ReleaseAsRead();

  /// While pipes are held, a reading that is interrupted leaves them readable.
  void HoldPipes(bool hold);

  /// PictureKey::video of the reference that was opened last; 0: it has none.
  uint64_t reference_key() const { return reference_key_; }

 private:
  const RunRequest* request_;
  std::map<std::string, ReplayBuffer> replays_;  // by path
  uint64_t reference_key_ = 0;
};

}  // namespace acutance
