// `acutance selftest`: whether the machine's devices compute right, and a report of that.
#pragma once

#include <string>

#include "devices/backends.h"

namespace acutance::cli {

/// Tests every device of the chosen backend (auto: of all backends), also those that passed before, and remembers the
/// outcome. Prints a line for each. `report`: a file for what the owner of a device may send to us: the devices, their
/// drivers, the tests, and the time that each feature takes; empty: none. Returns the exit status: 0 if all passed, 1
/// if one failed, there is none or the report could not be written.
int RunSelfTestCommand(const DeviceChoice& choice, const std::string& report);

}  // namespace acutance::cli
