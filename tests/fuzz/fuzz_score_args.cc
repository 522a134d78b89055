// Fuzz target: the command line of `acutance score`, an argument a line.
#include <CLI/CLI.hpp>
#include <vector>

#include "cli/score_args.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostArguments = 200;
  acutance::fuzz::Input input(data, size);
  std::vector<std::string> texts;
  while (!input.empty() && texts.size() < kMostArguments) texts.push_back(input.Line().c_str());
  std::reverse(texts.begin(), texts.end());  // as CLI11 wants them
  CLI::App app("score");
  acutance::cli::ScoreTexts score;
  acutance::cli::AddScoreOptions(app, score);
  try {
    app.parse(texts);
  } catch (const CLI::Error&) {
    return 0;
  }
  static_cast<void>(acutance::cli::ReadScoreArgs(score).ok());
  return 0;
}
