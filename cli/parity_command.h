// `acutance parity`: every feature on every backend against the CPU, over a real pair of videos.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/score_run.h"

namespace acutance::cli {

struct ParityArgs {
  std::string reference;
  std::string distorted;
  std::vector<std::string> features;  // as after --feature; empty: every feature that has a device plan
  std::vector<std::string> backends;  // empty: all but the emulator that have a device
  int places = -1;                    // decimal places that must agree; -1: every bit
  RunRequest run;                     // its raw format counts
  int64_t frames = 0;                 // 0: all
  int threads = 1;
};

/// Prints a table, feature by backend: the largest absolute difference over all frames and outputs. Returns the exit
/// status: 0 all within the bound, 1 not, or a run failed; 2 for a wrong command line.
int RunParityCommand(ParityArgs args);

}  // namespace acutance::cli
