// Process identity, for resources that do not survive a fork: threads, and the libraries of drivers.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace acutance {

/// Called by acutance's own commands. A library is a guest: only acutance's own process installs a signal handler,
/// takes FFmpeg's log, or sets a variable of the environment.
void SetMainProgram();
bool IsMainProgram();

/// Called with what main() got. Where that is not UTF-8 (Windows), it becomes so.
void TakeArguments(int& argc, char**& argv);

int ProcessId();
/// The running program's file; empty where the system does not say.
std::filesystem::path ProgramFile();
/// "Linux 6.1.0-13-amd64", "Windows 10.0.19045".
std::string KernelRelease();

/// Remembers the process that made it.
class ProcessGuard {
 public:
  bool forked() const { return ProcessId() != process_; }

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
  const int process_ = ProcessId();
};

}  // namespace acutance
