// Output of a session: what becomes of finished frames' results, in frame order.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time_sum.h"
#include "engine/artifact_files.h"
#include "engine/frame_results.h"
#include "engine/score_writer.h"
#include "engine/session_spec.h"

namespace acutance {

/// Results go to taps, then artifacts to their files and receiver, then results to SessionSpec::on_results and to the
/// score tables. One thread at a time writes; any thread reads.
class SessionOutput {
 public:
  /// Both outlive it.
  SessionOutput(BoundRequests& bound, const SessionSpec& spec);

  /// Once the features have extractors: makes tables and files. share: spreads work over threads.
  Status Open(const ForEach& share);

  /// Frames that follow those of the last call.
  Status Write(std::span<FrameResults* const> frames);

  /// Likewise, frames that an earlier run computed: only their scores are written.
  Status Restore(std::span<FrameResults* const> frames);

  /// Writes the values that need all frames. Returns a sentence for each column in which a score is not a number.
  Result<std::vector<std::string>> Flush(int64_t frames);

  /// After Flush: the frames of another video follow.
  Status Restart();

  /// The time that receivers of results and artifacts took.
  double writing_seconds() const { return writing_.seconds(); }

  const ScoreTable& table(int distorted) const { return writer_.table(distorted); }
  /// Calls `reader` with a table while none is written.
  void Read(int distorted, const std::function<void(const ScoreTable&)>& reader) const;
  /// The mean over the frames written so far; does not wait for those that are being written.
  std::optional<double> RunningMean(int distorted, int model) const;

 private:
  Status CheckArtifacts() const;
  void CallTaps(const FrameResults& frame) const;
  Status DeliverArtifacts(FrameResults& frame);
  void PublishMeans();

  BoundRequests& bound_;
  const SessionSpec& spec_;
  TimeSum writing_;

  mutable std::mutex mutex_;  // guards what follows: the tables and the models' progress
  ScoreWriter writer_;
  RawArtifacts raw_artifacts_;

  mutable std::mutex means_mutex_;                         // guards means_; taken after mutex_
  std::vector<std::vector<std::optional<double>>> means_;  // [model][distorted]
};

}  // namespace acutance
