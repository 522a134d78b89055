#include "run/run_cancellation.h"

#include <utility>

namespace acutance {

void RunCancellation::Cancel() {
  interruption_.Interrupt();
  const std::lock_guard lock(mutex_);
  if (stop_) stop_();
}

std::shared_ptr<void> RunCancellation::Watch(std::function<void()> stop) {
  // Made before the mutex is held: without memory for it, what ends it is called at once.
  std::shared_ptr<void> watch(static_cast<void*>(this), [self = shared_from_this()](void*) {
    const std::lock_guard locked(self->mutex_);
    self->stop_ = nullptr;
  });
  const std::lock_guard lock(mutex_);
  stop_ = std::move(stop);
  if (is_cancelled()) stop_();
  return watch;
}

}  // namespace acutance
