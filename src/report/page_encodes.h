// Encodes side by side, as a part of a page.
#pragma once

#include <string>

#include "report/comparison.h"
#include "report/ladder.h"

namespace acutance {

/// HTML: a table of the encodes, and sentences about each pair.
std::string EncodesPart(const Comparison& comparison);

/// HTML: the curves as a picture, their points and their differences as tables.
std::string EncodesPart(const Ladder& ladder);

}  // namespace acutance
