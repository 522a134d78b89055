// `acutance tune`: times every block shape and batch of every kernel on a device.
#pragma once

#include <string>
#include <vector>

#include "devices/backends.h"

namespace acutance::cli {

/// Prints, for each feature and workload class, the shapes and batches from the fastest on, and the entries for the
/// feature's tuning table. `features`: names of those to time; empty: all with a device plan. Returns the exit status.
int RunTuneCommand(const DeviceChoice& choice, const std::vector<std::string>& features);

}  // namespace acutance::cli
