// What `acutance` exits with (docs/man/acutance.1.in).
#pragma once

namespace acutance::cli {

enum ExitStatus {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kNotReached = 3,    // what was required does not hold
  kInterrupted = 130  // 128 + SIGINT, as shells report it
};

}  // namespace acutance::cli
