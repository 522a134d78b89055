// JSON serialization.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace acutance {

/// Indented by two, or one line; either ends with a newline. Bytes that are not UTF-8, as paths may hold, become
/// U+FFFD.
std::string JsonText(const Json& document);
std::string JsonLine(const Json& document);

/// The member of that name; a null where there is none.
const Json& JsonAt(const Json& object, std::string_view key);

/// The value of a number; NaN where there is none, or it is not finite.
double JsonNumber(const Json& value);

}  // namespace acutance
