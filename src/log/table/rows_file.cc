#include "log/table/rows_file.h"

#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/number.h"
#include "log/json_text.h"

namespace acutance {
namespace {

constexpr const char* kTypes[] = {"whole", "real", "text"};  // in the order of DataColumn::values

Json ToJson(int64_t value) { return Json(value); }
Json ToJson(const std::string& value) { return Json(value); }
/// JSON has no infinity, and no number that is none.
Json ToJson(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

bool FromJson(const Json& json, int64_t& value) {
  const std::optional<double> number = ParseFiniteDouble(json.text);
  value = static_cast<int64_t>(number.value_or(0));
  return number.has_value();
}
bool FromJson(const Json& json, std::string& value) {
  value = json.text;
  return json.IsString();
}
bool FromJson(const Json& json, double& value) {
  const std::optional<double> number = ParseFiniteDouble(json.text);
  const double sign = json.text.starts_with("-") ? -1 : 1;
  value = number.value_or(json.text.ends_with("inf") ? sign * std::numeric_limits<double>::infinity()
                                                     : std::numeric_limits<double>::quiet_NaN());
  return true;
}

template <class T>
Status ReadValues(const Json& json, DataColumn& column) {
  DataColumn::Values<T> values;
  for (const Json& item : json.items) {
    if (item.kind == Json::Kind::kNull) {
      values.emplace_back();
      continue;
    }
    T value{};
    if (!FromJson(item, value))
      return Error(StatusCode::kBadData, "a value of column {} is of another type", column.name);
    values.emplace_back(std::move(value));
  }
  column.values = std::move(values);
  return {};
}

Result<DataColumn> ReadColumn(const Json& json) {
  const Json *name = json.Find("name"), *type = json.Find("type"), *values = json.Find("values");
  if (!name || !type || !values) return Error(StatusCode::kBadData, "a column lacks its name, type or values");
  DataColumn column{.name = name->text, .values = {}};
  Status read = Error(StatusCode::kBadData, "column {} has no known type", column.name);
  if (type->IsText(kTypes[0])) read = ReadValues<int64_t>(*values, column);
  if (type->IsText(kTypes[1])) read = ReadValues<double>(*values, column);
  if (type->IsText(kTypes[2])) read = ReadValues<std::string>(*values, column);
  ACU_RETURN_IF_ERROR(read);
  return column;
}

}  // namespace

std::string RowsFile(const DataTable& table) {
  Json columns = Json::Array(), metadata = Json::Object();
  for (const DataColumn& column : table.columns) {
    Json values = Json::Array();
    std::visit(
        [&](const auto& all) {
          for (const auto& value : all) values.Append(value ? ToJson(*value) : Json());
        },
        column.values);
    columns.Append({{"name", column.name}, {"type", kTypes[column.values.index()]}, {"values", std::move(values)}});
  }
  for (const auto& [key, value] : table.metadata) metadata[key] = Json(value);
  return JsonText({{"columns", std::move(columns)}, {"metadata", std::move(metadata)}});
}

Result<DataTable> ReadRows(const std::string& text) {
  constexpr size_t kAny = std::numeric_limits<size_t>::max();
  ACU_ASSIGN_OR_RETURN(const Json json, ParseJson(text, {.bytes = kAny, .values = kAny, .may_text_follow = false}));
  const Json *columns = json.Find("columns"), *metadata = json.Find("metadata");
  if (!columns || !metadata) return Error(StatusCode::kBadData, "no rows of scores");
  DataTable table;
  for (const Json& column : columns->items) {
    ACU_ASSIGN_OR_RETURN(DataColumn read, ReadColumn(column));
    table.columns.push_back(std::move(read));
  }
  for (size_t i = 0; i < metadata->keys.size(); ++i)
    table.metadata.emplace_back(metadata->keys[i], metadata->items[i].text);
  for (const DataColumn& column : table.columns)
    if (column.rows() != table.rows()) return Error(StatusCode::kBadData, "columns differ in length");
  return table;
}

}  // namespace acutance
