#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <iterator>

#include "base/system/file.h"
#include "base/system/wake_event.h"
#if defined(__linux__)
#include <sys/eventfd.h>
#endif

namespace acutance {

/// A descriptor that is readable once the event is set.
struct WakeEvent::State {
#if defined(__linux__)
  State() : reader(::eventfd(0, EFD_CLOEXEC)) {}
  int target() const { return reader.number(); }
#else
  State() {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) return;
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    reader = Descriptor(ends[0]);
    writer = Descriptor(ends[1]);
  }
  int target() const { return writer.number(); }
  Descriptor writer;
#endif
  Descriptor reader;
};

WakeEvent::WakeEvent() : state_(std::make_unique<State>()) {}
WakeEvent::~WakeEvent() = default;

bool WakeEvent::ok() const { return state_->reader.ok(); }

void WakeEvent::Set() {
  is_set_ = true;
  constexpr uint64_t kOne = 1;
  while (ok() && ::write(state_->target(), &kOne, sizeof kOne) < 0 && errno == EINTR) {
  }
}

WaitEnd WaitForInput(int file, const WakeEvent& first, const WakeEvent* second) {
  const auto number = [](const WakeEvent* event) { return event ? event->state().reader.number() : -1; };
  pollfd ready[] = {{file, POLLIN, 0}, {number(&first), POLLIN, 0}, {number(second), POLLIN, 0}};
  int count = -1;
  do count = ::poll(ready, std::size(ready), -1);
  while (count < 0 && errno == EINTR);
  if (count < 0) return WaitEnd::kFailed;
  return ready[1].revents == 0 && ready[2].revents == 0 ? WaitEnd::kInput : WaitEnd::kWoken;
}

}  // namespace acutance
