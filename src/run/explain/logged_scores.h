// Scores of frames as another tool logged them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acutance {

struct LoggedSeries {
  std::string name;
  std::vector<std::optional<double>> scores;  // by position in LoggedScores::frames
};

struct LoggedScores {
  std::string path;             // for messages
  std::string version;          // of the engine; empty: unknown
  std::vector<int64_t> frames;  // ascending
  int64_t step = 1;             // between frames
  std::vector<LoggedSeries> columns;

  /// Null: there is none.
  const LoggedSeries* Find(std::string_view name) const {
    const auto found = std::ranges::find(columns, name, &LoggedSeries::name);
    return found == columns.end() ? nullptr : &*found;
  }
};

}  // namespace acutance
