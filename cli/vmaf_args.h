// Command line of `vmaf`, libvmaf's tool (docs/spec/system.md 5).
#pragma once

#include <string>

#include "base/status.h"
#include "run/score_run.h"

namespace acutance::cli {

struct VmafArgs {
  RunRequest run;  // of one distorted video, without conversions, as libvmaf's tool scores
  std::string output;
  std::string format = "xml";
  std::string precision;  // empty: libvmaf's own rule
  bool predict = true;
  bool quiet = false;

  enum class Action { kScore, kPrintVersion, kPrintHelp, kListBackends } action = Action::kScore;
};

/// A failure is a usage error: its message, then the usage text, belong on standard error; the exit status is 1.
Result<VmafArgs> ParseVmafArgs(int argc, char** argv);

std::string VmafUsage();

}  // namespace acutance::cli
