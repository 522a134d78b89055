// Arrow's file format, also known as Feather version 2 (arrow.apache.org/docs/format/Columnar.html#ipc-file-format).
#pragma once

#include <string>

#include "log/table/data_table.h"

namespace acutance {

/// One record batch, without compression.
std::string ArrowFile(const DataTable& table);

}  // namespace acutance
