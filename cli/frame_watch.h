// Observers of frame scores during a run: a stream of JSON lines, and a gate that stops the run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "run/score_run.h"
#include "stats/requirement.h"

namespace acutance::cli {

/// `--progress ndjson`: a JSON object in each line of standard output. docs/schema/acutance-1.json has the events.
class FrameStream {
 public:
  /// The next frames are those of the session's videos, from the first on.
  void Restart(const Session& session);
  void Warn(const std::string& warning) const;
  /// Writes the frames whose scores are all there, in order.
  void Update(const Session& session, std::optional<int64_t> total);
  /// The remaining frames at the end of a run, those that have scores.
  void Finish(const ScoredRun& run);

 private:
  void Start(const Session& session, std::optional<int64_t> total);
  void Write(const Session& session, int64_t end, bool whole_only);

  bool started_ = false;
  std::map<int, int64_t> next_;  // by distorted video
};

/// An error where the session computes no such score as a requirement names.
Status CheckNames(const std::vector<Requirement>& requirements, const Session& session);

/// `--require` with `--fail-fast`.
class FrameGate {
 public:
  FrameGate(std::vector<Requirement> requirements, bool fail_fast)
      : requirements_(std::move(requirements)), fail_fast_(fail_fast) {}

  /// The next frames are those of the session's videos, from the first on.
  void Restart(const Session& session);
  /// After a frame: whether one has failed a requirement that every frame must meet.
  bool MustStop(const Session& session);
  /// Whether the gate ended the run before the end of the videos.
  bool has_stopped() const { return !failed_.empty(); }

 private:
  bool Fails(const Session& session, int video);

  const std::vector<Requirement> requirements_;
  const bool fail_fast_;
  std::set<int> failed_;         // distorted videos
  std::map<int, int64_t> next_;  // by distorted video
};

}  // namespace acutance::cli
