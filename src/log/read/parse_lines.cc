#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/number.h"
#include "log/read/parse_log.h"

namespace acutance {
namespace {

/// Takes a line off `text`, without its end.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Status ParseCsvLog(std::string_view text, LogBuilder& builder) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitCsv(TakeLine(text)));
  // ffmpeg-quality-metrics calls the frame n and counts from 1.
  const bool is_from_one = names.front() == "n";
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (line.empty()) continue;
    ACU_ASSIGN_OR_RETURN(const std::vector<std::string> fields, SplitCsv(line));
    const std::optional<long long> number = ParseInteger(fields.front());
    ACU_RETURN_IF_ERROR(builder.BeginFrame(is_from_one && number ? fmt::format("{}", *number - 1) : fields.front()));
    if (fields.size() > names.size() + 1)
      return Error(StatusCode::kBadData, "frame {} has {} fields, the first line {} names", fields.front(),
                   fields.size(), names.size());
    for (size_t i = 1; i < std::min(fields.size(), names.size()); ++i)
      if (!names[i].empty() && !fields[i].empty()) ACU_RETURN_IF_ERROR(builder.Add(names[i], fields[i], is_from_one));
  }
  return {};
}

Status ParseSubLog(std::string_view text, LogBuilder& builder) {
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (line.empty()) continue;
    line.remove_prefix(std::min(line.rfind('}') + 1, line.size()));
    bool is_first = true;
    while (!line.empty()) {
      const std::string_view field = line.substr(0, line.find('|'));
      line.remove_prefix(std::min(field.size() + 1, line.size()));
      const size_t colon = field.rfind(": ");
      if (colon == std::string_view::npos) return Error(StatusCode::kBadData, "'{}' is no name and number", field);
      const std::string_view number = field.substr(colon + 2);
      ACU_RETURN_IF_ERROR(is_first ? builder.BeginFrame(number) : builder.Add(field.substr(0, colon), number));
      is_first = false;
    }
  }
  return {};
}

}  // namespace acutance
