// Process identity, for resources that do not survive a fork: threads, and the libraries of drivers.
#pragma once

#include <unistd.h>

#include <string_view>

#include "base/status.h"

namespace acutance {

/// Called by acutance's own commands. A library is a guest: only acutance's own process installs a signal handler,
/// takes FFmpeg's log, or sets a variable of the environment.
void SetMainProgram();
bool IsMainProgram();

/// Remembers the process that made it.
class ProcessGuard {
 public:
  bool forked() const { return ::getpid() != process_; }

  /// An error in a process that was forked since: `what` works only in the process that opened it.
  Status Check(std::string_view what) const {
    if (!forked()) return {};
    return Error(StatusCode::kNoDevice,
                 "{} was opened before this process was forked, and does not survive that; start processes with "
                 "spawn, or use no device before they fork",
                 what);
  }

  /// An error in a process that was forked since, which has none of the threads of a session.
  Status CheckSession() const {
    if (!forked()) return {};
    return Error(StatusCode::kInvalidArgument,
                 "this session was made in another process; make one after the fork, its threads do not come along");
  }

 private:
  const pid_t process_ = ::getpid();
};

}  // namespace acutance
