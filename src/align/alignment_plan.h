// Plan of a run's frame alignment: decisions from fingerprints and stream facts alone, without files.
//
// A run begins with FirstPlan(), scores frames, and checks meanwhile whether they are aligned (confirm_alignment.h).
// Where they are not, or NeedsFullAlignment(), it begins again: with the offset that its first frames show plainly, or
// with PlanFromTracks() of the whole videos.
#pragma once

#include <acutance/facts.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "align/align_tracks.h"
#include "align/alignment.h"
#include "align/find_placement.h"
#include "align/frame_track.h"
#include "base/status.h"
#include "image/picture.h"
#include "image/rectangle.h"

namespace acutance {

/// What is known of a video before its pictures are read.
struct AlignedVideo {
  std::string name;
  bool is_file = true;  // it can be read again; false: a pipe
  std::optional<int64_t> frame_count{};
  std::optional<double> frame_rate{};
  Orientation orientation{};
  std::optional<Rectangle> crop{};  // of the picture as displayed; not set: all
  PictureFormat format{};           // as it is stored
  double pixel_aspect = 1;
  std::optional<bool> full_range{};  // as its stream declares; not set: RGB, which gets the other's
};

/// What a plan depends on next to the pictures.
struct AlignmentTask {
  AlignmentRequest request{};
  int64_t first_frame = 0;
  int64_t frame_limit = 0;             // 0: all
  bool has_journal = false;            // frames are aligned before the first of them is scored
  bool may_estimate = true;            // a wrong estimate, which costs a restart, is allowed
  std::vector<AlignedVideo> videos{};  // the reference first
};

struct AlignmentPlan {
  enum class Basis {
    kGiven,      // by the request: nothing is checked
    kAssumed,    // frame by frame, until a check refutes it
    kEstimated,  // at the offset that the first frames show, likewise
    kMeasured,   // by the fingerprints or times of all frames
  };
  Basis basis = Basis::kGiven;
  int64_t offset = 0;       // distorted frame k + offset is aligned with reference frame k
  int64_t first_check = 0;  // pairs after which an assumption or estimate is checked; the next at four times as many
  std::vector<std::vector<int64_t>> selected{};  // frames by video, the reference first; empty: all
  std::vector<Alignment> alignments{};           // by distorted video, where they are known before the run
  std::vector<std::string> warnings{};
  std::string fingerprint{};  // of the selected pairs, for the journal; empty: frame by frame
  Status damage{};            // why a video breaks off before the other one, which no pair shows

  /// Whether frames are compared while they are scored.
  bool is_checked() const { return basis == Basis::kAssumed || basis == Basis::kEstimated; }
  /// Frames of a video before the first pair.
  int64_t SkipOf(size_t video) const { return std::max<int64_t>(0, video == 0 ? -offset : offset); }
  /// The reference's frame that the selection returns after `count` others.
  int64_t ReferenceFrame(int64_t count) const { return selected.empty() ? count : selected[0][count]; }
};

inline constexpr int64_t kFirstAlignmentCheck = 96;  // pairs

/// The plan before a video is read. pairs: those of AlignmentRequest::Mode::kFile.
AlignmentPlan FirstPlan(const AlignmentTask& task, PairList pairs);

/// Whether videos cannot be assumed to fit frame by frame: lengths or rates differ, pictures are rotated, or alignment
/// by times is requested.
bool NeedsFullAlignment(const AlignmentTask& task, const AlignmentPlan& plan);

/// Whether the offset of the whole videos may be estimated from their first frames.
bool MayEstimateOffset(const AlignmentTask& task);

/// The offset that frames show plainly, where it is not `rejected`.
std::optional<int64_t> PlainOffset(const Result<Alignment>& found, std::optional<int64_t> rejected);
AlignmentPlan PlanWithOffset(int64_t offset, int64_t first_check);

/// The plan from the first `count` frames: frame by frame, or at an offset. nullopt: they do not show it plainly.
std::optional<AlignmentPlan> PlanFromStart(const AlignmentTask& task, const FrameTrack& reference,
                                           const FrameTrack& distorted, int64_t count);

/// The plan for one distorted video from all frames. tracks: both; damages: of both, why it could not be read to its
/// end; empty: it could. Refuses videos that cannot be aligned: the message names them and says what to do.
Result<AlignmentPlan> PlanFromTracks(const AlignmentTask& task, const std::vector<FrameTrack>& tracks,
                                     const std::vector<Status>& damages);

/// How one distorted video is aligned.
struct AlignedTracks {
  PlacedAlignment placed;
  int64_t reference_count = 0, distorted_count = 0;
  std::pair<FrameTrack, FrameTrack> samples{};                   // as SamplePairs has them
  std::span<const double> reference_times{}, distorted_times{};  // of all frames; empty: not known
};
/// The same, of videos that were aligned already: by distorted video.
Result<AlignmentPlan> PlanFromAligned(const AlignmentTask& task, std::vector<AlignedTracks> aligned,
                                      const std::vector<Status>& damages);

/// The warning for a video that shows a part of the other's picture.
std::string PlacementWarning(const AlignmentTask& task, size_t video, const FoundPlacement& placement);

/// The warning where the samples of aligned frames contradict the ranges that streams declare. Frame k of one track is
/// aligned with frame k of the other.
std::optional<std::string> RangeWarning(const AlignmentTask& task, size_t video, const FrameTrack& reference,
                                        const FrameTrack& distorted);

}  // namespace acutance
