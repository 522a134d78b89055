#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "log/escape.h"
#include "log/log_columns.h"
#include "log/log_formats.h"
#include "stats/pooling.h"

namespace acutance {
namespace {

using Members = std::vector<std::pair<std::string_view, double>>;  // names are escaped

/// "name": value lines; each but the last ends in a comma.
std::string Lines(const LogInput& input, const Members& members, std::string_view indent) {
  std::string text;
  for (size_t i = 0; i < members.size(); ++i) {
    const auto& [name, value] = members[i];
    const char* end = i + 1 < members.size() ? ",\n" : "\n";
    text += fmt::format("{}\"{}\": {}{}", indent, name, input.numbers.FormatJson(value), end);
  }
  return text;
}

void WriteFrames(const LogInput& input, const std::vector<LogColumn>& columns, const TextSink& sink) {
  bool first = true;
  sink("  \"frames\": [");
  ForEachLogFrame(input, columns, [&](int64_t frame) {
    Members scores;
    for (const LogColumn& column : columns) {
      if (const auto score = column.Score(frame)) scores.emplace_back(column.name, *score);
    }
    sink(fmt::format("{}\n    {{\n      \"frameNum\": {},\n      \"metrics\": {{\n{}      }}\n    }}", first ? "" : ",",
                     frame, Lines(input, scores, "        ")));
    first = false;
  });
  sink("\n  ],\n");
}

void WritePooled(const LogInput& input, const std::vector<LogColumn>& columns, const TextSink& sink) {
  sink("  \"pooled_metrics\": {");
  for (size_t c = 0; c < columns.size(); ++c) {
    Members members;
    if (const auto pooled = PoolForLog(input, columns[c])) {
      for (size_t i = 0; i < pooled->size(); ++i) members.emplace_back(PoolingMethods()[i].name, (*pooled)[i]);
    }
    sink(fmt::format("{}\n    \"{}\": {{\n{}    }}", c == 0 ? "" : ",", columns[c].name,
                     Lines(input, members, "      ")));
  }
  sink("\n  },\n");
}

}  // namespace

void WriteJson(const LogInput& input, const TextSink& sink) {
  const std::vector<LogColumn> columns = LogColumns(input.scores, EscapeJson);
  sink(fmt::format("{{\n  \"version\": \"{}\",\n  \"fps\": {},\n", EscapeJson(input.version),
                   std::isfinite(input.fps) ? FormatFixed(input.fps, 2) : "null"));
  WriteFrames(input, columns, sink);
  WritePooled(input, columns, sink);

  std::vector<std::string> names;
  for (const auto& aggregate : input.scores.aggregates()) names.push_back(EscapeJson(aggregate.first));
  Members aggregates;
  for (size_t i = 0; i < names.size(); ++i) aggregates.emplace_back(names[i], input.scores.aggregates()[i].second);
  sink("  \"aggregate_metrics\": {\n" + Lines(input, aggregates, "    ") + "  }\n}\n");
}

}  // namespace acutance
