// Attempt at a run: a decoder and an alignment plan in, scores or the reason for another attempt out. Its phases are
// open, fit, start and feed; each takes the result of the one before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "align/alignment_plan.h"
#include "align/confirm_alignment.h"
#include "base/status.h"
#include "engine/session.h"
#include "engine/session_spec.h"
#include "image/picture_key.h"
#include "io/video_source.h"
#include "run/alignment_monitor.h"
#include "run/run_journal.h"
#include "run/run_observers.h"
#include "run/score_run.h"
#include "run/video_cache.h"
#include "video/fit_videos.h"
#include "video/pair_reader.h"

namespace acutance {

struct Attempt {
  Decoder decoder = Decoder::kCpu;
  AlignmentPlan alignment{};
};

struct AttemptResult {
  enum class Outcome {
    kDone,     // the run ends: it has scores or an error
    kRealign,  // the frames are not aligned as planned
    kNoNvdec,  // an error, where NVDEC decoded: FFmpeg's own decoders may do
  };
  Outcome outcome = Outcome::kDone;
  ScoredRun run{};
  std::vector<std::string> alignment_warnings{};  // the last of the run's
  Misalignment misalignment{};                    // kRealign
  AlignmentTask task{};                           // kRealign: with the videos as they were opened
};

/// kCancelled is the error of a run that its user cancelled, and of no other.
AttemptResult RunAttempt(const RunRequest& request, const Attempt& attempt, VideoCache& videos);

/// Phases of an attempt return a value, or nullopt once the report has an error or the alignment was rejected.
class AttemptReport {
 public:
  /// on_warning: called with each warning as it occurs; null: nothing is.
  explicit AttemptReport(std::function<void(const std::string&)> on_warning) : on_warning_(std::move(on_warning)) {}

  /// Each warning once: videos may be opened again, for a device.
  void Warn(std::string warning);

  std::nullopt_t Fail(RunStage stage, Status status) {
    error_ = RunError{stage, std::move(status)};
    return std::nullopt;
  }

  /// Videos that cannot be compared: `status` is PairReader's, or of another error while they are read.
  std::nullopt_t FailPair(const RunRequest& request, const Status& status);

  /// The scores of the frames before it are valid where the stage is kRead.
  std::optional<RunError>& error() { return error_; }
  std::vector<std::string>& warnings() { return warnings_; }

  void NoteNvdec() { used_nvdec_ = true; }
  /// Whether NVDEC decoded a video, so that an error may be one of it.
  bool used_nvdec() const { return used_nvdec_; }

 private:
  const std::function<void(const std::string&)> on_warning_;
  std::vector<std::string> warnings_;
  std::optional<RunError> error_;
  bool used_nvdec_ = false;
};

// Opening and fitting the videos (open_inputs.cc).

/// Keys of a cached reference's pictures, by which devices find what an earlier run uploaded.
class ReferenceKeys {
 public:
  ReferenceKeys() = default;
  /// video: PictureKey::video of the opened reference; 0: it has none. skipped: frames before the first pair. plan:
  /// which frames are read; it outlives the keys.
  ReferenceKeys(uint64_t video, int64_t skipped, const AlignmentPlan& plan) : skipped_(skipped), plan_(&plan) {
    first_.video = video;
  }

  /// Notes how the reference's pictures are changed before they are scored.
  void Prepare(const Input& reference);

  /// The key of the reference picture of a pair.
  PictureKey Of(int64_t pair) const;

 private:
  PictureKey first_;
  int64_t skipped_ = 0;
  const AlignmentPlan* plan_ = nullptr;
};

struct OpenedInputs {
  PairReaderInput reference;
  std::vector<PairReaderInput> distorted;
  ReferenceKeys keys;
  bool is_instant = true;  // all pictures are in memory, so that none are read ahead
};

/// nvdec: how a device decodes each video; null: it does not.
std::optional<OpenedInputs> OpenInputs(const RunRequest& request, const OpenOptions& options, const DeviceInfo* nvdec,
                                       AlignmentMonitor& alignment, AttemptReport& report);

struct FittedInputs {
  OpenedInputs opened;
  std::vector<Input> inputs;  // the reference first
};

/// Crops, converts and scales. nullopt: an error, or the videos cannot be aligned as planned.
std::optional<FittedInputs> FitInputs(const RunRequest& request, OpenedInputs opened, AlignmentMonitor& alignment,
                                      AttemptReport& report);

// Starting the session (start_scoring.cc).

/// What is known of a session without its videos.
struct SessionSetup {
  SessionSpec spec;
  SessionNeeds needs;
};

std::optional<SessionSetup> SetUpSession(const RunRequest& request, AttemptReport& report);

/// Decides whether NVDEC decodes, and on which device: one into whose memory all features can run. false: an error.
bool ChooseNvdec(const RunRequest& request, const SessionSetup& setup, std::optional<DeviceInfo>& nvdec,
                 AttemptReport& report);

struct StartedRun {
  ScoredRun facts{};  // what is known before the first frame
  RunObservers observers;
  ReferenceKeys keys;
  std::unique_ptr<RunJournal> journal{};  // null: none; outlives the session, whose results go there
  std::unique_ptr<Session> session{};
  std::unique_ptr<PairReader> reader{};
};

std::optional<StartedRun> StartScoring(const RunRequest& request, SessionSetup setup, FittedInputs fitted,
                                       const AlignmentMonitor& alignment, AttemptReport& report);

// Feeding its frames, and concluding (feed_frames.cc).

/// Scores all frames. nullopt: an error without scores, or the frames turned out to be misaligned, as `alignment` says
/// then. A run that is returned may have an error, too: the frames before it were scored.
std::optional<ScoredRun> ScoreFrames(const RunRequest& request, StartedRun started, AlignmentMonitor& alignment,
                                     AttemptReport& report);

}  // namespace acutance
