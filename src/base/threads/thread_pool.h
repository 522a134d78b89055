// Worker threads over one queue of tasks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Tasks receive the number of the worker that runs them, so that each worker can reuse its own buffers. An exception
/// that leaves a task is handed to `on_error`, and the worker continues. Where the system starts fewer threads than
/// wanted, those that started do all tasks.
class ThreadPool {
 public:
  using Task = std::function<void(int worker)>;

  enum class Mode {
    kInlineIfOne,  // a pool of one worker has no thread: Submit runs the task, and those that it submits, and returns
    kThreads,      // one worker is a thread too
  };
  using OnError = std::function<void(Status)>;

  /// workers: 0 for a pool without threads in either mode.
  explicit ThreadPool(int workers, Mode mode = Mode::kInlineIfOne, OnError on_error = nullptr);
  ~ThreadPool();  // as End
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// At least 1.
  int workers() const { return workers_; }

  /// Whether tasks run in the thread that submits them, because no thread was wanted or the system starts none.
  bool is_inline() const { return threads_.empty(); }

  /// Runs what was submitted, and what that submits, then ends the threads.
  void End();

  /// Drops what has not begun, and what is submitted from now on, then ends the threads.
  void Drop();

  /// urgent: ahead of everything queued, for work that completes a frame already begun.
  void Submit(Task task, bool urgent = false);

  /// Runs `work`, which holds `bytes` of memory until it is done and throws nothing, on a worker; at once on the
  /// caller's thread where two tasks a worker wait, where such work holds 64 MB, or where there is no memory for the
  /// queue. It always runs, so waiting for it cannot hang. Any thread.
  template <class Work>
  void RunSoon(size_t bytes, const Work& work) noexcept {
    bool is_queued = false;
    try {
      is_queued = QueueIfShort(bytes, work);
    } catch (const std::bad_alloc&) {
      is_queued = false;
    }
    if (!is_queued) work();
  }

  /// Workers that wait now and for which no task is queued; a hint for how finely to split work.
  int IdleWorkers() const;

 private:
  bool QueueIfShort(size_t bytes, const std::function<void()>& work);
  void Work(int worker);
  bool DropOne();
  void RunInline();
  void Run(const Task& task, int worker) const;

  const int workers_;
  const OnError on_error_;
  mutable std::mutex mutex_;
  std::condition_variable task_added_;
  std::deque<Task> tasks_;
  size_t held_bytes_ = 0;  // of RunSoon
  int idle_ = 0;
  bool stopping_ = false;
  bool dropping_ = false;
  bool running_inline_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace acutance
