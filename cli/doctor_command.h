// `acutance doctor`: diagnosis of mismatched videos.
#pragma once

#include <string>

#include "run/score_run.h"

namespace acutance::cli {

struct DoctorTexts {
  std::string reference;
  std::string distorted;
  RunRequest run;     // its raw format counts
  std::string model;  // that is meant to score them; empty: chosen
  std::string viewing;
  bool json = false;
};

/// Prints the findings; returns the exit status: 0 also where there are some.
int RunDoctorCommand(DoctorTexts texts);

}  // namespace acutance::cli
