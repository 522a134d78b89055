#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "log/read/parse_log.h"

namespace acutance {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

struct Element {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> attributes;

  /// Empty: there is none.
  std::string_view Find(std::string_view attribute) const {
    for (const auto& [key, value] : attributes)
      if (key == attribute) return value;
    return {};
  }
};

std::string Unescape(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string plain;
  while (!text.empty()) {
    size_t length = 1;
    char c = text.front();
    for (const auto& [entity, character] : kEntities)
      if (text.starts_with(entity)) {
        length = entity.size();
        c = character;
      }
    plain += c;
    text.remove_prefix(length);
  }
  return plain;
}

/// Start tags of XML, one after another. End tags, comments, declarations and text are passed over.
class Tags {
 public:
  explicit Tags(std::string_view text) : text_(text) {}

  /// nullopt at the end of the text.
  Result<std::optional<Element>> Next() {
    while (Skip()) {
      if (text_.starts_with("!--")) {
        Drop(text_.find("-->"));
      } else if (!text_.starts_with("/") && !text_.starts_with("?") && !text_.starts_with("!")) {
        ACU_ASSIGN_OR_RETURN(Element element, ReadElement());
        return std::optional(std::move(element));
      }
    }
    return std::optional<Element>();
  }

 private:
  void Drop(size_t count) { text_.remove_prefix(std::min(count, text_.size())); }
  std::string_view Take(size_t count) {
    const std::string_view taken = text_.substr(0, count);
    Drop(count);
    return taken;
  }
  /// Goes behind the next '<'.
  bool Skip() {
    const size_t begin = text_.find('<');
    if (begin == std::string_view::npos) return false;
    Drop(begin + 1);
    return true;
  }

  Result<Element> ReadElement() {
    Element element{Take(text_.find_first_of(" \t\r\n/>")), {}};
    for (;;) {
      Drop(text_.find_first_not_of(kBlanks));
      if (text_.empty()) break;
      if (text_.front() == '>' || text_.front() == '/') return element;
      const std::string_view name = Take(text_.find_first_of("= \t\r\n>"));
      Drop(text_.find_first_not_of(kBlanks));
      if (!text_.starts_with('=')) break;
      Drop(1);
      Drop(text_.find_first_not_of(kBlanks));
      if (text_.empty() || (text_.front() != '"' && text_.front() != '\'')) break;
      const size_t end = text_.find(text_.front(), 1);
      if (end == std::string_view::npos) break;
      element.attributes.emplace_back(name, Unescape(text_.substr(1, end - 1)));
      Drop(end + 1);
    }
    return Error(StatusCode::kBadData, "the XML of <{}> is not complete", element.name);
  }

  std::string_view text_;
};

Status ReadFrame(const Element& element, LogBuilder& builder) {
  ACU_RETURN_IF_ERROR(builder.BeginFrame(element.Find("frameNum")));
  for (const auto& [name, value] : element.attributes)
    if (name != "frameNum") ACU_RETURN_IF_ERROR(builder.Add(name, value));
  return {};
}

Result<NamedNumbers> Numbers(const Element& element, LogBuilder& builder) {
  NamedNumbers numbers;
  for (const auto& [name, text] : element.attributes) {
    if (name == "name") continue;
    ACU_ASSIGN_OR_RETURN(const double value, builder.Number(name, text));
    numbers.emplace_back(name, value);
  }
  return numbers;
}

Status ReadElement(const Element& element, LogBuilder& builder) {
  ScoreLog& log = builder.parsed();
  if (element.name == "VMAF") log.version = element.Find("version");
  if (element.name == "params") {
    log.width = static_cast<int>(ParseInteger(element.Find("qualityWidth")).value_or(0));
    log.height = static_cast<int>(ParseInteger(element.Find("qualityHeight")).value_or(0));
  }
  if (element.name == "fyi") log.fps = ParseFiniteDouble(element.Find("fps"));
  if (element.name == "frame") return ReadFrame(element, builder);
  if (element.name == "metric") {
    ACU_ASSIGN_OR_RETURN(NamedNumbers numbers, Numbers(element, builder));
    log.pooled.emplace_back(element.Find("name"), std::move(numbers));
  }
  if (element.name == "aggregate_metrics") {
    ACU_ASSIGN_OR_RETURN(log.aggregates, Numbers(element, builder));
  }
  return {};
}

}  // namespace

Status ParseXmlLog(std::string_view text, LogBuilder& builder) {
  Tags tags(text);
  for (;;) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Element> element, tags.Next());
    if (!element) return {};
    ACU_RETURN_IF_ERROR(ReadElement(*element, builder));
  }
}

}  // namespace acutance
