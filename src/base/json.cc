#include "base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace acutance {
namespace {

// nlohmann's SAX parser keeps its stack on the heap; this builder bounds the values that it accepts.
class TreeBuilder : public nlohmann::json::json_sax_t {
 public:
  explicit TreeBuilder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return Add({}); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t, const string_t& spelled) override {
    Json number = Json::OfKind(Json::Kind::kNumber);
    number.text = spelled;
    // The parser spells the decimal point as the C locale does.
    for (char& c : number.text) {
      if (std::string_view("0123456789+-eE").find(c) == std::string_view::npos) c = '.';
    }
    return Add(std::move(number));
  }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return Refuse("binary data"); }
  bool start_object(size_t) override { return Open(Json::Kind::kObject); }
  bool start_array(size_t) override { return Open(Json::Kind::kArray); }
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
  Json root;

 private:
  bool Refuse(std::string why) {
    problem = std::move(why);
    return false;
  }

  bool Add(Json value) {
    if (++count_ > limits_.values) return Refuse(fmt::format("more than {} values", limits_.values));
    if (open_.empty()) {
      root = std::move(value);
    } else {
      open_.back()->items.push_back(std::move(value));
    }
    return true;
  }

  bool Open(Json::Kind kind) {
    if (open_.size() >= static_cast<size_t>(limits_.depth)) {
      return Refuse(fmt::format("nested deeper than {} levels", limits_.depth));
    }
    if (!Add(Json::OfKind(kind))) return false;
    open_.push_back(open_.empty() ? &root : &open_.back()->items.back());
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  // Pointers stay valid: only the innermost open value grows.
  std::vector<Json*> open_;
  size_t count_ = 0;
};

bool IsMember(const JsonElement& element) {
  return element.value.IsArray() && element.value.items.size() == 2 && element.value.items[0].IsString();
}

}  // namespace

Json::Json(double value) {
  if (!std::isfinite(value)) return;
  kind = Kind::kNumber;
  text = fmt::format("{}", value);
  if (text.find_first_of(".e") == text.npos) text += ".0";  // else readers take it for an integer
}

Json::Json(std::initializer_list<JsonElement> elements) {
  kind = std::ranges::all_of(elements, IsMember) ? Kind::kObject : Kind::kArray;
  items.reserve(elements.size());
  for (const JsonElement& element : elements) {
    if (kind == Kind::kObject) keys.push_back(std::move(element.value.items[0].text));
    items.push_back(std::move(kind == Kind::kObject ? element.value.items[1] : element.value));
  }
}

Json Json::OfKind(Kind kind) {
  Json value;
  value.kind = kind;
  return value;
}

const Json* Json::Find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[found - keys.begin()];
}

int Json::Count(std::string_view key) const { return static_cast<int>(std::count(keys.begin(), keys.end(), key)); }

Json& Json::operator[](std::string_view key) {
  if (IsNull()) kind = Kind::kObject;
  const auto found = std::find(keys.begin(), keys.end(), key);
  if (found != keys.end()) return items[found - keys.begin()];
  keys.emplace_back(key);
  return items.emplace_back();
}

void Json::Append(Json value) {
  if (IsNull()) kind = Kind::kArray;
  items.push_back(std::move(value));
}

const char* JsonKindName(Json::Kind kind) {
  constexpr const char* kNames[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
  return kNames[static_cast<int>(kind)];
}

Result<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) return Error(StatusCode::kBadData, "larger than {} MB", limits.bytes >> 20);
  TreeBuilder builder(limits);
  const bool strict = !limits.may_text_follow;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder, nlohmann::json::input_format_t::json, strict)) {
    return Status(StatusCode::kBadData, builder.problem);
  }
  return std::move(builder.root);
}

}  // namespace acutance
