#include "run/score_ranges.h"

#include <algorithm>
#include <utility>

namespace acutance {
namespace {

// Frames that are read around a range, so that its scores are those of a whole run: VMAF v1's motion looks that far.
constexpr int64_t kBefore = 4, kAfter = 3;

/// The reference's frames that are read.
std::vector<int64_t> FramesAround(const std::vector<FrameSpan>& ranges, const AlignedRange& aligned) {
  std::vector<int64_t> frames;
  for (const auto& [begin, end] : ranges) {
    int64_t frame = std::max(aligned.first, aligned.first + begin - kBefore);
    if (!frames.empty()) frame = std::max(frame, frames.back() + 1);
    for (; frame < std::min(aligned.end, aligned.first + end + kAfter); ++frame) frames.push_back(frame);
  }
  return frames;
}

}  // namespace

Result<GatedScore> GatedScore::Of(const RunRequest& request, const Session& session) {
  const ModelRun& run = session.models().front();
  const bool is_unbounded = !request.choose_models && request.models.front().flags.disable_clip;
  if (!run.model().clip || is_unbounded)
    return Error(StatusCode::kUnsupported,
                 "{} has no range of scores, without which a part says nothing about the rest", run.model().name);
  return GatedScore{run.model().name, run.main_score_key(), {run.model().clip->min, run.model().clip->max}};
}

Result<double> GatedScore::Read(const ScoreTable& table, int64_t row, int64_t frame) const {
  const double score = *table.Get(table.Find(column), row);
  if (score >= range.least && score <= range.most) return score;
  return Error(StatusCode::kUnsupported, "frame {} scores {}, outside of {}'s range", frame, score, model);
}

Result<std::vector<double>> RangeScorer::Sum(const std::vector<FrameSpan>& ranges) {
  const std::vector<int64_t> frames = FramesAround(ranges, aligned_);
  RunRequest request = request_;
  request.skip_reference = request.skip_distorted = 0;
  request.pairing = {.mode = AlignmentRequest::Mode::kFile};
  request.frame_limit = std::ssize(frames);  // pairs from the first on may be read without a list
  for (const int64_t frame : frames) request.pairing.pairs.emplace_back(frame, frame + aligned_.offset);
  const ScoredRun run = RunScore(request);
  if (run.error) return run.error->status;
  ACU_ASSIGN_OR_RETURN(score_, GatedScore::Of(request_, *run.session));
  if (run.frames != std::ssize(frames))
    return Error(StatusCode::kBadData, "a video ends before frame {}, though it reports more", frames.back());
  read_.insert(frames.begin(), std::ranges::lower_bound(frames, aligned_.first + aligned_.frames));
  const ScoreTable& table = run.session->scores(0);
  std::vector<double> sums;
  for (const auto& [begin, end] : ranges) {
    const int64_t first = aligned_.first + begin;
    const int64_t row = std::ranges::lower_bound(frames, first) - frames.begin();
    double sum = 0;
    for (int64_t i = 0; i < end - begin; ++i) {
      ACU_ASSIGN_OR_RETURN(const double score, score_.Read(table, row + i, first + i));
      sum += score;
    }
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace acutance
