// Alignment of one attempt: opens the videos by a plan, records their fingerprints, and checks the plan meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "align/alignment_plan.h"
#include "align/confirm_alignment.h"
#include "align/record_fingerprints.h"
#include "engine/session_spec.h"
#include "io/video_source.h"
#include "run/score_run.h"
#include "run/video_cache.h"

namespace acutance {

/// Whether a session of this specification gets all pictures of both videos, and the build has the metric.
bool CanTapFingerprints(const SessionNeeds& needs, const SessionSpec& spec);

/// Receives the fingerprints of a pair's pictures, as ResultTap::on_result.
using FingerprintSink =
    std::function<void(int distorted, const FrameFingerprint& reference, const FrameFingerprint& own)>;
ResultTap TapFingerprints(FingerprintSink sink);

class AlignmentMonitor {
 public:
  /// All outlive the monitor.
  AlignmentMonitor(const RunRequest& request, const AlignmentPlan& plan, VideoCache& videos);

  /// Opens all videos, the reference first: the frames that the plan selects, or all while fingerprints are recorded.
  std::vector<Result<std::unique_ptr<VideoSource>>> OpenAll(const OpenOptions& options);

  /// The part of a video's pictures that is compared; not set: all. Before its pictures are read.
  void SetCrop(size_t video, const std::optional<Rectangle>& crop);

  /// Adds a tap for the fingerprints of pictures that the session gets unchanged: devices have their samples anyway.
  /// Before pictures are read. inputs: by video.
  void AddTap(std::span<const Input> inputs, std::vector<ResultTap>& taps) const;

  /// Once all videos are open: whether they cannot fit as planned.
  bool RejectsFacts();
  /// After `frames` pairs: whether they are misaligned, so that the attempt should end.
  bool Rejects(int64_t frames);
  /// Likewise, after all pairs that were read.
  bool RejectsAll();
  /// After an attempt that scored `frames` pairs; may reject them, too.
  void Conclude(int64_t frames);
  const std::optional<Misalignment>& misalignment() const { return misalignment_; }
  /// The distorted videos to which that applies.
  const std::vector<size_t>& rejected() const { return rejected_; }
  void HoldPipes() { videos_.HoldPipes(true); }
  const AlignmentTask& task() const { return task_; }
  const AlignmentPlan& plan() const { return plan_; }
  const VideoCache& videos() const { return videos_; }
  /// By distorted video: the plan's until Conclude(), then those of the scored pairs.
  std::vector<Alignment>& alignments() { return alignments_; }
  std::vector<std::string>& warnings() { return warnings_; }

  /// The reference's fingerprints from the first pair on; null where they are not recorded.
  std::shared_ptr<FingerprintTrack> reference_track() const {
    return plan_.basis == AlignmentPlan::Basis::kAssumed ? tracks_[0] : nullptr;
  }

 private:
  std::unique_ptr<VideoSource> Watch(size_t video, std::unique_ptr<VideoSource> source);
  bool FailsNextCheck();
  bool RejectsFirst(int64_t frames);
  bool PassWindow(int64_t count);
  void Reject(size_t video, Misalignment misalignment);
  void ConcludeAssumed(int64_t frames);
  void ConcludeEstimated(int64_t frames);
  bool ReadToEnds();

  AlignmentTask task_;
  const AlignmentPlan& plan_;
  VideoCache& videos_;
  std::shared_ptr<ThreadPool> crew_;                       // computes fingerprints; null: they are not recorded
  std::vector<std::shared_ptr<FingerprintTrack>> tracks_;  // by video; null: not recorded
  std::vector<double> confidence_;                         // by video, of pairs that passed
  PassedPairs passed_;
  const int64_t window_;  // pairs after which frames are forgotten
  int64_t next_check_;
  std::optional<Misalignment> misalignment_;  // of the last of them
  std::vector<size_t> rejected_;
  std::vector<Alignment> alignments_;
  std::vector<std::string> warnings_;
};

}  // namespace acutance
