// Files with JSON that acutance wrote: summaries, rows.
#pragma once

#include <string>

#include "base/json.h"
#include "base/status.h"

namespace acutance {

/// All of a file; empty where it cannot be read.
std::string ReadText(const std::string& path);

/// The document in a file of any length, with nothing behind it.
Result<Json> ReadJson(const std::string& path);

}  // namespace acutance
