// Fuzz target: the command line of `acutance score`, an argument a line.
#include <string>
#include <utility>
#include <vector>

#include "cli/score_options.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostArguments = 200;
  acutance::fuzz::Input input(data, size);
  std::vector<std::string> texts;
  while (!input.empty() && texts.size() < kMostArguments) texts.push_back(input.Line().c_str());
  acutance::cli::ScoreRequest score;
  if (acutance::cli::ParseScoreOptions(std::move(texts), score).ok())
    static_cast<void>(acutance::cli::Complete(score).ok());
  return 0;
}
