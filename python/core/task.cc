#include "python/core/task.h"

#include <chrono>
#include <new>
#include <utility>

namespace acutance::python {
namespace {

Expected<Result> Guarded(const Task::Work& work, Task::Shared& shared) {
  try {
    return work(shared);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::kOutOfMemory, "not enough memory to score; use fewer threads");
  }
}

}  // namespace

Next Task::Shared::After() {
  const std::lock_guard lock(mutex);
  return cancelled ? Next::kCancel : stopped ? Next::kStop : Next::kGoOn;
}

void Task::Shared::SetProgress(const Progress& now) {
  const std::lock_guard lock(mutex);
  progress = now;
}

std::shared_ptr<void> Task::Shared::WatchCancel(std::function<void()> stop) {
  const std::lock_guard lock(mutex);
  cancel = std::move(stop);
  if (cancelled) cancel();
  return {this, [](Shared* shared) {
            const std::lock_guard locked(shared->mutex);
            shared->cancel = nullptr;
          }};
}

Task::Task(Work work) : shared_(std::make_shared<Shared>()) {
  thread_ = std::thread([shared = shared_, work = std::move(work)]() mutable {
    Expected<Result> result = Guarded(work, *shared);
    work = nullptr;  // releases what it holds before the owner is told
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->ended.notify_all();
  });
}

Task::~Task() {
  if (!thread_.joinable()) return;
  Cancel();
  if (Wait(0)) thread_.join();
  else thread_.detach();
}

bool Task::Wait(std::optional<double> seconds) {
  std::unique_lock lock(shared_->mutex);
  const auto done = [&] { return shared_->result.has_value(); };
  if (seconds) return shared_->ended.wait_for(lock, std::chrono::duration<double>(*seconds), done);
  shared_->ended.wait(lock, done);
  return true;
}

void Task::Cancel() {
  const std::lock_guard lock(shared_->mutex);
  shared_->cancelled = true;
  if (shared_->cancel) shared_->cancel();
}

void Task::Stop() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stopped = true;
}

Progress Task::progress() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->progress;
}

Expected<Result> Task::Take() {
  const std::lock_guard lock(shared_->mutex);
  return *shared_->result;
}

}  // namespace acutance::python
