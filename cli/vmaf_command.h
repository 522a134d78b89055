// The command line of `vmaf`.
#pragma once

namespace acutance::cli {

/// Reads the options, scores, and writes the log. Returns the exit status of libvmaf's tool (docs/spec/system.md 5).
int RunVmaf(int argc, char** argv);

}  // namespace acutance::cli
