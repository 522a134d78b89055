// Worker threads over one queue of tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Tasks learn which worker runs them, so that each worker can reuse its own buffers. A pool of one worker has by
/// default no thread: Submit runs the task, and those that it submits, before it returns. An exception that leaves a
/// task is handed to `on_error`, and the worker goes on.
class ThreadPool {
 public:
  using Task = std::function<void(int worker)>;

  enum class Mode {
    kInlineIfOne,
    kThreads,  // one worker is a thread too
  };
  using OnError = std::function<void(Status)>;

  explicit ThreadPool(int workers, Mode mode = Mode::kInlineIfOne, OnError on_error = nullptr);  // at least 1
  ~ThreadPool();                                                                                 // as End
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int workers() const { return workers_; }

  /// Whether tasks run in the thread that submits them, because no thread was wanted or the system starts none.
  bool is_inline() const { return threads_.empty(); }

  /// Runs what was submitted, and what that submits, then ends the threads.
  void End();

  /// Drops what has not begun, and what is submitted from now on, then ends the threads.
  void Drop();

  /// urgent: ahead of everything queued, for work that completes a frame already begun.
  void Submit(Task task, bool urgent = false);

  /// Workers that wait now and for which no task is queued; a hint for how finely to split work.
  int IdleWorkers() const;

 private:
  void Work(int worker);
  bool DropOne();
  void RunInline();
  void Run(const Task& task, int worker) const;

  const int workers_;
  const OnError on_error_;
  mutable std::mutex mutex_;
  std::condition_variable task_added_;
  std::deque<Task> tasks_;
  int idle_ = 0;
  bool stopping_ = false;
  bool dropping_ = false;
  bool running_inline_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace acutance
