// Windowed alignment of long videos: memory is bounded, regardless of their length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "align/align_tracks.h"
#include "align/read_tracks.h"

namespace acutance {

/// How many frames of two videos are aligned at once. max_memory: bytes that the whole run may use; not set: no limit.
int64_t AlignmentWindow(std::optional<size_t> max_memory);

/// Aligns two videos window by window. Each begins at a pair of the one before and is searched as whole videos are; the
/// later of two windows decides the frames in which they overlap. Windows that AlignTracks refuses are left out as
/// doubtful, and videos are refused where a fourth of them is.
class WindowedAlignment {
 public:
  enum class By { kContent, kTimes };
  /// has_one_length: both declare the same number of frames.
  WindowedAlignment(int64_t window, By by, bool has_one_length)
      : window_(window), by_(by), has_one_length_(has_one_length) {}

  /// The frames that the next window needs: reference, distorted.
  std::pair<int64_t, int64_t> begin() const { return anchor_; }
  std::pair<int64_t, int64_t> end(const FrameTrack& reference, const FrameTrack& distorted) const;
  bool is_done() const { return is_done_; }

  /// Aligns the next window. The tracks begin at begin(), and is_whole says that a video ends with its track.
  void Add(FrameTrack reference, FrameTrack distorted);

  /// After the last window, of videos of these lengths.
  PlacedAlignment Finish(int64_t reference_count, int64_t distorted_count);

  /// Frames of pairs, from the first window that has some.
  const std::pair<FrameTrack, FrameTrack>& samples() const { return samples_; }

 private:
  PlacedAlignment Align(const FrameTrack& reference, const FrameTrack& distorted) const;
  PlacedAlignment AlignWindow(const FrameTrack& reference, const FrameTrack& distorted) const;
  void Take(const Alignment& found, int64_t end);
  void LeaveOut(int64_t end, double frames_each);
  void MoveAnchor(const PairList& pairs, int64_t before, double frames_each);

  const int64_t window_;
  const By by_;
  const bool has_one_length_;
  std::pair<int64_t, int64_t> anchor_{};  // the pair that the next window begins at
  int64_t decided_ = 0;                   // distorted frames
  int64_t refused_ = 0;                   // of these, in windows that were refused
  bool is_done_ = false;
  Status refusal_;  // of the first such window
  Alignment alignment_{.by = Alignment::By::kTimes};
  std::optional<FoundPlacement> placement_;
  std::pair<FrameTrack, FrameTrack> samples_;
};

/// Reads videos to their ends, or `most` frames of each, and aligns each distorted one as it goes. alignments: by
/// distorted video.
Status AlignInWindows(TrackReading& reading, std::optional<int64_t> most, std::vector<WindowedAlignment>& alignments);

}  // namespace acutance
