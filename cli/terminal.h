// Progress on standard error: a bar that redraws itself on a terminal, plain lines otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/system/terminal.h"

namespace acutance::cli {

/// Starts a thread that waits for Ctrl-C, once a process. Called before any other thread starts.
void WatchInterrupt();

/// Calls `cancel`, on the watching thread, at the first Ctrl-C in its lifetime. A second Ctrl-C,
/// or one outside any lifetime, ends the process with status 130.
class InterruptScope {
 public:
  explicit InterruptScope(std::function<void()> cancel);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

class Progress {
 public:
  /// Writes to standard error; nothing at all when quiet.
  explicit Progress(bool quiet);
  ~Progress() { Clear(); }

  struct State {
    int64_t frames = 0;
    std::optional<int64_t> total;
    std::string label;            // the score's name: "vmaf"
    std::optional<double> score;  // mean so far
    int64_t earlier = 0;          // of the frames, those of an earlier run
  };

  /// Whether Update would draw now: at most ten times a second on a terminal, once in five
  /// seconds otherwise.
  bool IsDue() const;
  void Update(const State& state);
  void Clear();  // wipes the bar off a terminal
  /// Writes a line of its own, also when quiet. Any thread.
  void Note(const std::string& line);
  double Seconds() const;  // since construction

 private:
  std::string Line(const State& state) const;
  void Wipe();

  using Clock = std::chrono::steady_clock;
  const bool quiet_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_;
  std::mutex mutex_;  // held while something is written
  bool drawn_ = false;
};

}  // namespace acutance::cli
