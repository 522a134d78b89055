// Apache Parquet, format version 1, without compression (parquet.apache.org/docs/file-format; its structures are
// Thrift's compact protocol). Arrow's library would be 30 MB for this one file format; it reads these files in the
// tests.
#pragma once

#include <string>

#include "log/table/data_table.h"

namespace acutance {

/// One row group, a data page for each column; text is kept as indices into a dictionary.
std::string ParquetFile(const DataTable& table);

}  // namespace acutance
