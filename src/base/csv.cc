#include "base/csv.h"

namespace acutance {

Result<std::vector<std::string>> SplitCsv(std::string_view line) {
  std::vector<std::string> fields = {""};
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  if (quoted) return Error(StatusCode::kBadData, "a quote is not closed");
  return fields;
}

}  // namespace acutance
