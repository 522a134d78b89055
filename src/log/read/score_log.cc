#include "log/read/score_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "base/number.h"
#include "base/system/file.h"
#include "log/read/log_builder.h"
#include "log/read/parse_log.h"

namespace acutance {
namespace {

constexpr size_t kMaxBytes = size_t{2} << 30;
constexpr size_t kMaxValues = size_t{1} << 26;

double NumberOf(const Json& value) {
  return ParseFiniteDouble(value.text).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// The pooled values of a summary's models or features.
void AddStatistics(const Json* columns, ScoreLog& log) {
  if (columns == nullptr) return;
  for (size_t i = 0; i < columns->keys.size(); ++i) {
    NamedNumbers numbers;
    const Json& statistics = columns->items[i];
    for (size_t j = 0; j < statistics.keys.size(); ++j)
      if (statistics.items[j].kind == Json::Kind::kNumber)
        numbers.emplace_back(statistics.keys[j], NumberOf(statistics.items[j]));
    log.pooled.emplace_back(columns->keys[i], std::move(numbers));
  }
}

ScoreLog LogOfResult(const std::string& path, const Json& document, const Json& result) {
  ScoreLog log{.path = path, .format = "summary"};
  const auto text = [](const Json& object, std::string_view key) {
    const Json* const value = object.Find(key);
    return value == nullptr ? std::string() : value->text;
  };
  log.version = text(document, "version");
  log.distorted = text(result, "distorted");
  log.fps = ParseFiniteDouble(text(document, "fps"));
  if (const Json* const reference = document.Find("reference")) {
    log.reference = text(*reference, "path");
    log.width = static_cast<int>(ParseInteger(text(*reference, "width")).value_or(0));
    log.height = static_cast<int>(ParseInteger(text(*reference, "height")).value_or(0));
  }
  AddStatistics(result.Find("models"), log);
  AddStatistics(result.Find("features"), log);
  if (const Json* const aggregates = result.Find("aggregates"))
    for (size_t i = 0; i < aggregates->keys.size(); ++i)
      log.aggregates.emplace_back(aggregates->keys[i], NumberOf(aggregates->items[i]));
  log.summary = document;
  return log;
}

Result<std::vector<ScoreLog>> ParseSummary(const std::string& path, const Json& document) {
  const Json* const kind = document.Find("kind");
  const Json* const results = document.Find("results");
  if (kind == nullptr || !kind->IsText("score") || results == nullptr || results->items.empty())
    return Error(StatusCode::kBadData, "it is no summary of `acutance score`");
  std::vector<ScoreLog> logs;
  for (const Json& result : results->items) logs.push_back(LogOfResult(path, document, result));
  return logs;
}

Result<std::vector<ScoreLog>> Finished(Status status, LogBuilder& builder) {
  ACU_RETURN_IF_ERROR(std::move(status));
  ACU_ASSIGN_OR_RETURN(ScoreLog log, builder.Finish());
  std::vector<ScoreLog> logs;
  logs.push_back(std::move(log));
  return logs;
}

Result<std::vector<ScoreLog>> ParseJsonFile(const std::string& path, std::string_view text) {
  ACU_ASSIGN_OR_RETURN(const Json document, ParseJson(text, {.bytes = kMaxBytes, .values = kMaxValues}));
  const Json* const schema = document.Find("schema");
  if (schema != nullptr && schema->IsText("acutance/1")) return ParseSummary(path, document);
  LogBuilder builder(path, "json");
  return Finished(ParseJsonLog(document, builder), builder);
}

Result<std::vector<ScoreLog>> ParseByContent(const std::string& path, std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size()));
  if (text.starts_with("{\"") || text.starts_with("{\n") || text.starts_with("{\r") || text.starts_with("{ "))
    return ParseJsonFile(path, text);
  const auto parse = [&](const char* format, auto parser) {
    LogBuilder builder(path, format);
    return Finished(parser(text, builder), builder);
  };
  if (text.starts_with('<')) return parse("xml", ParseXmlLog);
  if (text.starts_with('{')) return parse("sub", ParseSubLog);
  for (const std::string_view name : {"Frame,", "frame,", "frameNum,", "n,"})
    if (text.starts_with(name)) return parse("csv", ParseCsvLog);
  return Error(StatusCode::kBadData, "it is no log of scores in xml, json, csv or sub, and no summary");
}

}  // namespace

const LoggedColumn* ScoreLog::Find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &LoggedColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

bool ScoreLog::Prints(double value, double logged) const {
  if (!std::isfinite(value) || !std::isfinite(logged)) return std::isfinite(value) == std::isfinite(logged);
  if (ParseFiniteDouble(numbers.Format(value)) == logged) return true;
  // VMAFx prints six decimals where libvmaf prints sixteen.
  return numbers.IsLegacy() && ParseFiniteDouble(FormatFixed(value, 6)) == logged;
}

int64_t ScoreLog::Step() const {
  if (frames.size() < 2) return 1;
  const int64_t step = frames[1] - frames[0];
  const auto other = std::ranges::adjacent_find(frames, [&](int64_t a, int64_t b) { return b - a != step; });
  return other == frames.end() ? step : 0;
}

Result<std::vector<ScoreLog>> ParseScoreLogs(const std::string& path, std::string_view text) {
  Result<std::vector<ScoreLog>> logs = ParseByContent(path, text);
  if (!logs.ok() && !logs.status().message().starts_with(path)) return Prefixed(path, logs.status());
  return logs;
}

Result<std::vector<ScoreLog>> ReadScoreLogs(const std::string& path) {
  std::ifstream file(SystemPath(path), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return Error(StatusCode::kIo, "could not read {}", path);
  return ParseScoreLogs(path, text);
}

Result<ScoreLog> ReadScoreLog(const std::string& path) {
  ACU_ASSIGN_OR_RETURN(std::vector<ScoreLog> logs, ReadScoreLogs(path));
  if (logs.size() > 1)
    return Error(StatusCode::kInvalidArgument, "{}: a summary of {} distorted videos, where one is expected", path,
                 logs.size());
  return std::move(logs.front());
}

}  // namespace acutance
