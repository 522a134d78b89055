// Scores as rows for queries: a row a frame, with the receipt in the file's metadata (docs/use/queries.md).
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "log/table/data_table.h"
#include "report/summary.h"

namespace acutance {

/// A file format of tables.
struct TableFormat {
  std::string_view name;  // and the extension
  std::string (*make)(const DataTable&);
};

/// parquet, arrow or rows (log/table/rows_file.h); null: no table has that format.
const TableFormat* FindTableFormat(std::string_view name);

/// Columns: reference, distorted (paths), frame, reference_frame, distorted_frame, seconds (of the reference, from its
/// start), shot (from 0 on), and each score by its name in logs. A number that is not known is null. Metadata: the
/// receipt as JSON, under "acutance.receipt".
DataTable ScoreRows(const Summary& summary, size_t video);

/// Rows of another video behind those of `table`, whose columns become those of both. The metadata of both.
void AppendRows(DataTable&& more, DataTable& table);

Status WriteTable(const std::string& path, const TableFormat& format, const DataTable& table);

}  // namespace acutance
