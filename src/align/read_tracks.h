// Fingerprint reading: decodes videos for their fingerprints alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "align/frame_track.h"
#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

/// How many frames are worth reading once the shortest video has ended after `shortest` frames; `rates` is the fastest
/// video's rate over the slowest one's.
int64_t WorthReading(int64_t shortest, double rates);

/// Each video is read by a thread of its own. A video that is damaged ends where the damage is.
class TrackReading {
 public:
  explicit TrackReading(const std::vector<std::unique_ptr<VideoSource>>& videos);

  /// Reads on until each video has `most_frames` frames or has ended; without a number to the ends. A video that is far
  /// longer than the shortest is left where nothing of that can follow (FrameTrack::is_whole).
  Status ReadTo(std::optional<int64_t> most_frames);

  /// Forgets the frames of each video before one, and reads on until there are those before another one.
  Status ReadWindow(const std::vector<int64_t>& begins, const std::vector<int64_t>& ends);
  /// Frames of a video that were read last. is_whole: it has ended, or has `most` frames.
  FrameTrack PartOf(size_t video, int64_t begin, int64_t end, int64_t most) const;
  /// Counts the other frames that are worth reading, up to `most`.
  Status CountRest(int64_t most);
  int64_t CountOf(size_t video) const { return firsts_[video] + tracks_[video].size(); }

  const std::vector<FrameTrack>& tracks() const { return tracks_; }
  /// Why reading ended before the video did, for each video.
  const std::vector<Status>& damages() const { return damages_; }

 private:
  const std::vector<std::unique_ptr<VideoSource>>& videos_;
  std::vector<FrameTrack> tracks_;
  std::vector<int64_t> firsts_;  // by video, the number of its track's first frame
  std::vector<Status> damages_;
  std::vector<uint8_t> ended_;  // by video
  double rates_ = 1;
};

}  // namespace acutance
