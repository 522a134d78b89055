// Scores of many short clips, by sessions that score one clip after another.
#pragma once

#include <acutance/acutance.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/core/planes.h"
#include "python/core/task.h"

namespace acutance::python {

class ClipScorer {
 public:
  /// sessions: at most this number of clips is scored at the same time, by a session each, which stay open between
  /// calls.
  ClipScorer(SessionOptions options, std::optional<int> bit_depth, PixelFormat pixel_format, int sessions);
  ClipScorer(const ClipScorer&) = delete;
  ~ClipScorer();

  bool needs_chroma() const { return needs_chroma_; }

  /// Planes of shape (clips, frames, height, width). Holds the GIL. The task may outlive the scorer.
  std::unique_ptr<Task> Score(const std::vector<nanobind::object>& reference,
                              const std::vector<nanobind::object>& distorted);

 private:
  struct State;

  const std::optional<int> bit_depth_;
  const PixelFormat pixel_format_;
  const pid_t process_;
  bool needs_chroma_ = false;
  std::shared_ptr<State> state_;
};

}  // namespace acutance::python
