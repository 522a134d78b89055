// What `acutance score` does with the scores of frames while it runs: streams them, and stops where a gate on frames
// fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "run/score_run.h"
#include "stats/requirement.h"

namespace acutance::cli {

/// `--progress ndjson`: a JSON object in each line of standard output. docs/schema/acutance-1.json has the events.
class FrameStream {
 public:
  /// Frames come from the first on; after frames, those do not count.
  void Restart();
  void Warn(const std::string& warning) const;
  /// Frames whose scores are all there, in order.
  void Update(const Session& session, std::optional<int64_t> total);
  /// Handles the frames that are left at the end of a run, as far as they have scores.
  void Finish(const Session& session, int64_t frames);

 private:
  void Start(std::optional<int64_t> total);
  void Write(const Session& session, int64_t end, bool whole_only);

  bool started_ = false;
  std::vector<int64_t> next_;  // by distorted video
};

/// An error where a requirement names no score that the session makes.
Status CheckNames(const std::vector<Requirement>& requirements, const Session& session);

/// `--require` with `--fail-fast`.
class FrameGate {
 public:
  FrameGate(std::vector<Requirement> requirements, bool fail_fast)
      : requirements_(std::move(requirements)), fail_fast_(fail_fast) {}

  /// Frames come from the first on.
  void Restart();
  /// After a frame: whether one has failed a requirement that every frame must meet.
  bool MustStop(const Session& session);
  /// Whether the run was ended before the videos.
  bool has_stopped() const { return has_stopped_; }

 private:
  bool Fails(const Session& session, int video);

  const std::vector<Requirement> requirements_;
  const bool fail_fast_;
  bool has_stopped_ = false;
  std::vector<int64_t> next_;  // by distorted video
};

}  // namespace acutance::cli
