#include "cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "cli/exit_status.h"

namespace acutance::cli {
namespace {

std::mutex g_cancel_mutex;
std::function<void()> g_cancel;

void HandleInterrupt() {
  std::lock_guard lock(g_cancel_mutex);
  if (!g_cancel) {
    EndProcess("interrupted\n", kInterrupted);
  }
  std::exchange(g_cancel, nullptr)();
}

constexpr int kMostBarCells = 24;
constexpr int kLeastBarCells = 4;

/// Draws the bar at most `columns` wide; empty where that is too little.
std::string Bar(double done, int columns) {
  const int all = std::min(columns - static_cast<int>(std::string_view("[] ").size()), kMostBarCells);
  if (all < kLeastBarCells) return "";
  const int cells = std::clamp(static_cast<int>(done * all), 0, all);
  return fmt::format("[{:#<{}}{:.<{}}] ", "", cells, "", all - cells);
}

/// Joins the fields that fit into `columns`; the first is always among them.
std::string JoinFields(const std::vector<std::string>& fields, size_t columns) {
  std::string line;
  for (const std::string& field : fields) {
    if (!line.empty() && line.size() + 2 + field.size() > columns) break;
    line += (line.empty() ? "" : "  ") + field;
  }
  return line;
}

/// Whether a descriptor is a terminal that can wipe a line.
bool CanRedraw(int descriptor) {
  const char* terminal = Variable("TERM");
  return IsTerminal(descriptor) && !(terminal && std::string_view(terminal) == "dumb");
}

std::string Duration(double seconds) {
  const int64_t whole = std::llround(seconds);
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

void WatchInterrupt() {
  static std::atomic<bool> watches = false;
  if (watches.exchange(true)) return;
  (void)HandleInterrupts(Interrupts::kControlC, HandleInterrupt);  // without it, Ctrl-C ends the process at once
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
      terminal_(CanRedraw(kStandardError)),
      next_draw_(start_ + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5))) {}

void Progress::Clear() {
  const std::lock_guard lock(mutex_);
  Wipe();
}

void Progress::Note(const std::string& line) {
  const std::lock_guard lock(mutex_);
  Wipe();
  fmt::print(stderr, "{}\n", line);
}

void Progress::Wipe() {
  if (drawn_ && terminal_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

double Progress::Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

std::string Progress::Line(const State& state) const {
  const double rate = static_cast<double>(state.frames - state.earlier) / std::max(Seconds(), 1e-9);
  const int64_t total = state.total.value_or(0);
  std::vector<std::string> fields;
  fields.push_back(total > 0 ? fmt::format("{}/{} frames", state.frames, total)
                             : fmt::format("{} frames", state.frames));
  if (rate > 0 && total > state.frames)
    fields.push_back(fmt::format("{} left", Duration(static_cast<double>(total - state.frames) / rate)));
  fields.push_back(fmt::format("{:.1f} frames/s", rate));
  if (state.score) fields.push_back(fmt::format("{} {:.3f}", state.label, *state.score));

  if (!terminal_) return JoinFields(fields, std::string::npos);
  const int columns = TerminalColumns(kStandardError) - 1;  // the last one would start a new line
  std::string line = JoinFields(fields, static_cast<size_t>(columns));
  if (total <= 0) return line;
  return Bar(static_cast<double>(state.frames) / static_cast<double>(total), columns - static_cast<int>(line.size())) +
         line;
}

bool Progress::IsDue() const { return !quiet_ && Clock::now() >= next_draw_; }

void Progress::Update(const State& state) {
  if (!IsDue()) return;
  next_draw_ = Clock::now() + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(5));
  const std::string line = Line(state);
  const std::lock_guard lock(mutex_);
  if (terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace acutance::cli
