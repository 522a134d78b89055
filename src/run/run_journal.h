// The journal of a run: what it had of it, and what is added.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/session.h"
#include "run/journal.h"
#include "run/score_run.h"

namespace acutance {

/// Hands frames that were kept to a session, several at a time.
class Restorer {
 public:
  explicit Restorer(Session& session);

  /// The next frame, of the journal `path`.
  Status Add(const JournalRecord& record, const std::string& path);
  Status Flush();

 private:
  Session& session_;
  std::vector<FrameResults> frames_;
  size_t count_ = 0;
};

/// Outlives the frames of the session that it serves.
class RunJournal {
 public:
  /// After the session's start: hands it the frames that the journal has, and keeps those that follow.
  static Result<std::unique_ptr<RunJournal>> Open(const RunRequest& request, const PictureFormat& format,
                                                  Session& session);

  int64_t restored() const { return restored_; }
  /// Whether an earlier run came to the end.
  bool is_complete() const { return is_complete_; }

  /// The run came to its end.
  Status End();

 private:
  RunJournal(std::unique_ptr<JournalWriter> writer, Session& session) : writer_(std::move(writer)), session_(session) {}
  Status Restore(const RunRequest& request);
  Status RestoreFrames(JournalReader& reader, int64_t first);

  const std::unique_ptr<JournalWriter> writer_;
  Session& session_;
  int64_t restored_ = 0;
  bool is_complete_ = false;
};

}  // namespace acutance
