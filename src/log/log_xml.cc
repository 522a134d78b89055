#include <fmt/format.h>

#include "log/escape.h"
#include "log/log_columns.h"
#include "log/log_formats.h"
#include "stats/pooling.h"

namespace acutance {
namespace {

/// An attribute, name="value", and the blank that libvmaf puts after each.
std::string Attribute(std::string_view name, std::string_view value) { return fmt::format("{}=\"{}\" ", name, value); }

void WritePooled(const LogInput& input, const LogColumn& column, const TextSink& sink) {
  std::string line = "    <metric " + Attribute("name", EscapeXml(column.label));
  if (const auto pooled = PoolForLog(input, column)) {
    for (size_t i = 0; i < pooled->size(); ++i) {
      line += Attribute(PoolingMethods()[i].name, input.numbers.Format((*pooled)[i]));
    }
  }
  sink(line + "/>\n");
}

}  // namespace

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
  for (const LogColumn& column : columns) WritePooled(input, column, sink);
  sink("  </pooled_metrics>\n  <aggregate_metrics ");
  for (const auto& [name, value] : input.scores.aggregates())
    sink(Attribute(XmlName(name), input.numbers.Format(value)));
  sink("/>\n</VMAF>\n");
}

}  // namespace acutance
