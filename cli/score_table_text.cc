#include "cli/score_table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "model/pooling.h"
#include "model/statistics.h"

namespace acutance::cli {
namespace {

constexpr size_t kColumns = 80;  // a terminal's width; numbers below 1000 fit
constexpr const char* kStatistics[] = {"mean", "harmonic", "min", "max", "median", "std dev"};
constexpr size_t kLeastCell = 9, kLeastModelCell = 14;
constexpr size_t kLeastName = 18;

struct Row {
  std::string name;
  std::vector<std::string> cells;
};

std::vector<std::string> Cells(const std::optional<std::vector<double>>& scores) {
  if (!scores || scores->empty()) return {"no score"};
  std::vector<std::string> cells;
  for (const double value : {Mean(*scores), HarmonicMean(*scores), Minimum(*scores), Maximum(*scores),
                             Percentile(Sorted(*scores), 50), StandardDeviation(*scores)})
    cells.push_back(fmt::format("{:.4f}", value));
  return cells;
}

/// The models' rows come first. A collection's members are in the log alone.
std::vector<Row> CollectRows(const Session& session, int distorted, int64_t frames) {
  const ScoreTable& table = session.scores(distorted);
  const FrameRange range{0, frames - 1, session.subsample()};
  std::vector<Row> rows;
  std::set<std::string_view> of_models;
  for (const ModelRun& model : session.models()) {
    if (!model.predicts()) continue;
    of_models.insert(model.score_keys().begin(), model.score_keys().end());
    for (const std::string& key : model.own_score_keys())
      rows.push_back({key, Cells(ScoresInRange(table.columns()[table.Find(key)], range))});
  }
  for (const ScoreTable::Column& column : table.columns())
    if (!of_models.contains(column.stored)) rows.push_back({column.shown, Cells(ScoresInRange(column, range))});
  for (const auto& [name, value] : table.aggregates()) rows.push_back({name, {fmt::format("{:.4f}", value)}});
  return rows;
}

/// A name that is too long for its column has a line of its own.
std::string Line(const Row& row, size_t name_width, size_t cell_width) {
  std::string text = fmt::format("{:<{}}", row.name, name_width);
  if (row.name.size() > name_width) text += fmt::format("\n{:{}}", "", name_width);
  for (const std::string& cell : row.cells) text += fmt::format("{:>{}}", cell, cell_width);
  return text + "\n";
}

}  // namespace

std::string PooledTable(const Session& session, int distorted, int64_t frames) {
  const std::vector<Row> rows = CollectRows(session, distorted, frames);
  size_t name_width = 0, cell_width = kLeastCell;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    for (const std::string& cell : row.cells) cell_width = std::max(cell_width, cell.size() + 1);
  }
  const size_t numbers = std::size(kStatistics) * cell_width;
  name_width = std::min(name_width, std::max(kLeastName, kColumns - std::min(kColumns, numbers)));
  std::string text = Line({"", {std::begin(kStatistics), std::end(kStatistics)}}, name_width, cell_width);
  for (const Row& row : rows) text += Line(row, name_width, cell_width);
  return text;
}

std::string ComparisonTable(const Session& session, const std::vector<std::string>& distorted, int64_t frames) {
  size_t width = 0;
  for (const std::string& path : distorted) width = std::max(width, path.size());
  const FrameRange range{0, frames - 1, session.subsample()};
  std::string text = fmt::format("{:<{}}", "mean", width);
  const auto cell = [&](const ModelRun& model, std::string_view word) {
    text += fmt::format("  {:>{}}", word, std::max(kLeastModelCell, model.model().name.size()));
  };
  for (const ModelRun& model : session.models()) cell(model, model.model().name);
  text += "\n";
  for (size_t d = 0; d < distorted.size(); ++d) {
    text += fmt::format("{:<{}}", distorted[d], width);
    const ScoreTable& table = session.scores(static_cast<int>(d));
    for (const ModelRun& model : session.models()) {
      const int column = table.Find(model.main_score_key());
      const auto mean = Pool(table.columns()[column], range, PoolingMethod::kMean);
      cell(model, mean ? fmt::format("{:.4f}", *mean) : "no score");
    }
    text += "\n";
  }
  return text;
}

}  // namespace acutance::cli
