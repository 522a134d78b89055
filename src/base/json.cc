#include "base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace acutance {
namespace {

// nlohmann's SAX parser keeps its stack on the heap; this builder bounds the values that it
// accepts.
class TreeBuilder : public nlohmann::json::json_sax_t {
 public:
  bool null() override { return Add({}); }
  bool boolean(bool value) override { return Add({.kind = JsonValue::Kind::kBool, .boolean = value}); }
  bool number_integer(number_integer_t value) override { return AddNumber(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return AddNumber(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& spelled) override {
    std::string text = spelled;
    // The parser spells the decimal point as the C locale does.
    for (char& c : text) {
      if (std::string_view("0123456789+-eE").find(c) == std::string_view::npos) c = '.';
    }
    return AddNumber(std::move(text));
  }
  bool string(string_t& value) override { return Add({.kind = JsonValue::Kind::kString, .text = std::move(value)}); }
  bool binary(binary_t&) override { return Refuse("binary data"); }
  bool start_object(size_t) override { return Open(JsonValue::Kind::kObject); }
  bool start_array(size_t) override { return Open(JsonValue::Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    open_.back()->keys.push_back(std::move(name));
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." -> what follows the bracket
    std::string_view what = error.what();
    if (const size_t end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    return Refuse(fmt::format("{} (byte {})", what, position));
  }

  std::string problem;
  JsonValue root;

 private:
  bool Refuse(std::string why) {
    problem = std::move(why);
    return false;
  }

  bool AddNumber(std::string text) { return Add({.kind = JsonValue::Kind::kNumber, .text = std::move(text)}); }

  bool Add(JsonValue value) {
    if (++count_ > kMaxJsonValues) return Refuse(fmt::format("more than {} values", kMaxJsonValues));
    if (open_.empty()) {
      root = std::move(value);
    } else {
      open_.back()->items.push_back(std::move(value));
    }
    return true;
  }

  bool Open(JsonValue::Kind kind) {
    if (open_.size() >= static_cast<size_t>(kMaxJsonDepth)) {
      return Refuse(fmt::format("nested deeper than {} levels", kMaxJsonDepth));
    }
    if (!Add({.kind = kind})) return false;
    open_.push_back(open_.empty() ? &root : &open_.back()->items.back());
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  // Pointers stay valid: only the innermost open value grows.
  std::vector<JsonValue*> open_;
  size_t count_ = 0;
};

}  // namespace

const JsonValue* JsonValue::Find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[found - keys.begin()];
}

int JsonValue::Count(std::string_view key) const { return static_cast<int>(std::count(keys.begin(), keys.end(), key)); }

const char* JsonKindName(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBool:
      return "a boolean";
    case JsonValue::Kind::kNumber:
      return "a number";
    case JsonValue::Kind::kString:
      return "a string";
    case JsonValue::Kind::kArray:
      return "an array";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  return "";
}

Result<JsonValue> ParseJson(std::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return Error(StatusCode::kBadData, "larger than {} MB", kMaxJsonBytes >> 20);
  }
  TreeBuilder builder;
  constexpr bool kStrict = false;  // text after the value is ignored
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, kStrict)) {
    return Status(StatusCode::kBadData, builder.problem);
  }
  return std::move(builder.root);
}

}  // namespace acutance
