#include "base/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace acutance {
namespace {

std::atomic<bool> g_owned = false;

/// No file that is opened later gets the number of a closed standard stream, or messages would go
/// into it. Standard output stays unwritable, so that results without a reader are an error.
void FillClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace

void SetMainProgram() {
  g_owned = true;
  FillClosedStreams();
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the limit on a file's size fails, like one to a full disk
}

bool IsMainProgram() { return g_owned; }

}  // namespace acutance
