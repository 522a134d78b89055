// Exit statuses of `acutance` (docs/man/acutance.1.in) and its error messages.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "base/status.h"

namespace acutance::cli {

enum ExitStatus {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kNotReached = 3,    // a requirement does not hold
  kInterrupted = 130  // 128 + SIGINT, as shells report it
};

/// Prints "acutance COMMAND: message" on standard error and returns `exit_status`. command: "" for `score`.
inline int Fail(std::string_view command, const Status& status, int exit_status = kFailed) {
  fmt::print(stderr, "acutance{}{}: {}\n", command.empty() ? "" : " ", command, status.message());
  return exit_status;
}

inline void PrintWarning(std::string_view warning) { fmt::print(stderr, "acutance: warning: {}\n", warning); }

}  // namespace acutance::cli
