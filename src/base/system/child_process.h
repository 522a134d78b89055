// Child processes: another program's run, with a time limit and its output in a file.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Runs `words[0]`, found as a shell finds it, with nothing on standard input; standard output and standard error go to
/// the file `output`. Returns the exit status, or less the signal that ended it: -11. After `seconds` it is killed,
/// which is an error, as is a program that cannot be started.
Result<int> RunChild(const std::vector<std::string>& words, const std::string& output, double seconds);

}  // namespace acutance
