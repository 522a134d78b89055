#include "log/json_text.h"

#include <limits>

#include "base/number.h"
#include "log/escape.h"

namespace acutance {
namespace {

bool HasParts(const Json& value) { return value.IsArray() || value.IsObject(); }

class Writer {
 public:
  explicit Writer(bool indented) : indented_(indented) {}

  void Write(const Json& value) {
    if (HasParts(value)) return WriteParts(value, value.IsObject() ? "{}" : "[]");
    if (value.IsString()) return WriteString(value.text);
    if (value.kind == Json::Kind::kBool) text_ += value.boolean ? "true" : "false";
    else text_ += value.IsNull() ? "null" : value.text;
  }

  std::string Finish() { return std::move(text_) + "\n"; }

 private:
  void WriteString(const std::string& string) {
    text_ += '"';
    text_ += EscapeJson(string);
    text_ += '"';
  }

  void WriteParts(const Json& value, const char* brackets) {
    text_ += brackets[0];
    ++depth_;
    for (size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) text_ += ',';
      BeginLine();
      if (value.IsObject()) {
        WriteString(value.keys[i]);
        text_ += indented_ ? ": " : ":";
      }
      Write(value.items[i]);
    }
    --depth_;
    if (!value.items.empty()) BeginLine();
    text_ += brackets[1];
  }

  void BeginLine() {
    if (indented_) text_.append("\n").append(2 * depth_, ' ');
  }

  std::string text_;
  size_t depth_ = 0;
  const bool indented_;
};

std::string Text(const Json& document, bool indented) {
  Writer writer(indented);
  writer.Write(document);
  return writer.Finish();
}

}  // namespace

std::string JsonText(const Json& document) { return Text(document, true); }
std::string JsonLine(const Json& document) { return Text(document, false); }

const Json& JsonAt(const Json& object, std::string_view key) {
  static const Json kNull;
  const Json* const found = object.Find(key);
  return found ? *found : kNull;
}

double JsonNumber(const Json& value) {
  return ParseFiniteDouble(value.text).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace acutance
