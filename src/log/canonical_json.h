// Canonical JSON (RFC 8785): one text for each document, so that it can be hashed.
#pragma once

#include <string>

#include "base/json.h"

namespace acutance {

/// Members sorted by their names' UTF-16 units, numbers as ECMAScript prints doubles, no blanks. Numbers that are not
/// finite as doubles are null.
std::string CanonicalJson(const Json& document);

/// A double as ECMAScript prints it: 1e+21, 0.000001, 93.41.
std::string EcmaNumber(double value);

}  // namespace acutance
