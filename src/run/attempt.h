// Phases of an attempt at a run, each of which takes the result of the one before: open, fit, start, feed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "align/alignment_plan.h"
#include "base/status.h"
#include "engine/session.h"
#include "engine/session_spec.h"
#include "image/picture_key.h"
#include "io/video_source.h"
#include "run/alignment_monitor.h"
#include "run/encode_groups.h"
#include "run/run_journal.h"
#include "run/run_observers.h"
#include "run/score_run.h"
#include "video/fit_videos.h"
#include "video/pair_reader.h"

namespace acutance {

/// Phases of an attempt return a value, or nullopt once the report has an error or the alignment was rejected.
class AttemptReport {
 public:
  /// on_warning: called with each warning as it occurs; null: nothing is.
  explicit AttemptReport(std::function<void(const std::string&)> on_warning) : on_warning_(std::move(on_warning)) {}

  /// Records each warning once: videos may be opened again, for a device.
  void Warn(std::string warning);

  std::nullopt_t Fail(RunStage stage, Status status) {
    error_ = RunError{stage, std::move(status)};
    return std::nullopt;
  }

  /// For videos that cannot be compared. status: PairReader's, or another error of reading.
  std::nullopt_t FailPair(const RunRequest& request, const Status& status);

  /// Where the stage is kRead, the scores of the frames before it are valid.
  std::optional<RunError>& error() { return error_; }
  std::vector<std::string>& warnings() { return warnings_; }

  /// Groups of distorted videos which the reference is brought to one form for; the attempt ends.
  std::nullopt_t Split(std::vector<VideoGroup> groups) {
    groups_ = std::move(groups);
    return std::nullopt;
  }
  std::vector<VideoGroup>& groups() { return groups_; }

  /// Distorted videos that have more frames to score, since another one ended the attempt.
  void NoteUnfinished(VideoGroup videos) { unfinished_ = std::move(videos); }
  VideoGroup& unfinished() { return unfinished_; }

  /// The warnings of videos that are damaged, of an attempt whose frames turned out to be misaligned: they are a reason
  /// where no alignment is found.
  void NoteDamage(std::vector<std::string> warnings) { damage_ = std::move(warnings); }
  std::vector<std::string>& damage() { return damage_; }

  /// NVDEC decoded a video, so that it may have caused an error.
  void NoteNvdec() { used_nvdec_ = true; }
  bool used_nvdec() const { return used_nvdec_; }

 private:
  const std::function<void(const std::string&)> on_warning_;
  std::vector<std::string> warnings_;
  std::vector<std::string> damage_;
  std::vector<VideoGroup> groups_;
  VideoGroup unfinished_;
  std::optional<RunError> error_;
  bool used_nvdec_ = false;
};

// Opening and fitting the videos (open_inputs.cc).

/// A warning for each raw file whose bytes fit another format far better than the declared one.
std::vector<std::string> DoubtRawFormats(const RunRequest& request);

/// Keys of a cached reference's pictures, by which devices find what an earlier run uploaded.
class ReferenceKeys {
 public:
  ReferenceKeys() = default;
  /// video: PictureKey::video of the opened reference; 0: it has none. skipped: frames before the first pair. plan:
  /// which frames are read; it outlives the keys.
  ReferenceKeys(uint64_t video, int64_t skipped, const AlignmentPlan& plan) : skipped_(skipped), plan_(&plan) {
    first_.video = video;
  }

  /// Adds how the reference's pictures are converted before they are scored.
  void Prepare(const Input& reference);
  PictureKey Of(int64_t pair) const;

 private:
  PictureKey first_;
  int64_t skipped_ = 0;
  const AlignmentPlan* plan_ = nullptr;
};

/// A video whose samples are hashed as it is read.
struct HashedVideo {
  std::shared_ptr<SampleHasher> hasher;
  int64_t first = 0;  // its frame in the first pair, where frames are paired in their order
};

struct OpenedInputs {
  PairReaderInput reference;
  std::vector<PairReaderInput> distorted;
  ReferenceKeys keys;
  std::vector<HashedVideo> hashed{};  // the reference first; empty: no samples are hashed
  bool is_instant = true;             // all pictures are in memory, so that none are read ahead
};

std::optional<OpenedInputs> OpenInputs(const RunRequest& request, const OpenOptions& options,
                                       AlignmentMonitor& alignment, AttemptReport& report);

struct FittedInputs {
  OpenedInputs opened;
  std::vector<Input> inputs;  // the reference first
};

/// Crops, converts and scales. nullopt: an error, or the videos cannot be aligned as planned.
std::optional<FittedInputs> FitInputs(const RunRequest& request, OpenedInputs opened, AlignmentMonitor& alignment,
                                      AttemptReport& report);

// Starting the session (start_scoring.cc).

struct SessionSetup {
  SessionSpec spec;
  SessionNeeds needs;
};

std::optional<SessionSetup> SetUpSession(const RunRequest& request, AttemptReport& report);

struct StartedRun {
  ScoredRun facts{};  // what is known before the first frame
  RunObservers observers;
  ReferenceKeys keys;
  std::vector<HashedVideo> hashed{};
  std::unique_ptr<RunJournal> journal{};  // null: none; outlives the session, whose results go there
  std::shared_ptr<Session> session{};
  std::unique_ptr<PairReader> reader{};
};

std::optional<StartedRun> StartScoring(const RunRequest& request, SessionSetup setup, FittedInputs fitted,
                                       const AlignmentMonitor& alignment, AttemptReport& report);

// Feeding its frames, and concluding (feed_frames.cc).

/// Scores all frames. nullopt: an error without scores, or misaligned frames (AlignmentMonitor::misalignment). A run
/// that is returned may have an error, too: the frames before it were scored.
std::optional<ScoredRun> ScoreFrames(const RunRequest& request, StartedRun started, AlignmentMonitor& alignment,
                                     AttemptReport& report);

}  // namespace acutance
