#include "cli/score_table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "stats/pooling.h"

namespace acutance::cli {
namespace {

constexpr size_t kColumns = 80;  // a terminal's width; numbers below 1000 fit
constexpr size_t kLeastCell = 9, kLeastModelCell = 14;
constexpr size_t kLeastName = 18;
constexpr size_t kPartName = 24, kPartCell = 15;

struct Row {
  std::string name;
  std::vector<std::string> cells;
};

struct Column {
  std::string title;
  NamedPool pool;
};

std::vector<Column> ColumnsOf(const std::vector<NamedPool>& pools) {
  using Kind = NamedPool::Kind;
  if (pools.empty())
    return {{"mean", {Kind::kMean}}, {"harmonic", {Kind::kHarmonicMean}},   {"min", {Kind::kMin}},
            {"max", {Kind::kMax}},   {"median", {Kind::kPercentile, 50.0}}, {"std dev", {Kind::kStddev}}};
  std::vector<Column> columns;
  columns.reserve(pools.size());
  for (const NamedPool& pool : pools) columns.push_back({pool.name, pool});
  return columns;
}

std::vector<std::string> Cells(const Summary& summary, const std::vector<Column>& columns,
                               const ScoreTable::Column& scores_of, const Part* part = nullptr) {
  const auto scores = ScoresOf(summary, scores_of, part);
  if (!scores || scores->empty()) return {"no score"};
  std::vector<std::string> cells;
  for (const Column& column : columns) {
    const auto value = PoolScores(*scores, column.pool, ContextOf(summary, scores_of));
    cells.push_back(value ? fmt::format("{:.4f}", *value) : "-");
  }
  return cells;
}

/// The columns of features that serve models and were not asked for.
std::set<int> ServingColumns(const Session& session) {
  std::set<int> serving;
  for (const MetricRun& run : session.metric_runs())
    if (!run.is_requested) serving.insert(run.columns.begin(), run.columns.end());
  serving.erase(-1);
  return serving;
}

/// The models' rows come first. A collection's members are in the log alone.
std::vector<Row> CollectRows(const Session& session, int distorted, const Summary& summary,
                             const std::vector<Column>& columns, const std::set<int>& left_out) {
  const ScoreTable& table = session.scores(distorted);
  std::vector<Row> rows;
  std::set<std::string_view> of_models;
  for (const ModelRun& model : session.models()) {
    if (!model.predicts()) continue;
    of_models.insert(model.score_keys().begin(), model.score_keys().end());
    for (const std::string& key : model.own_score_keys())
      rows.push_back({key, Cells(summary, columns, table.columns()[table.Find(key)])});
  }
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const ScoreTable::Column& column = table.columns()[i];
    if (!of_models.contains(column.stored) && !left_out.contains(static_cast<int>(i)))
      rows.push_back({column.shown, Cells(summary, columns, column)});
  }
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

std::string PooledTable(const Session& session, int distorted, const Summary& summary,
                        const std::vector<NamedPool>& pools, bool all_features) {
  const std::vector<Column> columns = ColumnsOf(pools);
  const std::set<int> left_out = all_features ? std::set<int>() : ServingColumns(session);
  const std::vector<Row> rows = CollectRows(session, distorted, summary, columns, left_out);
  Row head;
  size_t name_width = 0, cell_width = kLeastCell;
  for (const Column& column : columns) head.cells.push_back(column.title);
  const auto widen = [&](const Row& row) {
    name_width = std::max(name_width, row.name.size());
    for (const std::string& cell : row.cells) cell_width = std::max(cell_width, cell.size() + 1);
  };
  widen(head);
  std::ranges::for_each(rows, widen);
  const size_t numbers = columns.size() * cell_width;
  name_width = std::min(name_width, std::max(kLeastName, kColumns - std::min(kColumns, numbers)));
  std::string text = Line(head, name_width, cell_width);
  for (const Row& row : rows) text += Line(row, name_width, cell_width);
  if (!left_out.empty())
    text += fmt::format("The {} features behind them are in logs and --json; see --all-features.\n", left_out.size());
  return text;
}

std::string PartsTable(const std::string& title, const std::vector<Part>& parts, const Session& session,
                       const Summary& summary) {
  const std::vector<Column> columns = ColumnsOf(summary.part_pools);
  std::string text;
  for (const ModelRun& model : session.models()) {
    for (size_t d = 0; d < summary.videos.size(); ++d) {
      const ScoreTable& table = *summary.videos[d].scores;
      Row head{fmt::format("{} {}", title, summary.videos.size() > 1 ? summary.videos[d].distorted : ""), {}};
      for (const Column& column : columns) head.cells.push_back(column.title);
      std::vector<Row> rows;
      rows.reserve(parts.size());
      for (const Part& part : parts)
        rows.push_back({fmt::format("{}-{} {}", part.begin, part.end - 1, part.name),
                        Cells(summary, columns, table.columns()[table.Find(model.main_score_key())], &part)});
      text += fmt::format("{}\n", model.model().name) + Line(head, kPartName, kPartCell);
      for (const Row& row : rows) text += Line(row, kPartName, kPartCell);
    }
  }
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
      const auto mean = Pool(table.columns()[column], range, Pooling::kMean);
      cell(model, mean ? fmt::format("{:.4f}", *mean) : "no score");
    }
    text += "\n";
  }
  return text;
}

}  // namespace acutance::cli
