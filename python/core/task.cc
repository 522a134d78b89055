#include "python/core/task.h"

#include <unistd.h>

#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace acutance::python {
namespace {

/// The error for the exception that is being handled. Where there is no memory for a message, it has a shorter one.
Status StatusFromException() noexcept {
  constexpr const char* kShort = "out of memory";  // it fits into a string without an allocation
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return {StatusCode::kOutOfMemory, "not enough memory to score; use fewer threads"};
    } catch (const std::exception& error) {
      return {StatusCode::kOutOfMemory, std::string("the system refuses: ") + error.what()};
    }
  } catch (...) {
    return {StatusCode::kOutOfMemory, kShort};
  }
}

Expected<Outcome> CatchExceptions(const Task::Work& work, Task::Shared& shared) {
  try {
    return work(shared);
  } catch (...) {
    return StatusFromException();
  }
}

}  // namespace

FrameAction Task::Shared::After() {
  const std::lock_guard lock(mutex);
  return cancelled ? FrameAction::kCancel : stopped ? FrameAction::kStop : FrameAction::kContinue;
}

void Task::Shared::SetProgress(const Progress& now) {
  const std::lock_guard lock(mutex);
  progress = now;
}

std::shared_ptr<void> Task::Shared::WatchCancel(std::function<void()> stop) {
  // Made before the mutex is held: without memory for it, what ends it is called at once.
  std::shared_ptr<void> watch(this, [](Shared* shared) {
    const std::lock_guard locked(shared->mutex);
    shared->cancel = nullptr;
  });
  const std::lock_guard lock(mutex);
  cancel = std::move(stop);
  if (cancelled) cancel();
  return watch;
}

Task::Task(Work work) : process_(getpid()), shared_(std::make_shared<Shared>()) {
  auto run = [shared = shared_, work = std::move(work)]() mutable {
    Expected<Outcome> result = CatchExceptions(work, *shared);
    work = nullptr;  // releases what it holds before the owner is notified
    const std::lock_guard lock(shared->mutex);
    shared->result = std::move(result);
    shared->ended.notify_all();
  };
  try {
    thread_ = std::thread(std::move(run));
  } catch (const std::system_error& error) {
    shared_->result = Status(StatusCode::kOutOfMemory, std::string("no thread can be started: ") + error.what());
  }
}

bool Task::forked() const { return getpid() != process_; }

Task::~Task() {
  if (!thread_.joinable()) return;
  if (forked()) {
    new std::shared_ptr<Shared>(std::move(shared_));
    new std::thread(std::move(thread_));
    return;
  }
  Cancel();
  if (Wait(0)) thread_.join();
  else thread_.detach();
}

bool Task::Wait(std::optional<double> seconds) {
  if (forked()) return true;
  std::unique_lock lock(shared_->mutex);
  const auto done = [&] { return shared_->result.has_value(); };
  if (seconds) return shared_->ended.wait_for(lock, std::chrono::duration<double>(*seconds), done);
  shared_->ended.wait(lock, done);
  return true;
}

void Task::Cancel() {
  if (forked()) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->cancelled = true;
  if (shared_->cancel) shared_->cancel();
}

void Task::Stop() {
  if (forked()) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->stopped = true;
}

Progress Task::progress() const {
  if (forked()) return {};
  const std::lock_guard lock(shared_->mutex);
  return shared_->progress;
}

Expected<Outcome> Task::Take() {
  if (forked())
    return Status(
        StatusCode::kInvalidArgument,
        "this scoring was started in another process; start it after the fork, its thread does not come along");
  const std::lock_guard lock(shared_->mutex);
  return *shared_->result;
}

}  // namespace acutance::python
