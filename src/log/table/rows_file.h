// A table as JSON, which `acutance batch` keeps for each pair until it writes one file of all.
#pragma once

#include <string>

#include "base/status.h"
#include "log/table/data_table.h"

namespace acutance {

std::string RowsFile(const DataTable& table);

/// What RowsFile wrote, of any length; an error for anything else.
Result<DataTable> ReadRows(const std::string& text);

}  // namespace acutance
