// The pairs of a list, scored by `acutance score` in worker processes, several at a time. What an earlier run scored is
// kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace acutance::cli {

struct BatchJob {
  std::string name;  // of the result's file
  std::string reference;
  std::string distorted;
};

struct BatchEnd {
  int status;                        // exit status of RunBatchCommand
  std::vector<bool> is_scored = {};  // by job: whether its file is the result for the videos and options as they are
};

/// What stands for a pair's name in options.
inline constexpr std::string_view kNamePlaceholder = "{name}";
/// An option's text with the pair's name in it.
std::string WithName(std::string option, const std::string& name);

/// Writes texts.out/NAME.json, what `acutance score --json` prints, for each pair, and summary.csv and summary.json;
/// prints what failed, as `acutance COMMAND`, and how many pairs are scored.
BatchEnd RunBatch(std::string_view command, const BatchTexts& texts, const std::vector<BatchJob>& jobs);

}  // namespace acutance::cli
