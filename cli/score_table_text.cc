#include "cli/score_table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "model/pooling.h"
#include "model/statistics.h"

namespace acutance::cli {
namespace {

struct Row {
  std::string name;
  std::optional<std::vector<double>> scores;
};

std::vector<Row> CollectRows(const Session& session, int distorted, int64_t frames) {
  const ScoreTable& table = session.scores(distorted);
  const FrameRange range{0, frames - 1, session.subsample()};
  std::vector<std::string> model_keys;
  for (const ModelRun& model : session.models())
    if (model.predicts()) model_keys.insert(model_keys.end(), model.score_keys().begin(), model.score_keys().end());
  const auto is_model = [&](const ScoreTable::Column& c) {
    return std::ranges::find(model_keys, c.stored) != model_keys.end();
  };
  std::vector<Row> rows;
  for (const bool models : {true, false})
    for (const ScoreTable::Column& column : table.columns())
      if (is_model(column) == models) rows.push_back({column.shown, ScoresInRange(column, range)});
  return rows;
}

size_t WidestName(const std::vector<Row>& rows) {
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  return width;
}

std::string Cells(const std::optional<std::vector<double>>& scores) {
  if (!scores || scores->empty()) return "  (no score)";
  return fmt::format("{:>12.4f}{:>12.4f}{:>12.4f}{:>12.4f}{:>12.4f}{:>12.4f}", Mean(*scores), HarmonicMean(*scores),
                     Minimum(*scores), Maximum(*scores), Percentile(Sorted(*scores), 50), StandardDeviation(*scores));
}

}  // namespace

std::string PooledTable(const Session& session, int distorted, int64_t frames) {
  const std::vector<Row> rows = CollectRows(session, distorted, frames);
  const size_t width = WidestName(rows);
  std::string text = fmt::format("{:<{}}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "", width, "mean", "harmonic", "min",
                                 "max", "median", "std dev");
  for (const Row& row : rows) text += fmt::format("{:<{}}{}\n", row.name, width, Cells(row.scores));
  for (const auto& [name, value] : session.scores(distorted).aggregates())
    text += fmt::format("{:<{}}{:>12.4f}\n", name, width, value);
  return text;
}

std::string ComparisonTable(const Session& session, const std::vector<std::string>& distorted, int64_t frames) {
  size_t width = 0;
  for (const std::string& path : distorted) width = std::max(width, path.size());
  const FrameRange range{0, frames - 1, session.subsample()};
  std::string text = fmt::format("{:<{}}", "mean", width);
  for (const ModelRun& model : session.models()) text += fmt::format("  {:>14}", model.model().name);
  text += "\n";
  for (size_t d = 0; d < distorted.size(); ++d) {
    text += fmt::format("{:<{}}", distorted[d], width);
    const ScoreTable& table = session.scores(static_cast<int>(d));
    for (const ModelRun& model : session.models()) {
      const int column = table.Find(model.main_score_key());
      const auto mean = Pool(table.columns()[column], range, PoolingMethod::kMean);
      text += mean ? fmt::format("  {:>14.4f}", *mean) : fmt::format("  {:>14}", "(no score)");
    }
    text += "\n";
  }
  return text;
}

}  // namespace acutance::cli
