#include "report/fit/opinion_table.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "base/number.h"
#include "base/system/file.h"

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

/// Nothing where a cell is no number.
std::optional<std::vector<double>> Numbers(const Cells& cells) {
  std::vector<double> numbers;
  for (const std::string& cell : cells) {
    const std::optional<double> number = ParseFiniteDouble(cell);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<double> HalfWidths(const Sheet& sheet) {
  if (auto given = Numbers(sheet.Column("ci")); given && !given->empty()) return *given;
  const auto deviations = Numbers(sheet.Column("std")), votes = Numbers(sheet.Column("votes"));
  std::vector<double> widths;
  if (!deviations || !votes || deviations->size() != votes->size()) return widths;
  for (size_t i = 0; i < votes->size(); ++i) widths.push_back(kNormal * (*deviations)[i] / std::sqrt((*votes)[i]));
  return widths;
}

/// The means in what `acutance score --json` wrote: of models, then of features.
using Means = std::vector<std::pair<std::string, double>>;

Result<Means> ReadMeans(const std::string& path) {
  std::ifstream file(SystemPath(path), std::ios::binary);
  if (!file) return Error(StatusCode::kIo, "could not open {}", path);
  std::ostringstream text;
  text << file.rdbuf();
  constexpr size_t kAny = std::numeric_limits<size_t>::max();
  const auto json = ParseJson(text.str(), {.bytes = kAny, .values = kAny, .may_text_follow = false});
  const Json* results = json.ok() && json->IsObject() ? json->Find("results") : nullptr;
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
  const auto opinions = Numbers(sheet.Column("mos"));
  if (!opinions || opinions->empty())
    return Error(StatusCode::kBadData, "{} has no column mos of numbers: the mean opinion scores", path);
  OpinionTable table{.names = sheet.Column("name"),
                     .contents = sheet.Column("content"),
                     .opinions = *opinions,
                     .half_widths = HalfWidths(sheet),
                     .columns = {}};
  table.names.resize(opinions->size());
  for (size_t i = table.contents.size(); i < opinions->size(); ++i) table.contents.push_back(fmt::format("{}", i));
  for (const std::string& title : sheet.titles) {
    constexpr std::string_view kOwn[] = {"mos", "ci", "std", "votes", "name", "content"};
    if (std::ranges::find(kOwn, title) != std::end(kOwn)) continue;
    if (auto numbers = Numbers(sheet.Column(title))) table.columns.push_back({title, *std::move(numbers)});
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
    if (column.scores.size() == all.size()) table.columns.push_back(std::move(column));
  }
  return {};
}

}  // namespace acutance
