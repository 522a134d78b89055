#include "base/threads/thread_pool.h"

#include <algorithm>
#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

void StartThreads(int wanted, std::vector<std::thread>& threads, const std::function<void(int)>& work) {
  threads.reserve(wanted);
  for (int i = 0; i < wanted; ++i) {
    std::thread thread;
    if (!StartThread(thread, [work, i] { work(i); }).ok()) break;
    threads.push_back(std::move(thread));
  }
}

}  // namespace

ThreadPool::ThreadPool(int workers, Mode mode, OnError on_error)
    : workers_(std::max(workers, 1)), on_error_(std::move(on_error)) {
  if (workers > 1 || (workers == 1 && mode == Mode::kThreads))
    StartThreads(workers, threads_, [this](int worker) { Work(worker); });
}

ThreadPool::~ThreadPool() { End(); }

void ThreadPool::End() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  task_added_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void ThreadPool::Drop() {
  while (DropOne()) continue;
  End();
}

/// Called while sessions end, perhaps because there is no memory: it takes none.
bool ThreadPool::DropOne() {
  Task dropped;  // goes outside the lock
  std::lock_guard lock(mutex_);
  dropping_ = true;
  if (tasks_.empty()) return false;
  dropped = std::move(tasks_.front());
  tasks_.pop_front();
  return true;
}

void ThreadPool::Submit(Task task, bool urgent) {
  {
    std::lock_guard lock(mutex_);
    if (dropping_) return;
    if (urgent) {
      tasks_.push_front(std::move(task));
    } else {
      tasks_.push_back(std::move(task));
    }
  }
  if (threads_.empty()) {
    RunInline();
  } else {
    task_added_.notify_one();
  }
}

bool ThreadPool::QueueIfShort(size_t bytes, const std::function<void()>& work) {
  constexpr size_t kMostBytes = size_t{64} << 20;
  {
    const std::lock_guard lock(mutex_);
    if (dropping_ || tasks_.size() >= 2 * threads_.size() || held_bytes_ + bytes > kMostBytes) return false;
    tasks_.emplace_back([this, bytes, work](int) {
      work();
      const std::lock_guard locked(mutex_);
      held_bytes_ -= bytes;
    });
    held_bytes_ += bytes;
  }
  task_added_.notify_one();
  return true;
}

int ThreadPool::IdleWorkers() const {
  std::lock_guard lock(mutex_);
  return std::max(idle_ - static_cast<int>(tasks_.size()), 0);
}

void ThreadPool::RunInline() {
  if (running_inline_) return;  // a task submitted this one; the loop that runs that task continues with it
  running_inline_ = true;
  while (!tasks_.empty()) {
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    Run(task, 0);
  }
  running_inline_ = false;
}

void ThreadPool::Run(const Task& task, int worker) const {
  Status status = CatchExceptions([&] {
    task(worker);
    return Status();
  });
  if (!status.ok() && on_error_) on_error_(std::move(status));
}

void ThreadPool::Work(int worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    task_added_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    Run(task, worker);
    task = nullptr;  // releases what the task holds before this worker waits
    lock.lock();
  }
}

}  // namespace acutance
