#include "report/common_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "stats/statistics.h"

namespace acutance {
namespace {

/// The reference's frames whose scores ScoresOf returns.
std::vector<int64_t> ScoredFrames(const Summary& summary, const SummaryVideo& video) {
  std::vector<int64_t> frames;
  for (int64_t pair = 0; pair < FramesOf(summary, video); pair += summary.n_subsample)
    frames.push_back(video.alignment ? video.alignment->pairs[static_cast<size_t>(pair)].first : pair);
  return frames;
}

void Retain(const std::vector<int64_t>& common, const std::vector<int64_t>& frames, std::vector<double>& scores) {
  size_t count = 0;
  for (size_t i = 0; i < frames.size(); ++i)
    if (std::ranges::binary_search(common, frames[i])) scores[count++] = scores[i];
  scores.resize(count);
}

}  // namespace

Result<CommonScores> FindCommonScores(const Summary& summary, const std::string& score) {
  CommonScores found;
  std::vector<std::vector<int64_t>> frames;
  std::vector<int64_t> common;
  for (const SummaryVideo& video : summary.videos) {
    ACU_ASSIGN_OR_RETURN(const ScoreTable::Column* const column, FindFrameScore(summary, video, score));
    auto scores = ScoresOf(summary, video, *column);
    if (!scores) return Error(StatusCode::kBadData, "{}: a frame has no {}", video.distorted, column->shown);
    if (!found.column) found.column = column;
    found.own_means.push_back(Mean(*scores));
    found.scores.push_back(*std::move(scores));
    frames.push_back(ScoredFrames(summary, video));
    std::vector<int64_t> shared;
    std::ranges::set_intersection(frames.size() > 1 ? common : frames.back(), frames.back(),
                                  std::back_inserter(shared));
    common = std::move(shared);
  }
  if (std::ranges::all_of(frames, [&](const auto& own) { return own == common; })) return found;
  if (common.empty())
    return Error(StatusCode::kBadData, "the encodes have no frames of {} in common", summary.reference);
  found.frames = std::ssize(common);
  for (size_t d = 0; d < frames.size(); ++d) Retain(common, frames[d], found.scores[d]);
  return found;
}

std::string DescribeCommonFrames(int64_t frames) {
  return fmt::format(
      "The encodes are compared by the {} frames of the reference that all of them have; own means are of each one's "
      "own frames.",
      frames);
}

}  // namespace acutance
