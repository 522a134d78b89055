// Logs as libvmaf's tool writes them, byte for byte, without its quirks (docs/spec/system.md 6).
#pragma once

#include <acutance/facts.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "log/number_format.h"
#include "stats/score_table.h"

namespace acutance {

/// The libvmaf whose results and logs are reproduced; logs carry it, as clients compare it.
inline constexpr char kLibvmafVersion[] = "3.2.1";

/// A damaged video.
struct LogDamage {
  std::string path;
  StreamDamage damage;
};

/// Those of a reference, the first input, and of distorted video `distorted`.
std::vector<LogDamage> DamagesOf(const std::vector<Input>& inputs, size_t distorted);

struct LogInput {
  const ScoreTable& scores;
  int64_t frame_count = 0;  // frames read; pooling covers 0..frame_count - 1
  int n_subsample = 1;
  std::string_view version;
  double fps = 0;
  int width = 0;
  int height = 0;
  NumberFormat numbers;
  /// Named at the end of xml and json, where libvmaf has nothing and readers of its logs look for nothing; csv and sub
  /// have no such place.
  std::vector<LogDamage> damages{};
};

// Columns, frames and pooled values, the same in all formats.

struct LogColumn {
  std::string name;   // spelled for the place where it stands; no two are equal
  std::string label;  // the shown name itself
  const ScoreTable::Column* column;

  std::optional<double> Score(int64_t frame) const;
};

/// Columns that hold a score: libvmaf makes a column with its first score (docs/spec/system.md 2.3).
std::vector<LogColumn> LogColumns(const ScoreTable& scores, std::string (*spell)(std::string_view));

/// Calls `use` with each frame that has a score, ascending; of these the multiples of n_subsample.
void ForEachLogFrame(const LogInput& input, const std::vector<LogColumn>& columns,
                     const std::function<void(int64_t frame)>& use);

/// The pooled values of a column, in the order of PoolingMethods(); nullopt when a score is missing.
std::optional<std::array<double, 4>> PoolForLog(const LogInput& input, const LogColumn& column);

using TextSink = std::function<void(std::string_view)>;

struct LogFormat {
  std::string_view name;  // "xml"
  void (*write)(const LogInput&, const TextSink&);
};

std::span<const LogFormat> LogFormats();  // xml, json, csv, sub: the order of the C API's numbers 1..4

const LogFormat* FindLogFormat(std::string_view name);  // null when there is none

/// Writes the whole log or leaves none that looks whole.
Status WriteLogFile(const std::string& path, std::string_view format, const LogInput& input);

}  // namespace acutance
