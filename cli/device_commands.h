// `acutance devices`, `selftest` and `plan`: the machine's devices, whether they compute right,
// and the work that a plan gives them.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "cli/raw_format.h"
#include "devices/backends.h"

namespace acutance::cli {

/// Lists every backend with its devices, or with the reason why there is none and what to
/// install.
std::string DescribeDevices();

/// Tests every device of the chosen backend (auto: of all backends), also those that passed
/// before, and remembers the outcome. Prints a line for each. Returns the exit status: 0 if all
/// passed, 1 if one failed or there is none.
int RunSelfTestCommand(const DeviceChoice& choice);

struct PlanRequest {
  std::string feature;  // as after --feature
  RawTexts pictures;
  int batch = 0;                // 0: as the tuning table says
  std::string backend = "emu";  // the tuning is that of its first device
};

/// Prints the plan of a feature: buffers, launches, arguments and borders.
Result<std::string> DescribePlan(const PlanRequest& request);

}  // namespace acutance::cli
