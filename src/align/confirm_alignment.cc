#include "align/confirm_alignment.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "align/align_tracks.h"
#include "align/hold_frames.h"
#include "align/identity_alignment.h"

namespace acutance {
namespace {

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

FrameTrack After(int64_t skipped, FrameTrack track) {
  const auto past = [skipped](auto& values) {
    values.erase(values.begin(), values.begin() + std::min<ptrdiff_t>(skipped, std::ssize(values)));
  };
  past(track.fingerprints);
  past(track.times);
  return track;
}

/// Makes frame numbers of parts of videos those of the whole.
void Shift(int64_t reference, int64_t distorted, Alignment& alignment) {
  for (auto& [i, j] : alignment.pairs) i += reference, j += distorted;
  for (int64_t& i : alignment.unmatched_reference) i += reference;
  for (int64_t& j : alignment.unmatched_distorted) j += distorted;
  for (int64_t& j : alignment.doubtful) j += distorted;
  for (int64_t& i : alignment.held) i += reference;
}

/// Puts passed pairs before the others. reference, distorted: their first frames.
void AddPassed(const PassedPairs& passed, int64_t reference, int64_t distorted, Alignment& alignment) {
  if (passed.count == 0) return;
  Shift(passed.count + reference, passed.count + distorted, alignment);
  PairList pairs;
  for (int64_t k = 0; k < passed.count; ++k) pairs.emplace_back(k + reference, k + distorted);
  alignment.pairs.insert(alignment.pairs.begin(), pairs.begin(), pairs.end());
  for (int64_t i = reference; i-- > 0;) alignment.unmatched_reference.insert(alignment.unmatched_reference.begin(), i);
  for (int64_t j = distorted; j-- > 0;) alignment.unmatched_distorted.insert(alignment.unmatched_distorted.begin(), j);
  alignment.confidence = std::min(alignment.confidence, passed.confidence);
  alignment.window = passed.window;
}

/// How the first `count` frames of videos that were scored frame by frame are aligned.
PlacedAlignment AlignRead(FingerprintTrack& reference, FingerprintTrack& distorted, int64_t count) {
  if (std::optional<Alignment> plain = FingerprintTrack::FitPlainly(reference, distorted, count)) {
    const std::vector<int64_t> samples = SampleFrameNumbers(std::ssize(plain->pairs));
    if (!NeedsCropSearch(reference.CopyOf(samples), distorted.CopyOf(samples)))
      return {*std::move(plain), std::nullopt};
  }
  return AlignPlaced(reference.Copy(count), distorted.Copy(count));
}

}  // namespace

std::optional<Misalignment> CheckFirstPairs(const AlignmentPlan& plan, FingerprintTrack& reference,
                                            FingerprintTrack& distorted, int64_t frames, const PassedPairs& passed) {
  if (reference.size() == 0 || distorted.size() == 0) return std::nullopt;
  const bool is_start = passed.count == 0;
  if (plan.offset == 0 && FingerprintTrack::FitPlainly(reference, distorted, frames)) return std::nullopt;
  const FrameTrack one = reference.Copy(frames + plan.SkipOf(0)), other = distorted.Copy(frames + plan.SkipOf(1));
  const auto after = [&](size_t video, const FrameTrack& track) {
    return After(is_start ? plan.SkipOf(video) : 0, track);
  };
  if (plan.offset != 0 && IsIdentityAlignment(after(0, one), after(1, other))) return std::nullopt;
  const Result<Alignment> found = AlignTracks(one, other);
  if (found.ok() && found->IsShifted(is_start ? plan.offset : 0)) return std::nullopt;
  return Misalignment{
      .rejected = plan.offset, .frames = frames, .offset = is_start ? PlainOffset(found, plan.offset) : std::nullopt};
}

std::optional<ConfirmedAlignment> ConfirmAssumed(const AlignmentTask& task, size_t video, FingerprintTrack& reference,
                                                 FingerprintTrack& distorted, int64_t frames,
                                                 const PassedPairs& passed) {
  // A run that stopped before its videos' ends has read a few more frames of the one or the other.
  const int64_t count = frames < std::min(reference.size(), distorted.size()) ? frames : kAll;
  auto [alignment, placement] = AlignRead(reference, distorted, count);
  const bool is_picture = task.frame_limit == 0 && (reference.size() == 1) != (distorted.size() == 1);
  if (!alignment.ok() || !alignment->is_identity() || is_picture) return std::nullopt;
  // An encode that stands still at its end shows no frames of its own there.
  if (!task.request.holds_frames && !ReachesEnd(*alignment, frames - passed.count)) return std::nullopt;
  // A short part may have no frames in common where the whole videos do.
  if (task.frame_limit > 0 && alignment->by == Alignment::By::kTimes) return std::nullopt;
  ConfirmedAlignment confirmed;
  if (placement) confirmed.warnings.push_back(PlacementWarning(task, video, *placement));
  const int64_t left = std::min<int64_t>(std::ssize(alignment->pairs), frames - passed.count);
  const std::vector<int64_t> samples = SampleFrameNumbers(left);
  if (auto warning = RangeWarning(task, video, reference.CopyOf(samples), distorted.CopyOf(samples)))
    confirmed.warnings.push_back(*std::move(warning));
  AddPassed(passed, 0, 0, *alignment);
  if (task.request.holds_frames) HoldFrames({reference.size()}, {distorted.size()}, *alignment);
  alignment->pairs.resize(std::min(alignment->pairs.size(), static_cast<size_t>(frames)));
  Shift(task.first_frame, task.first_frame, *alignment);
  confirmed.alignment = std::move(*alignment);
  return confirmed;
}

std::optional<ConfirmedAlignment> ConfirmEstimated(const AlignmentTask& task, const AlignmentPlan& plan,
                                                   const std::vector<FrameTrack>& tracks, int64_t frames,
                                                   const PassedPairs& passed) {
  auto [found, placement] = AlignPlaced(tracks[0], tracks[1]);
  const int64_t offset = passed.count == 0 ? plan.offset : 0;
  if (!found.ok() || !found->IsShifted(offset) || std::ssize(found->pairs) != frames - passed.count)
    return std::nullopt;
  ConfirmedAlignment confirmed;
  if (placement) confirmed.warnings.push_back(PlacementWarning(task, 1, *placement));
  const auto [one, other] = SamplePairs(tracks[0], tracks[1], found->pairs);
  if (auto warning = RangeWarning(task, 1, one, other)) confirmed.warnings.push_back(*std::move(warning));
  AddPassed(passed, plan.SkipOf(0), plan.SkipOf(1), *found);
  confirmed.alignment = std::move(*found);
  return confirmed;
}

std::vector<Alignment> AlignmentsOfScored(const AlignmentTask& task, const AlignmentPlan& plan, int64_t frames) {
  std::vector<Alignment> alignments = plan.alignments;
  const int64_t first = task.first_frame, last = first + frames, before = plan.SkipOf(0);
  if (task.request.mode == AlignmentRequest::Mode::kOffset)
    alignments.assign(task.videos.size() - 1, AlignByOffset(last + before, last + before + plan.offset, plan.offset));
  for (Alignment& alignment : alignments) {
    const auto begin = alignment.pairs.begin();
    const int64_t end = std::min<int64_t>(last, std::ssize(alignment.pairs));
    alignment.pairs = {begin + std::min(first, end), begin + end};
  }
  return alignments;
}

}  // namespace acutance
