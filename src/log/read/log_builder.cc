#include "log/read/log_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number.h"

namespace acutance {
namespace {

constexpr int kMaxDigits = 17;
constexpr int64_t kMaxFrame = int64_t{1} << 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Significant digits of a decimal number: from the first that is not zero.
int SignificantDigits(std::string_view number) {
  int count = 0;
  for (const char c : number.substr(0, number.find_first_of("eE"))) count += IsDigit(c) && (c != '0' || count > 0);
  return count;
}

/// Decimals of a number in fixed notation; -1: it is in another notation.
int Decimals(std::string_view number) {
  const size_t point = number.find('.');
  if (point == std::string_view::npos || number.find_first_of("eE") != std::string_view::npos) return -1;
  return static_cast<int>(number.size() - point - 1);
}

}  // namespace

std::optional<double> ParseLoggedNumber(std::string_view text) {
  if (const std::optional<double> value = ParseFiniteDouble(text)) return value;
  for (const std::string_view word : {"nan", "-nan", "inf", "-inf", "null"})
    if (text == word) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

LogBuilder::LogBuilder(std::string path, std::string format) {
  log_.path = std::move(path);
  log_.format = std::move(format);
}

Status LogBuilder::Invalid(std::string_view what) const {
  const std::string where = log_.frames.empty() ? "" : fmt::format(", frame {}", log_.frames.back());
  return Error(StatusCode::kBadData, "{}{}: {}", log_.path, where, what);
}

Status LogBuilder::BeginFrame(std::string_view number) {
  const std::optional<long long> frame = ParseInteger(number);
  if (!frame || *frame < 0 || *frame > kMaxFrame) return Invalid(fmt::format("'{}' is no frame number", number));
  if (!log_.frames.empty() && *frame <= log_.frames.back())
    return Invalid(fmt::format("frame {} follows; frames of a log ascend", *frame));
  log_.frames.push_back(*frame);
  return {};
}

void LogBuilder::NoteFormat(std::string_view number) {
  const int decimals = Decimals(number);
  is_fixed_ = is_fixed_ && (decimals == 6 || decimals == 16);
  digits_ = std::max(digits_, SignificantDigits(number));
}

Status LogBuilder::Add(std::string_view name, std::string_view number, bool may_be_text) {
  const std::optional<double> value = ParseLoggedNumber(number);
  if (!value && may_be_text) return {};
  if (!value) return Invalid(fmt::format("{} is '{}', which is no number", name, number));
  if (std::isfinite(*value)) NoteFormat(number);
  auto found = columns_.find(name);
  if (found == columns_.end()) {
    found = columns_.emplace(std::string(name), log_.columns.size()).first;
    log_.columns.push_back({std::string(name)});
  }
  std::vector<std::optional<double>>& scores = log_.columns[found->second].scores;
  if (scores.size() == log_.frames.size()) return Invalid(fmt::format("{} stands there twice", name));
  scores.resize(log_.frames.size() - 1);
  scores.push_back(value);
  return {};
}

Result<double> LogBuilder::Number(std::string_view name, std::string_view text) {
  const std::optional<double> value = ParseLoggedNumber(text);
  if (!value) return Invalid(fmt::format("{} is '{}', which is no number", name, text));
  return *value;
}

Result<ScoreLog> LogBuilder::Finish() {
  if (log_.frames.empty()) return Invalid("there is no frame in it");
  if (log_.columns.empty()) return Invalid("no frame has a score");
  for (LoggedColumn& column : log_.columns) column.scores.resize(log_.frames.size());
  if (!is_fixed_) {
    ACU_ASSIGN_OR_RETURN(log_.numbers, NumberFormat::Parse(fmt::format("{}", std::clamp(digits_, 1, kMaxDigits))));
  }
  return std::move(log_);
}

}  // namespace acutance
