// A JSON tree: read with bounds, so that no text can exhaust the stack or the memory, and built for what is written
// (log/json_text.h). Its destructor allocates nothing, unlike that of nlohmann's tree, which ends the process where
// memory runs out.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"

namespace acutance {

struct JsonElement;

struct Json {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Json() = default;
  Json(std::nullptr_t) {}
  Json(std::same_as<bool> auto value) : kind(Kind::kBool), boolean(value) {}
  Json(std::integral auto value) requires(!std::same_as<decltype(value), bool>)
      : kind(Kind::kNumber), text(fmt::format("{}", value)) {}
  template <class Enum>
  requires(std::is_enum_v<Enum>&& std::convertible_to<Enum, int>)  // without it an enumerator becomes a double
      Json(Enum value)
      : Json(static_cast<int>(value)) {}
  Json(double value);  // null where it is not finite: JSON cannot spell that
  Json(std::string value) : kind(Kind::kString), text(std::move(value)) {}
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  template <class T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }
  template <std::ranges::input_range T>
  requires(!std::convertible_to<const T&, std::string_view>) Json(const T& values)
      : kind(Kind::kArray), items(values.begin(), values.end()) {}
  /// An object if each element is a list of two whose first is a string, an array otherwise.
  Json(std::initializer_list<JsonElement> elements);

  static Json Array() { return OfKind(Kind::kArray); }
  static Json Object() { return OfKind(Kind::kObject); }
  static Json OfKind(Kind kind);

  /// The first member of that name; null when there is none.
  const Json* Find(std::string_view key) const;
  int Count(std::string_view key) const;

  /// The member of that name, added as null where there is none. A null becomes an object.
  Json& operator[](std::string_view key);
  /// Adds to an array. A null becomes one.
  void Append(Json value);

  bool IsNull() const { return kind == Kind::kNull; }
  bool IsObject() const { return kind == Kind::kObject; }
  bool IsArray() const { return kind == Kind::kArray; }
  bool IsString() const { return kind == Kind::kString; }
  bool IsText(std::string_view of) const { return IsString() && text == of; }

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text{};               // kString: the string; kNumber: as spelled, with '.' as decimal point
  std::vector<Json> items{};        // kArray, kObject
  std::vector<std::string> keys{};  // kObject: keys[i] names items[i], in the file's order
};

/// An element of a braced list, which it can be moved out of.
struct JsonElement {
  template <class T, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<T>, JsonElement>>>
  JsonElement(T&& of) : value(std::forward<T>(of)) {}
  JsonElement(std::initializer_list<JsonElement> elements) : value(elements) {}

  mutable Json value;
};

const char* JsonKindName(Json::Kind kind);  // "a string"

struct JsonLimits {
  size_t bytes = size_t{64} << 20;
  int depth = 64;
  size_t values = size_t{1} << 20;
  bool may_text_follow = true;  // after the first value; it is ignored, as in libvmaf
};

/// Reads the first value of `text` (strict RFC 8259, UTF-8 checked).
Result<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

}  // namespace acutance
