#include "base/system/terminal.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/threads/exception_barrier.h"

namespace acutance {

bool IsTerminal(int descriptor) { return ::isatty(descriptor) == 1; }

int TerminalColumns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::vector<std::string> PageOpener(const std::string& page) {
#ifdef __APPLE__
  return {"open", page};
#else
  const bool has_screen = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!has_screen) return {};
  return {"sh", "-c", "xdg-open \"$0\" &", page};  // a browser that was not open yet may run as its child
#endif
}

Status HandleInterrupts(Interrupts which, void (*handle)()) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  if (which == Interrupts::kEnds)
    for (const int signal : {SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread watch;
  Status started = StartThread(watch, [set, handle] {
    for (int signal = 0; sigwait(&set, &signal) == 0;) handle();
  });
  if (started.ok()) watch.detach();
  else ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  return started;
}

void EndProcess(std::string_view message, int status) {
  [[maybe_unused]] const ssize_t written = ::write(kStandardError, message.data(), message.size());
  ::_exit(status);
}

}  // namespace acutance
