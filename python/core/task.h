// Computes a Result or a verdict on its own thread, so that Python's thread can wait in short steps, between
// which it handles signals, shows progress and runs other tasks. A forked child has no such thread: there a task is
// done and its result is an error.
#pragma once

#include <acutance/acutance.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "python/core/clip_matrices.h"

namespace acutance::python {

/// What a task may come to.
using Outcome = std::variant<Result, MeanVerdict, ClipMatrices>;

template <class Value>
Expected<Outcome> ToOutcome(Expected<Value> value) {
  if (!value.ok()) return value.status();
  return Outcome(*std::move(value));
}

class Task {
 public:
  /// The state that a task's thread and its owner share.
  struct Shared {
    std::mutex mutex;
    std::condition_variable ended;
    std::optional<Expected<Outcome>> result;
    std::function<void()> cancel;
    bool cancelled = false;
    bool stopped = false;
    Progress progress;

    FrameAction After();  // a frame
    void SetProgress(const Progress& now);
    /// `stop` may be called from any thread while the returned value lives.
    std::shared_ptr<void> WatchCancel(std::function<void()> stop);
  };
  using Work = std::function<Expected<Outcome>(Shared&)>;

  explicit Task(Work work);
  Task(Task&&) noexcept = default;
  ~Task();  // cancels a task that still works, and does not wait for it

  /// Waits at most `seconds`, or without them until the task is done, and returns whether it is.
  /// Needs no GIL.
  bool Wait(std::optional<double> seconds);
  void Cancel();
  void Stop();  // the frames so far are all
  Progress progress() const;
  Expected<Outcome> Take();  // the result of a task that is done

 private:
  bool forked() const;

  int process_;
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace acutance::python
