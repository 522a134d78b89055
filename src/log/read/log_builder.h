// Collects the frames of a log that is being parsed, and infers the format of its numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "log/read/score_log.h"

namespace acutance {

class LogBuilder {
 public:
  explicit LogBuilder(std::string path, std::string format);

  ScoreLog& parsed() { return log_; }

  /// The scores that follow belong to it. Frames ascend.
  Status BeginFrame(std::string_view number);
  /// A score of that frame; text that is no number is an error, unless `may_be_text`.
  Status Add(std::string_view name, std::string_view number, bool may_be_text = false);

  /// A number outside of frames; NaN where it is not finite.
  Result<double> Number(std::string_view name, std::string_view text);

  /// The log, once it has frames.
  Result<ScoreLog> Finish();

 private:
  Status Invalid(std::string_view what) const;
  void NoteFormat(std::string_view number);

  ScoreLog log_;
  std::map<std::string, size_t, std::less<>> columns_;
  bool is_fixed_ = true;  // all numbers so far have 6 or 16 decimals, as libvmaf prints them
  int digits_ = 0;        // the most significant digits of a number
};

/// The value of a number as C prints it; NaN for nan and both infinities; nullopt: it is none.
std::optional<double> ParseLoggedNumber(std::string_view text);

}  // namespace acutance
