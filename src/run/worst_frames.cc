#include "run/worst_frames.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace acutance {

void WorstFrames::Offer(int64_t frame, const Picture& reference, const Picture& distorted) {
  waiting_.push_back({frame, 0, reference, distorted, std::nullopt});
}

void WorstFrames::Judge(const ScoreTable& table, int column, int64_t frames) {
  better_ = table.columns()[column].better;
  while (!waiting_.empty() && waiting_.front().frame < frames) {
    const std::optional<double> score = table.Get(column, waiting_.front().frame);
    if (!score && waiting_.front().frame + 1 == frames) return;  // it may come with the next frame's
    WorstFrame candidate = std::move(waiting_.front());
    waiting_.pop_front();
    if (!score || std::isnan(*score)) continue;
    candidate.score = *score;
    Keep(std::move(candidate));
  }
}

void WorstFrames::Keep(WorstFrame candidate) {
  const auto is_worse = [&](const WorstFrame& a, const WorstFrame& b) { return IsWorse(a.score, b.score, better_); };
  const auto group = [&](const WorstFrame& kept) { return std::floor(static_cast<double>(kept.frame) / spacing_); };
  const auto rival = std::ranges::find(kept_, group(candidate), group);
  if (rival == kept_.end()) kept_.push_back(std::move(candidate));
  else if (is_worse(candidate, *rival)) *rival = std::move(candidate);
  if (static_cast<int>(kept_.size()) > count_) kept_.erase(std::ranges::max_element(kept_, is_worse));
}

std::vector<WorstFrame> WorstFrames::Take() {
  std::ranges::sort(kept_, [&](const WorstFrame& a, const WorstFrame& b) {
    return a.score == b.score ? a.frame < b.frame : IsWorse(a.score, b.score, better_);
  });
  return std::move(kept_);
}

std::optional<int> QualityColumn(const ScoreTable& table, std::string_view model_column) {
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
