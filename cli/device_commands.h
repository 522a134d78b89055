// `acutance devices` and `plan`: the machine's devices, and the work that a plan gives them.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "devices/backends.h"
#include "run/score_run.h"

namespace acutance::cli {

/// Lists every backend with its devices, or with the reason why there is none and what to
/// install.
std::string DescribeDevices();

struct PlanRequest {
  std::string feature;          // as after --feature
  RunRequest run;               // its raw format is that of the pictures
  int batch = 0;                // 0: as the tuning table says
  std::string backend = "emu";  // the tuning is that of its first device
  std::string dump;             // a folder for the compiled kernels; empty: none
};

/// Prints the plan of a feature: buffers, launches, arguments and borders.
Result<std::string> DescribePlan(PlanRequest request);

}  // namespace acutance::cli
