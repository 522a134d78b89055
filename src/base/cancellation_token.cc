#include "base/cancellation_token.h"

#include <utility>

namespace acutance {

std::shared_ptr<CancellationToken> CancellationToken::Make() {
  return std::shared_ptr<CancellationToken>(new CancellationToken());
}

void CancellationToken::Cancel() {
  if (!is_cancelled_.exchange(true)) event_.Set();
  const std::lock_guard lock(mutex_);
  if (stop_) stop_();
}

std::shared_ptr<void> CancellationToken::Watch(std::function<void()> stop) {
  // Made before the mutex is held: without memory for it, its deleter is called at once.
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
