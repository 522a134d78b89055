// Trace of a program's spans for Perfetto and chrome://tracing, in the Trace Event Format.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/status.h"

namespace acutance {

/// Writes the spans of all threads into a file, from Start() on, until Stop() or the end of the program. A program has
/// one trace at most: a second Start() fails. A file without its last line, after a crash, still opens.
class Trace {
 public:
  static Status Start(const std::string& path);
  /// Fails where spans could not be written.
  static Status Stop();
  static bool is_on();
};

/// A span from here to the end of its scope. Without a trace it costs one load.
class TraceSpan {
 public:
  /// name: a string literal. frame: the frame, or the first of a batch, that the span works on; -1: none. video: its
  /// path, which outlives the span; empty: none.
  explicit TraceSpan(const char* name, int64_t frame = -1, std::string_view video = {});
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  const char* const name_;  // null: there is no trace
  const int64_t frame_;
  const std::string_view video_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace acutance
