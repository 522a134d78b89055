// Reader of score logs: xml, json, csv and sub of libvmaf's tool, FFmpeg's filter, VMAFx and acutance, and the JSON
// summaries of `acutance score`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "log/number_format.h"

namespace acutance {

/// A log's numbers by name, "mean" or "apsnr_y". NaN where a number is not finite.
using NamedNumbers = std::vector<std::pair<std::string, double>>;

struct LoggedColumn {
  std::string name;                             // as spelled: xml replaces what it forbids in names by '_'
  std::vector<std::optional<double>> scores{};  // by position in ScoreLog::frames; NaN where not finite
};

/// The scores of one distorted video.
struct ScoreLog {
  std::string path;       // of the file
  std::string format;     // "xml", "json", "csv", "sub", "summary"
  std::string version;    // of the engine as the log spells it; empty: the format has none
  std::string reference;  // of a summary; empty: the log does not name it
  std::string distorted;
  std::optional<double> fps;    // speed of the run
  int width = 0, height = 0;    // 0: not in the log
  std::vector<int64_t> frames;  // ascending; empty: a summary
  std::vector<LoggedColumn> columns;
  std::vector<std::pair<std::string, NamedNumbers>> pooled;  // by column's name
  NamedNumbers aggregates;
  NumberFormat numbers;  // of the scores
  Json summary;          // the document of a summary; null otherwise

  /// Null: there is none.
  const LoggedColumn* Find(std::string_view name) const;

  /// Whether a log with these numbers prints `value` as `logged`, a score of this one. Both may be NaN.
  bool Prints(double value, double logged) const;

  /// The constant distance between frames; 1 where there are fewer than two, 0 where it varies.
  int64_t Step() const;
};

/// Reads the log, or the summary of a single distorted video. The content decides the format, not the name. Errors name
/// the file and what is wrong with it.
Result<ScoreLog> ReadScoreLog(const std::string& path);

/// Likewise, one for each distorted video of a summary.
Result<std::vector<ScoreLog>> ReadScoreLogs(const std::string& path);

/// The same from text; `path` is for messages.
Result<std::vector<ScoreLog>> ParseScoreLogs(const std::string& path, std::string_view text);

}  // namespace acutance
