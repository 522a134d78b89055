// Options of `acutance score`, which other commands share, on CLI11's command lines.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/score_request.h"
#include "run/score_run.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace acutance::cli {

/// All options in groups, the videos, and examples. Parsing fills the request, which Complete() then checks.
void AddScoreOptions(CLI::App& command, ScoreRequest& request);

/// The options of logs, summaries and requirements, for `acutance join`.
void AddLogOptions(CLI::App& command, ScoreRequest& request);

/// The options of a run that scores depend on, and those of devices.
void AddRunOptions(CLI::App& command, RunRequest& run);

/// --size (which is returned), --pixel-format and --bit-depth; they fill run.open.
CLI::Option* AddRawOptions(CLI::App& command, RunRequest& run);

/// Refuses an empty path, as a script gives whose variable is not set: it would get no file.
CLI::Validator NamesAFile();

/// Reads 1000000, 800M or 2G, in powers of 1024, and adds nothing to the help's label.
CLI::Validator ByteCount();

/// Parses words as `acutance score` parses those after its name.
Status ParseScoreOptions(std::vector<std::string> words, ScoreRequest& request);

}  // namespace acutance::cli
