#include "io/cancellation_token.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace acutance {

CancellationToken::CancellationToken() : descriptor_(::eventfd(0, EFD_CLOEXEC)) {}

CancellationToken::~CancellationToken() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void CancellationToken::Interrupt() {
  if (is_on_.exchange(true) || descriptor_ < 0) return;
  while (::eventfd_write(descriptor_, 1) < 0 && errno == EINTR) {
  }
}

}  // namespace acutance
