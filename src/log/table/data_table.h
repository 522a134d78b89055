// Rows and typed columns, which become a Parquet or an Arrow file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace acutance {

/// Values by row, of one type; a value that is not set is null.
struct DataColumn {
  template <class T>
  using Values = std::vector<std::optional<T>>;

  std::string name;  // no two of a table are equal
  std::variant<Values<int64_t>, Values<double>, Values<std::string>> values;

  int64_t rows() const {
    return std::visit([](const auto& all) { return static_cast<int64_t>(all.size()); }, values);
  }
};

struct DataTable {
  std::vector<DataColumn> columns;  // of the same length
  std::vector<std::pair<std::string, std::string>> metadata = {};

  int64_t rows() const { return columns.empty() ? 0 : columns.front().rows(); }
};

}  // namespace acutance
