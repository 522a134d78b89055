// Lines of CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

/// The fields of a line of CSV; quotes may be round a field and are doubled within.
Result<std::vector<std::string>> SplitCsv(std::string_view line);

}  // namespace acutance
