// `acutance compare` and `acutance ladder`: several encodes of one reference, which is read once.
#pragma once

#include <string>
#include <vector>

#include "cli/score_request.h"

namespace acutance::cli {

struct EncodesTexts {
  ScoreRequest score;  // a ladder's distorted videos are curves
  std::string by;      // the score that is compared; empty: the first model's
  std::string anchor;
  std::string ctc;
  std::string points;
  bool json = false;  // of `acutance bd`
};

/// Return the exit status.
int RunCompareCommand(EncodesTexts& texts);
int RunLadderCommand(EncodesTexts& texts);
int RunBdCommand(const EncodesTexts& texts);

}  // namespace acutance::cli
