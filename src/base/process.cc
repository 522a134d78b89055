#include "base/process.h"

#include <atomic>
#include <csignal>

namespace acutance {
namespace {

std::atomic<bool> g_owned = false;

}  // namespace

void OwnProcess() {
  g_owned = true;
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the limit on a file's size fails, like one to a full disk
}

bool OwnsProcess() { return g_owned; }

}  // namespace acutance
