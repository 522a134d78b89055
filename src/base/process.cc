#include "base/process.h"

#include <atomic>

namespace acutance {
namespace {

std::atomic<bool> g_owned = false;

}  // namespace

void OwnProcess() { g_owned = true; }

bool OwnsProcess() { return g_owned; }

}  // namespace acutance
