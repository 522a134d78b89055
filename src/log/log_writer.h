// Logs as libvmaf's tool writes them, byte for byte, without its quirks (docs/spec/system.md 6).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "log/number_format.h"
#include "stats/score_table.h"

namespace acutance {

/// The libvmaf whose results and logs are reproduced; logs carry it, as clients compare it.
inline constexpr char kLibvmafVersion[] = "3.2.0";

struct LogInput {
  const ScoreTable& scores;
  int64_t frame_count = 0;  // frames read; pooling covers 0..frame_count - 1
  int n_subsample = 1;
  std::string_view version;
  double fps = 0;
  int width = 0;
  int height = 0;
  NumberFormat numbers;
};

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
