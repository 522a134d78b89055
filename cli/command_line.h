// The command line of `acutance`.
#pragma once

namespace acutance::cli {

/// Reads the options and runs the command that they name. Returns the exit status, once all is on standard output.
int RunProgram(int argc, char** argv);

}  // namespace acutance::cli
