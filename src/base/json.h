// A small JSON tree with bounds: nesting, number of values and size of text are limited, so no file can exhaust the
// stack or the memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

inline constexpr size_t kMaxJsonBytes = size_t{64} << 20;
inline constexpr int kMaxJsonDepth = 64;
inline constexpr size_t kMaxJsonValues = size_t{1} << 20;

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;               // kString: the string; kNumber: as spelled, with '.' as decimal point
  std::vector<JsonValue> items;   // kArray, kObject
  std::vector<std::string> keys;  // kObject: keys[i] names items[i], in the file's order

  /// The first member of that name; null when there is none.
  const JsonValue* Find(std::string_view key) const;
  int Count(std::string_view key) const;

  bool IsNull() const { return kind == Kind::kNull; }
  bool IsObject() const { return kind == Kind::kObject; }
  bool IsString() const { return kind == Kind::kString; }
};

const char* JsonKindName(JsonValue::Kind kind);  // "a string"

/// Reads the first value of `text` (strict RFC 8259, UTF-8 checked). Text after it is ignored, as
/// in libvmaf.
Result<JsonValue> ParseJson(std::string_view text);

}  // namespace acutance
