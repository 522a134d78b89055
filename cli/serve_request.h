// Requests of `acutance serve` and their replies, one JSON object a line.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "cli/reference_store.h"
#include "cli/score_request.h"
#include "run/score_run.h"

namespace acutance::cli {

/// Answers requests of several connections; runs are serialized, since each uses the whole machine.
class ScoreServer {
 public:
  ScoreServer(size_t most_bytes, std::optional<size_t> most_device_bytes)
      : references_(most_bytes, most_device_bytes) {}

  /// A line of JSON, without the newline; an error where `line` is no request. is_gone: whether the client has closed
  /// its connection, which ends the run; polled on another thread.
  std::string Answer(std::string_view line, const std::function<bool()>& is_gone);

  /// Ends the current run, and later ones at their start.
  void Stop() { is_stopped_ = true; }

 private:
  struct Reply {
    int status = 0;  // as the exit status of `acutance score`
    Json fields;
  };

  Result<Reply> AnswerRequest(const Json& request, const std::function<bool()>& is_gone);
  Result<Reply> Score(const Json& request, const std::function<bool()>& is_gone);
  Result<Reply> Run(ScoreRequest& score, const std::function<bool()>& is_gone);
  Result<Reply> Drop(const Json& request);
  Reply Describe();

  std::mutex run_mutex_;  // held while videos are scored
  std::mutex store_mutex_;
  ReferenceStore references_;
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace acutance::cli
