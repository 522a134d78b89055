#include "log/log_columns.h"

#include <algorithm>
#include <set>

#include "stats/pooling.h"

namespace acutance {

std::optional<double> LogColumn::Score(int64_t frame) const {
  if (static_cast<size_t>(frame) >= column->scores.size()) return std::nullopt;
  return column->scores[frame];
}

std::vector<LogColumn> LogColumns(const ScoreTable& scores, std::string (*spell)(std::string_view)) {
  std::vector<LogColumn> columns;
  std::set<std::string> names;
  for (const ScoreTable::Column& column : scores.columns()) {
    const bool written =
        std::any_of(column.scores.begin(), column.scores.end(), [](const auto& s) { return s.has_value(); });
    if (!written) continue;
    std::string name = spell(column.shown);
    while (!names.insert(name).second) name += '_';
    columns.push_back({std::move(name), column.shown, &column});
  }
  return columns;
}

void ForEachLogFrame(const LogInput& input, const std::vector<LogColumn>& columns,
                     const std::function<void(int64_t frame)>& use) {
  size_t end = 0;
  for (const LogColumn& column : columns) end = std::max(end, column.column->scores.size());
  const int64_t step = std::max(input.n_subsample, 1);
  for (int64_t frame = 0; frame < static_cast<int64_t>(end); frame += step) {
    if (std::any_of(columns.begin(), columns.end(), [&](const auto& c) { return c.Score(frame).has_value(); }))
      use(frame);
  }
}

std::optional<std::array<double, 4>> PoolForLog(const LogInput& input, const LogColumn& column) {
  const auto scores = ScoresInRange(*column.column, {0, input.frame_count - 1, input.n_subsample});
  if (!scores) return std::nullopt;
  std::array<double, 4> pooled{};
  for (size_t i = 0; i < pooled.size(); ++i) pooled[i] = Pool(*scores, PoolingMethods()[i].method);
  return pooled;
}

}  // namespace acutance
