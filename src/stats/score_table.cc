#include "stats/score_table.h"

#include <algorithm>

namespace acutance {
namespace {

// Frames come nearly in order, so that an index far beyond them is a mistake: it must not allocate more than 256 MB.
constexpr int64_t kMaxGap = int64_t{1} << 24;

}  // namespace

Result<int> ScoreTable::AddColumn(std::string stored, std::string shown, ScoreTraits traits) {
  const int index = static_cast<int>(columns_.size());
  if (!index_.emplace(stored, index).second)
    return Error(StatusCode::kInvalidArgument, "the score '{}' is computed twice; give each model its own name",
                 stored);
  const std::optional<double> clip_mean = Aggregate(traits.clip);
  columns_.push_back({std::move(traits), std::move(stored), std::move(shown), {}, clip_mean});
  return index;
}

Status ScoreTable::Set(int column, int64_t frame, double value) {
  if (column < 0 || static_cast<size_t>(column) >= columns_.size())
    return Error(StatusCode::kInvalidArgument, "there is no score column {} (of {})", column, columns_.size());
  Column& target = columns_[column];
  const auto length = static_cast<int64_t>(target.scores.size());
  if (frame < 0 || frame - length >= kMaxGap)
    return Error(StatusCode::kInvalidArgument, "frame {} of '{}' is not in 0..{}: it has {} frames so far", frame,
                 target.stored, length + kMaxGap - 1, length);
  const auto at = static_cast<size_t>(frame);
  if (at >= target.scores.size()) target.scores.resize(at + 1);
  if (target.scores[at])
    return Error(StatusCode::kInvalidArgument, "the score '{}' of frame {} is already written", target.stored, frame);
  target.scores[at] = value;
  return {};
}

void ScoreTable::SetAggregate(std::string_view name, double value) {
  const auto found = std::ranges::find(aggregates_, name, &std::pair<std::string, double>::first);
  if (found == aggregates_.end()) aggregates_.emplace_back(name, value);
  else found->second = value;
  for (Column& column : columns_)
    if (column.clip == name) column.clip_mean = value;
}

std::optional<double> ScoreTable::Aggregate(std::string_view name) const {
  const auto found = std::ranges::find(aggregates_, name, &std::pair<std::string, double>::first);
  return found == aggregates_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> ScoreTable::Get(int column, int64_t frame) const {
  if (column < 0 || static_cast<size_t>(column) >= columns_.size()) return std::nullopt;
  const auto& scores = columns_[column].scores;
  if (frame < 0 || static_cast<size_t>(frame) >= scores.size()) return std::nullopt;
  return scores[frame];
}

void ScoreTable::Reorder(std::span<const int> order) {
  std::deque<Column> ordered;
  for (const int column : order) ordered.push_back(std::move(columns_[column]));
  for (size_t i = order.size(); i < columns_.size(); ++i) ordered.push_back(std::move(columns_[i]));
  columns_ = std::move(ordered);
  for (size_t i = 0; i < order.size(); ++i) index_[columns_[i].stored] = static_cast<int>(i);
}

int ScoreTable::Find(std::string_view stored) const {
  const auto found = index_.find(stored);
  return found == index_.end() ? -1 : found->second;
}

std::optional<int> FindQualityColumn(const ScoreTable& table, std::string_view model_column) {
  if (const int column = table.Find(model_column); column >= 0) return column;
  std::optional<int> best;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const ScoreTable::Column& column = table.columns()[i];
    if (column.better == ScoreDirection::kNeither) continue;
    if (!best || column.rank > table.columns()[*best].rank) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace acutance
