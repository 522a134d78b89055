// JSON serialization.
#pragma once

#include <string>

#include "base/json.h"

namespace acutance {

/// Indented by two, or one line; either ends with a newline. Bytes that are not UTF-8, as paths may hold, become
/// U+FFFD.
std::string JsonText(const Json& document);
std::string JsonLine(const Json& document);

}  // namespace acutance
