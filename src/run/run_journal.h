// Journal of a run: its header, from which logs are written without the videos, and the frames that an earlier run
// stored, which a run restores before it stores those that follow.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engine/session_spec.h"
#include "image/picture.h"
#include "run/journal.h"
#include "run/score_run.h"

namespace acutance {

/// The videos must be regular files.
/// video: what it declares (SessionSpec::video).
Result<JournalHeader> DescribeRun(const RunRequest& request, const PictureFormat& format,
                                  const OptionTexts& video = {});

/// The part of DescribeRun's arguments that scores and logs depend on. Loads the models, which must not have changed.
struct DescribedRun {
  RunRequest request;
  PictureFormat format;
  OptionTexts video = {};  // what metrics need of what it declares
};
Result<DescribedRun> ReadRun(const JournalHeader& header);

/// Fills the results of frame `to.index` from a record of the journal `path`.
Status RestoreFrame(const JournalRecord& record, const std::string& path, FrameResults& to);

class RunJournal {
 public:
  /// Makes a session of `spec` restore the frames that the journal has, and store those that follow. The journal
  /// outlives the session.
  static Result<std::unique_ptr<RunJournal>> Open(const RunRequest& request, const PictureFormat& format,
                                                  SessionSpec& spec);

  // Once the session is open:
  int64_t restored() const { return restored_; }
  /// Whether an earlier run was complete.
  bool is_complete() const { return is_complete_; }

  /// Records that the run ended before frame `frame`.
  Status End(int64_t frame);

 private:
  explicit RunJournal(std::unique_ptr<JournalWriter> writer) : writer_(std::move(writer)) {}
  Status SkipPart(int64_t first);
  std::optional<JournalRecord> NextRecord();
  Result<bool> Restore(FrameResults& frame);

  const std::unique_ptr<JournalWriter> writer_;
  std::unique_ptr<JournalReader> reader_;  // of the frames that an earlier run stored; null: there are none
  int64_t restored_ = 0;
  bool is_complete_ = false;
};

struct JoinedRun {
  ScoredRun run;
  RunRequest request;  // the videos and what was asked of them
};

/// Takes the journals in any order. Frames in several of them must agree to the bit; a missing frame is an error. The
/// scores are those of one run over all frames.
JoinedRun JoinJournals(const std::vector<std::string>& paths, int threads);

}  // namespace acutance
