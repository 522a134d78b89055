#include "base/system/wake_event.h"

#include <io.h>
#include <windows.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace acutance {

/// A pipe of Windows cannot be waited for together with an event, so the event ends the reads of the threads that wait.
struct WakeEvent::State {
  std::mutex mutex;
  std::condition_variable left;
  std::vector<HANDLE> threads;  // that wait
};

namespace {

/// A thread's stay among those that wait.
class Stay {
 public:
  Stay(const WakeEvent* event, HANDLE thread) : state_(event ? &event->state() : nullptr), thread_(thread) {
    if (!state_) return;
    const std::lock_guard lock(state_->mutex);
    is_woken_ = event->is_set();
    state_->threads.push_back(thread);
  }
  ~Stay() {
    if (!state_) return;
    const std::lock_guard lock(state_->mutex);
    std::erase(state_->threads, thread_);
    state_->left.notify_all();
  }
  Stay(const Stay&) = delete;
  bool is_woken() const { return is_woken_; }

 private:
  WakeEvent::State* const state_;
  const HANDLE thread_;
  bool is_woken_ = false;
};

/// A read of nothing waits for input as any other does.
WaitEnd WaitByRead(int file) {
  char nothing = 0;
  DWORD got = 0;
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  if (::GetFileType(handle) != FILE_TYPE_PIPE || ::ReadFile(handle, &nothing, 0, &got, nullptr)) return WaitEnd::kInput;
  return ::GetLastError() == ERROR_OPERATION_ABORTED ? WaitEnd::kWoken : WaitEnd::kInput;  // the read fails alike
}

}  // namespace

WakeEvent::WakeEvent() : state_(std::make_unique<State>()) {}
WakeEvent::~WakeEvent() = default;

bool WakeEvent::ok() const { return true; }

void WakeEvent::Set() {
  constexpr auto kPause = std::chrono::milliseconds(1);
  is_set_ = true;
  std::unique_lock lock(state_->mutex);
  while (!state_->threads.empty()) {  // a read that starts only now is ended by the next turn
    for (const HANDLE thread : state_->threads) ::CancelSynchronousIo(thread);
    state_->left.wait_for(lock, kPause);
  }
}

WaitEnd WaitForInput(int file, const WakeEvent& first, const WakeEvent* second) {
  HANDLE thread = nullptr;
  const HANDLE process = ::GetCurrentProcess();
  if (!::DuplicateHandle(process, ::GetCurrentThread(), process, &thread, 0, FALSE, DUPLICATE_SAME_ACCESS))
    return WaitByRead(file);
  WaitEnd end = WaitEnd::kWoken;
  {
    const Stay on_first(&first, thread), on_second(second, thread);
    if (!on_first.is_woken() && !on_second.is_woken()) end = WaitByRead(file);
  }
  ::CloseHandle(thread);
  return end;
}

}  // namespace acutance
