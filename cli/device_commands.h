// `acutance devices`, `selftest` and `plan`: what the machine has, whether it computes right, and what it is told to
// do.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "cli/raw_format.h"
#include "devices/backends.h"

namespace acutance::cli {

/// Every backend with its devices, or with why there is none and what to install.
std::string DescribeDevices();

/// Tests every device of the chosen backend (auto: of all backends), whatever passed before, and remembers the outcome.
/// Prints a line each; returns the exit status: 0 all passed, 1 one failed or there is none.
int RunSelfTestCommand(const DeviceChoice& choice);

struct PlanRequest {
  std::string feature;  // as after --feature
  RawTexts pictures;
  int batch = 0;                // 0: as the tuning table says
  std::string backend = "emu";  // whose first device's tuning is used
};

/// The plan of a feature: buffers, launches, arguments and borders.
Result<std::string> DescribePlan(const PlanRequest& request);

}  // namespace acutance::cli
