// Worker threads over one queue of tasks.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace acutance {

/// Tasks learn which worker runs them, so that each worker can reuse its own buffers. A pool of one worker has by
/// default no thread: Submit runs the task, and those that it submits, before it returns.
class ThreadPool {
 public:
  using Task = std::function<void(int worker)>;

  enum class Mode {
    kInlineIfOne,
    kThreads,  // one worker is a thread too
  };
  explicit ThreadPool(int workers, Mode mode = Mode::kInlineIfOne);  // at least 1
  ~ThreadPool();                                                     // as End
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int workers() const { return workers_; }

  /// Runs what was submitted, and what that submits, then ends the threads.
  void End();

  /// urgent: ahead of everything queued, for work that completes a frame already begun.
  void Submit(Task task, bool urgent = false);

  /// Workers that wait now and for which no task is queued; a hint for how finely to split work.
  int IdleWorkers() const;

 private:
  void Work(int worker);
  void RunInline();

  const int workers_;
  mutable std::mutex mutex_;
  std::condition_variable task_added_;
  std::deque<Task> tasks_;
  int idle_ = 0;
  bool stopping_ = false;
  bool running_inline_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace acutance
