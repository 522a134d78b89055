#include <fmt/format.h>

#include "log/escape.h"
#include "log/log_columns.h"
#include "log/log_formats.h"

namespace acutance {

void WriteSub(const LogInput& input, const TextSink& sink) {
  const std::vector<LogColumn> columns = LogColumns(input.scores, SubtitleText);
  ForEachLogFrame(input, columns, [&](int64_t frame) {
    std::string line = fmt::format("{{{}}}{{{}}}frame: {}|", frame, frame + 1, frame);
    for (const LogColumn& column : columns) {
      if (const auto score = column.Score(frame)) {
        line += fmt::format("{}: {}|", column.name, input.numbers.Format(*score));
      }
    }
    sink(line + "\n");
  });
}

}  // namespace acutance
