#include <fmt/format.h>

#include "log/escape.h"
#include "log/log_columns.h"
#include "log/log_formats.h"

namespace acutance {

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

}  // namespace acutance
