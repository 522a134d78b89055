#include "report/fit/opinion_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "base/number.h"
#include "base/system/file.h"
#include "log/read/json_file.h"

namespace acutance {
namespace {

using Cells = std::vector<std::string>;

constexpr double kNormal = 1.959963984540054;  // of a 95 % interval

struct Sheet {
  Cells titles;
  std::vector<Cells> rows;

  /// The column's cells; empty: there is none.
  Cells Column(const std::string& title) const {
    const auto at = std::ranges::find(titles, title);
    Cells cells;
    if (at == titles.end()) return cells;
    for (const Cells& row : rows) cells.push_back(row[static_cast<size_t>(at - titles.begin())]);
    return cells;
  }
};

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

Result<Sheet> ReadSheet(const std::string& path) {
  std::ifstream file(SystemPath(path));
  if (!file) return Error(StatusCode::kIo, "could not open {}", path);
  Sheet sheet;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (constexpr std::string_view kMark = "\xef\xbb\xbf"; number == 1 && line.starts_with(kMark))
      line.erase(0, kMark.size());
    if (line.empty()) continue;
    ACU_ASSIGN_OR_RETURN(Cells cells, SplitCsv(line));
    if (sheet.titles.empty()) {
      for (std::string& title : cells) title = Trimmed(title);
      sheet.titles = std::move(cells);
      continue;
    }
    if (cells.size() != sheet.titles.size())
      return Error(StatusCode::kBadData, "{}, line {}: {} cells under {} titles", path, number, cells.size(),
                   sheet.titles.size());
    sheet.rows.push_back(std::move(cells));
  }
  if (sheet.rows.empty()) return Error(StatusCode::kBadData, "{} has no rows under its titles", path);
  return sheet;
}

std::optional<std::vector<double>> Numbers(const Cells& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells)
    if (const std::optional<double> number = ParseFiniteDouble(cell)) numbers.push_back(*number);
  if (numbers.size() < cells.size()) return std::nullopt;
  return numbers;
}

/// The rows whose cells are no numbers: "2, 5".
std::string RowsWithout(const Cells& cells) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < cells.size(); ++i)
    if (!ParseFiniteDouble(cells[i])) rows.push_back(i + 1);
  return fmt::format("{}", fmt::join(rows, ", "));
}

/// A column that there may be, all of whose cells are numbers then, above or at least `least`.
Result<std::vector<double>> OwnNumbers(const Sheet& sheet, const std::string& title, double least, bool may_be_least) {
  const Cells cells = sheet.Column(title);
  std::optional<std::vector<double>> numbers = Numbers(cells);
  if (!numbers)
    return Error(StatusCode::kBadData, "column {}: these rows under the titles have no number: {}", title,
                 RowsWithout(cells));
  for (const double number : *numbers)
    if (number < least || (number == least && !may_be_least))
      return Error(StatusCode::kBadData, "column {}: {} cannot be", title, number);
  return *std::move(numbers);
}

Result<std::vector<double>> HalfWidths(const Sheet& sheet) {
  ACU_ASSIGN_OR_RETURN(std::vector<double> widths, OwnNumbers(sheet, "ci", 0, true));
  ACU_ASSIGN_OR_RETURN(const std::vector<double> deviations, OwnNumbers(sheet, "std", 0, true));
  ACU_ASSIGN_OR_RETURN(const std::vector<double> votes, OwnNumbers(sheet, "votes", 0, false));
  if (!widths.empty() || deviations.size() != votes.size()) return widths;
  for (size_t i = 0; i < votes.size(); ++i) widths.push_back(kNormal * deviations[i] / std::sqrt(votes[i]));
  return widths;
}

Status CheckTwice(const Cells& names, const char* what) {
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!name.empty() && !seen.insert(name).second)
      return Error(StatusCode::kBadData, "there are two {} '{}'", what, name);
  return {};
}

/// The means in what `acutance score --json` wrote: of models, then of features.
using Means = std::vector<std::pair<std::string, double>>;

Result<Means> ReadMeans(const std::string& path) {
  ACU_ASSIGN_OR_RETURN(const Json json, ReadJson(path));
  const Json* results = json.IsObject() ? json.Find("results") : nullptr;
  if (!results || results->items.empty())
    return Error(StatusCode::kBadData, "{} is not what acutance batch writes", path);
  Means means;
  for (const char* kind : {"models", "features"}) {
    const Json* scores = results->items[0].Find(kind);
    for (size_t i = 0; scores && i < scores->keys.size(); ++i)
      if (const Json* mean = scores->items[i].Find("mean"))
        if (const auto value = ParseFiniteDouble(mean->text)) means.emplace_back(scores->keys[i], *value);
  }
  return means;
}

}  // namespace

const ScoredColumn* OpinionTable::Find(const std::string& name) const {
  const auto found = std::ranges::find(columns, name, &ScoredColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

Result<OpinionTable> ReadOpinions(const std::string& path) {
  ACU_ASSIGN_OR_RETURN(const Sheet sheet, ReadSheet(path));
  ACU_RETURN_IF_ERROR(CheckTwice(sheet.titles, "columns"));
  if (sheet.Column("mos").empty())
    return Error(StatusCode::kBadData, "{} has no column mos: the mean opinion scores", path);
  constexpr double kLeast = std::numeric_limits<double>::lowest();
  OpinionTable table;
  ACU_ASSIGN_OR_RETURN(table.opinions, OwnNumbers(sheet, "mos", kLeast, true));
  ACU_ASSIGN_OR_RETURN(table.half_widths, HalfWidths(sheet));
  table.names = sheet.Column("name");
  ACU_RETURN_IF_ERROR(CheckTwice(table.names, "encodes"));
  table.names.resize(table.opinions.size());
  table.contents = sheet.Column("content");
  for (size_t i = table.contents.size(); i < table.opinions.size(); ++i) table.contents.push_back(fmt::format("{}", i));
  for (const std::string& title : sheet.titles) {
    constexpr std::string_view kOwn[] = {"mos", "ci", "std", "votes", "name", "content"};
    if (std::ranges::find(kOwn, title) != std::end(kOwn)) continue;
    const Cells cells = sheet.Column(title);
    if (auto numbers = Numbers(cells)) table.columns.push_back({title, *std::move(numbers)});
    else if (std::ranges::any_of(cells, [](const std::string& cell) { return ParseFiniteDouble(cell).has_value(); }))
      table.notes.push_back(fmt::format("{} is left out: these rows have no number: {}", title, RowsWithout(cells)));
  }
  return table;
}

Status AddBatchScores(const std::string& folder, OpinionTable& table) {
  std::vector<Means> all;
  for (const std::string& name : table.names) {
    if (name.empty())
      return Error(StatusCode::kBadData, "to find the scores in {}, the opinions need a column name", folder);
    ACU_ASSIGN_OR_RETURN(all.emplace_back(), ReadMeans(Join(folder, name + ".json")));
  }
  for (const auto& [score, mean] : all.front()) {
    ScoredColumn column{.name = score, .scores = {}};
    for (const Means& means : all)
      if (const auto at = std::ranges::find(means, score, &Means::value_type::first); at != means.end())
        column.scores.push_back(at->second);
    if (table.Find(score))
      return Error(StatusCode::kBadData, "both the opinions and {} have scores of {}", folder, score);
    if (column.scores.size() == all.size()) table.columns.push_back(std::move(column));
    else
      table.notes.push_back(
          fmt::format("{} is left out: {} encodes have no mean of it", score, all.size() - column.scores.size()));
  }
  return {};
}

}  // namespace acutance
