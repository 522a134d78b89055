// `acutance doctor`: why two videos do not compare.
#pragma once

#include <string>

#include "cli/raw_format.h"

namespace acutance::cli {

struct DoctorTexts {
  std::string reference;
  std::string distorted;
  RawTexts raw;
  std::string model;  // that is meant to score them; empty: chosen
  std::string viewing;
  bool json = false;
};

/// Prints the findings; returns the exit status: 0 also where there are some.
int RunDoctorCommand(const DoctorTexts& texts);

}  // namespace acutance::cli
