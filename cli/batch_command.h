// `acutance batch`: scores the pairs of a list, several at a time.
#pragma once

#include <string>
#include <vector>

namespace acutance::cli {

struct BatchTexts {
  std::string list;
  std::string out;
  int jobs = 1;
  bool retry = false;
  bool quiet = false;
  std::vector<std::string> options;  // of `acutance score`
};

/// Returns the exit status: 0 all pairs were scored, 1 one failed, 3 a gate did not hold, 130 after Ctrl-C.
int RunBatchCommand(const BatchTexts& texts);

}  // namespace acutance::cli
