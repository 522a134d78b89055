#include "base/system/process.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

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

void TakeArguments(int&, char**&) {}

int ProcessId() { return ::getpid(); }

std::filesystem::path ProgramFile() {
  std::error_code error;
#if defined(__APPLE__)
  char name[4096];  // as the program was called: from a folder that may be left, or by a link
  uint32_t bytes = sizeof name;
  if (::_NSGetExecutablePath(name, &bytes) != 0) return {};
  return std::filesystem::canonical(name, error);
#else
  return std::filesystem::read_symlink("/proc/self/exe", error);
#endif
}

std::string KernelRelease() {
  utsname name{};
  if (::uname(&name) != 0) return "a kernel of unknown version";
  return std::string(name.sysname) + " " + name.release;
}

}  // namespace acutance
