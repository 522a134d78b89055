// The options of `acutance score`, which other commands share, for CLI11. What CLI11 fills is read by score_args.h.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/score_args.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace acutance::cli {

void AddScoreOptions(CLI::App& command, ScoreTexts& texts);

/// Refuses an empty path, as a script gives whose variable is not set: it would get no file.
CLI::Validator NamesAFile();

/// Reads 1000000, 800M or 2G, in powers of 1024, and adds nothing to the help's label.
CLI::Validator ByteCount();

/// --output, --format, --precision, --json, --all-features, and what the summary holds: --pool, --segments, --require,
/// --junit.
void AddLogOptions(CLI::App& command, ScoreTexts& texts);

/// --size (which is returned), --pixel-format and --bit-depth.
CLI::Option* AddRawOptions(CLI::App& command, RawTexts& texts, const std::string& size_help);

/// Reads words as `acutance score` reads those after its name.
Status ParseScoreOptions(std::vector<std::string> words, ScoreTexts& texts);

}  // namespace acutance::cli
