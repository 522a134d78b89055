// A program under test that computes quality metrics: how it is called, and what it logged.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "report/conform/cases.h"

namespace acutance {

/// Scores of one run, by the columns' names: a value for each frame, none where the log has none.
using ConformScores = std::map<std::string, std::vector<std::optional<double>>, std::less<>>;

/// How a program takes its options: as libvmaf's tool does, or as FFmpeg's filter libvmaf.
enum class ToolSyntax { kVmaf, kFfmpeg };

struct ConformTool {
  std::vector<std::string> words;  // the program and arguments of its own
  ToolSyntax syntax = ToolSyntax::kVmaf;
  double seconds = 300;  // limit of a run

  /// kFfmpeg where the program's name holds "ffmpeg".
  static ConformTool Of(std::vector<std::string> words);

  /// The command that computes the items and writes a JSON log. predict: false leaves out the model that a program
  /// computes where it is given none.
  std::vector<std::string> Command(const ClipSpec& clip, const ClipFiles& files, std::span<const ConformItem> items,
                                   const std::string& log, bool predict = true) const;

  /// Runs it with its log and output in `folder`, under names that begin with `name`. An error has the first
  /// line that the program printed.
  Result<ConformScores> Run(const ClipSpec& clip, const ClipFiles& files, std::span<const ConformItem> items,
                            const std::string& folder, const std::string& name, bool predict = true) const;
};

/// Of a JSON log of libvmaf.
Result<ConformScores> ReadConformLog(const std::string& path);

}  // namespace acutance
