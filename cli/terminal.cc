#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

namespace acutance::cli {
namespace {

constexpr int kInterruptedStatus = 130;  // 128 + SIGINT, as shells report it

std::mutex g_cancel_mutex;
std::function<void()> g_cancel;

void HandleInterrupt() {
  std::lock_guard lock(g_cancel_mutex);
  if (!g_cancel) _exit(kInterruptedStatus);
  std::exchange(g_cancel, nullptr)();
}

sigset_t InterruptSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

constexpr int kBarCells = 24;

std::string Bar(double done) {
  const int cells = std::clamp(static_cast<int>(done * kBarCells), 0, kBarCells);
  return fmt::format("[{:#<{}}{:.<{}}] ", "", cells, "", kBarCells - cells);
}

std::string Duration(double seconds) {
  const int64_t whole = std::llround(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

bool IsTerminal(int descriptor) { return isatty(descriptor) == 1; }

int TerminalColumns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void WatchInterrupt() {
  const sigset_t set = InterruptSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([set] {
    for (int signal = 0; sigwait(&set, &signal) == 0;) HandleInterrupt();
  }).detach();
}

InterruptScope::InterruptScope(std::function<void()> cancel) {
  std::lock_guard lock(g_cancel_mutex);
  g_cancel = std::move(cancel);
}

InterruptScope::~InterruptScope() {
  std::lock_guard lock(g_cancel_mutex);
  g_cancel = nullptr;
}

Progress::Progress(bool quiet)
    : quiet_(quiet),
      terminal_(IsTerminal(STDERR_FILENO)),
      next_draw_(start_ + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5))) {}

void Progress::Clear() {
  if (drawn_ && terminal_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

double Progress::Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

std::string Progress::Line(const State& state) const {
  const double rate = static_cast<double>(state.frames) / std::max(Seconds(), 1e-9);
  std::string line;
  if (state.total && *state.total > 0) {
    const double done = static_cast<double>(state.frames) / static_cast<double>(*state.total);
    if (terminal_) line += Bar(done);
    line += fmt::format("{}/{} frames", state.frames, *state.total);
  } else {
    line += fmt::format("{} frames", state.frames);
  }
  line += fmt::format("  {:.1f} frames/s", rate);
  if (state.score) line += fmt::format("  {} {:.3f}", state.label, *state.score);
  if (state.total && rate > 0 && *state.total > state.frames)
    line += fmt::format("  {} left", Duration(static_cast<double>(*state.total - state.frames) / rate));
  return line;
}

void Progress::Update(const State& state) {
  if (quiet_ || Clock::now() < next_draw_) return;
  next_draw_ = Clock::now() + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5));
  std::string line = Line(state);
  if (terminal_) {
    line.resize(std::min(line.size(), static_cast<size_t>(TerminalColumns(STDERR_FILENO) - 1)));
    fmt::print(stderr, "\r{}\x1b[K", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace acutance::cli
