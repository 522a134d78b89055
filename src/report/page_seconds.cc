#include "report/page_seconds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace acutance {

std::vector<WorstSecond> FindWorstSeconds(const Page& page, size_t video, int count) {
  if (page.quality_column < 0) return {};
  const ScoreTable::Column& column = page.summary->videos[video].scores->columns()[page.quality_column];
  const auto& scores = column.scores;
  const double rate = page.frame_rate.value_or(24);
  std::vector<WorstSecond> seconds;
  for (int64_t second = 0;; ++second) {
    const int64_t first = std::llround(std::ceil(static_cast<double>(second) * rate));
    const int64_t end =
        std::min(page.summary->frame_count, static_cast<int64_t>(std::ceil(static_cast<double>(second + 1) * rate)));
    if (first >= page.summary->frame_count) break;
    double sum = 0;
    int scored = 0;
    int64_t worst = first;
    for (int64_t frame = first; frame < std::min<int64_t>(end, static_cast<int64_t>(scores.size())); ++frame)
      if (scores[frame] && std::isfinite(*scores[frame])) {
        sum += *scores[frame];
        if (scored++ == 0 || IsWorse(*scores[frame], *scores[worst], column.better)) worst = frame;
      }
    if (scored > 0) seconds.push_back({first, end - first, sum / scored, worst});
  }
  const auto kept = seconds.begin() + std::min<int64_t>(count, static_cast<int64_t>(seconds.size()));
  std::partial_sort(seconds.begin(), kept, seconds.end(), [&](const WorstSecond& a, const WorstSecond& b) {
    return IsWorse(a.score, b.score, column.better);
  });
  seconds.erase(kept, seconds.end());
  return seconds;
}

std::string Clock(const Page& page, int64_t frame) {
  if (!page.frame_rate) return fmt::format("frame {}", frame);
  const auto hundredths = std::llround(static_cast<double>(frame) / *page.frame_rate * 100);
  const auto seconds = hundredths / 100;
  const std::string tail = fmt::format("{:02}.{:02}", seconds % 60, hundredths % 100);
  if (seconds < 3600) return fmt::format("{}:{}", seconds / 60, tail);
  return fmt::format("{}:{:02}:{}", seconds / 3600, seconds / 60 % 60, tail);
}

}  // namespace acutance
