#include "log/log_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "log/escape.h"
#include "log/output_file.h"
#include "stats/pooling.h"

namespace acutance {
namespace {

/// An attribute, name="value", and the blank that libvmaf puts after each.
std::string Attribute(std::string_view name, std::string_view value) { return fmt::format("{}=\"{}\" ", name, value); }

void WriteXmlPooled(const LogInput& input, const LogColumn& column, const TextSink& sink) {
  std::string line = "    <metric " + Attribute("name", EscapeXml(column.label));
  if (const auto pooled = PoolForLog(input, column)) {
    for (size_t i = 0; i < pooled->size(); ++i)
      line += Attribute(PoolingMethods()[i].name, input.numbers.Format((*pooled)[i]));
  }
  sink(line + "/>\n");
}

void WriteXml(const LogInput& input, const TextSink& sink) {
  const std::vector<LogColumn> columns = LogColumns(input.scores, XmlName);
  sink(
      fmt::format("<VMAF version=\"{}\">\n  <params qualityWidth=\"{}\" qualityHeight=\"{}\" />\n  <fyi fps=\"{}\" />\n"
                  "  <frames>\n",
                  EscapeXml(input.version), input.width, input.height, FormatFixed(input.fps, 2)));
  ForEachLogFrame(input, columns, [&](int64_t frame) {
    std::string line = fmt::format("    <frame frameNum=\"{}\" ", frame);
    for (const LogColumn& column : columns) {
      if (const auto score = column.Score(frame)) line += Attribute(column.name, input.numbers.Format(*score));
    }
    sink(line + "/>\n");
  });
  sink("  </frames>\n  <pooled_metrics>\n");
  for (const LogColumn& column : columns) WriteXmlPooled(input, column, sink);
  sink("  </pooled_metrics>\n  <aggregate_metrics ");
  for (const auto& [name, value] : input.scores.aggregates())
    sink(Attribute(XmlName(name), input.numbers.Format(value)));
  sink("/>\n");
  for (const auto& [path, damage] : input.damages)
    sink("  <damage " + Attribute("path", EscapeXml(path)) + Attribute("reason", EscapeXml(damage.reason)) +
         Attribute("decoded", fmt::format("{}", damage.decoded)) + Attribute("lost", fmt::format("{}", damage.lost)) +
         Attribute("frames", fmt::format("{}", fmt::join(damage.frames, " "))) + "/>\n");
  sink("</VMAF>\n");
}

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

void WriteJsonFrames(const LogInput& input, const std::vector<LogColumn>& columns, const TextSink& sink) {
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

void WriteJsonPooled(const LogInput& input, const std::vector<LogColumn>& columns, const TextSink& sink) {
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

void WriteJsonDamages(const LogInput& input, const TextSink& sink) {
  for (size_t i = 0; i < input.damages.size(); ++i) {
    const auto& [path, damage] = input.damages[i];
    sink(fmt::format("{}    {{\"path\": \"{}\", \"reason\": \"{}\", \"decoded\": {}, \"lost\": {}, \"frames\": [{}]}}",
                     i == 0 ? ",\n  \"damage\": [\n" : ",\n", EscapeJson(path), EscapeJson(damage.reason),
                     damage.decoded, damage.lost, fmt::join(damage.frames, ", ")));
  }
  if (!input.damages.empty()) sink("\n  ]");
}

void WriteJson(const LogInput& input, const TextSink& sink) {
  const std::vector<LogColumn> columns = LogColumns(input.scores, EscapeJson);
  sink(fmt::format("{{\n  \"version\": \"{}\",\n  \"fps\": {},\n", EscapeJson(input.version),
                   std::isfinite(input.fps) ? FormatFixed(input.fps, 2) : "null"));
  WriteJsonFrames(input, columns, sink);
  WriteJsonPooled(input, columns, sink);

  std::vector<std::string> names;
  for (const auto& aggregate : input.scores.aggregates()) names.push_back(EscapeJson(aggregate.first));
  Members aggregates;
  for (size_t i = 0; i < names.size(); ++i) aggregates.emplace_back(names[i], input.scores.aggregates()[i].second);
  sink("  \"aggregate_metrics\": {\n" + Lines(input, aggregates, "    ") + "  }");
  WriteJsonDamages(input, sink);
  sink("\n}\n");
}

void WriteCsv(const LogInput& input, const TextSink& sink) {
  const std::vector<LogColumn> columns = LogColumns(input.scores, CsvField);
  std::string header = "Frame,";
  for (const LogColumn& column : columns) header += column.name + ",";
  sink(header + "\n");
  ForEachLogFrame(input, columns, [&](int64_t frame) {
    std::string line = fmt::format("{},", frame);
    for (const LogColumn& column : columns) {
      if (const auto score = column.Score(frame)) line += input.numbers.Format(*score);
      line += ',';
    }
    sink(line + "\n");
  });
}

void WriteSub(const LogInput& input, const TextSink& sink) {
  const std::vector<LogColumn> columns = LogColumns(input.scores, SubtitleText);
  ForEachLogFrame(input, columns, [&](int64_t frame) {
    std::string line = fmt::format("{{{}}}{{{}}}frame: {}|", frame, frame + 1, frame);
    for (const LogColumn& column : columns) {
      if (const auto score = column.Score(frame))
        line += fmt::format("{}: {}|", column.name, input.numbers.Format(*score));
    }
    sink(line + "\n");
  });
}

constexpr LogFormat kFormats[] = {{"xml", WriteXml}, {"json", WriteJson}, {"csv", WriteCsv}, {"sub", WriteSub}};

}  // namespace

std::vector<LogDamage> DamagesOf(const std::vector<Input>& inputs, size_t distorted) {
  std::vector<LogDamage> damages;
  for (const size_t video : {size_t{0}, distorted + 1})
    if (video < inputs.size() && !inputs[video].damage.reason.empty())
      damages.push_back({inputs[video].path, inputs[video].damage});
  return damages;
}

std::optional<double> LogColumn::Score(int64_t frame) const {
  if (static_cast<size_t>(frame) >= column->scores.size()) return std::nullopt;
  return column->scores[frame];
}

std::vector<LogColumn> LogColumns(const ScoreTable& scores, std::string (*spell)(std::string_view)) {
  std::vector<LogColumn> columns;
  std::set<std::string> names;
  for (const ScoreTable::Column& column : scores.columns()) {
    if (std::ranges::none_of(column.scores, [](const auto& s) { return s.has_value(); })) continue;
    std::string name = spell(column.shown);
    while (!names.insert(name).second) name += '_';
    columns.push_back({std::move(name), column.shown, &column});
  }
  return columns;
}

void ForEachLogFrame(const LogInput& input, const std::vector<LogColumn>& columns,
                     const std::function<void(int64_t frame)>& use) {
  size_t end = 0;
  for (const LogColumn& column : columns) end = std::max(end, column.column->scores.size());
  const int64_t step = std::max(input.n_subsample, 1);
  for (int64_t frame = 0; frame < static_cast<int64_t>(end); frame += step) {
    if (std::ranges::any_of(columns, [&](const auto& c) { return c.Score(frame).has_value(); })) use(frame);
  }
}

std::optional<std::array<double, 4>> PoolForLog(const LogInput& input, const LogColumn& column) {
  std::array<double, 4> pooled{};
  for (size_t i = 0; i < pooled.size(); ++i) {
    const auto value = Pool(*column.column, {0, input.frame_count - 1, input.n_subsample}, PoolingMethods()[i].method);
    if (!value) return std::nullopt;
    pooled[i] = *value;
  }
  return pooled;
}

std::span<const LogFormat> LogFormats() { return kFormats; }

const LogFormat* FindLogFormat(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &LogFormat::name);
  return found == std::end(kFormats) ? nullptr : found;
}

Status WriteLogFile(const std::string& path, std::string_view format, const LogInput& input) {
  const LogFormat* writer = FindLogFormat(format);
  if (writer == nullptr) {
    std::vector<std::string_view> names;
    for (const LogFormat& known : kFormats) names.push_back(known.name);
    return Error(StatusCode::kInvalidArgument, "unknown log format '{}'{} (known: {})", format,
                 DidYouMean(format, names), fmt::join(names, ", "));
  }
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(path));
  writer->write(input, [&](std::string_view text) { file->Write(text); });
  return file->Commit();
}

}  // namespace acutance
