#include "align/alignment_plan.h"

#include <cmath>

#include "align/align_tracks.h"
#include "align/hold_frames.h"
#include "align/identity_alignment.h"
#include "align/input_checks.h"
#include "align/placement.h"
#include "base/hash.h"

namespace acutance {
namespace {

using Basis = AlignmentPlan::Basis;
using Mode = AlignmentRequest::Mode;

/// Numbers of frames, or rates: a conversion of 1000 to 1001 frames counts, too.
template <class T>
bool Differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && std::abs(static_cast<double>(*a - *b)) > 1e-5 * static_cast<double>(*a);
}

bool IsRotated(const AlignedVideo& video) { return video.orientation != Orientation{}; }

/// Selects the frames in pairs.
void SelectPairs(AlignmentPlan& plan) {
  plan.selected.resize(plan.alignments.size() + 1);
  for (const auto& [i, j] : plan.alignments[0].pairs) plan.selected[0].push_back(i);
  std::string text;
  for (size_t v = 1; v < plan.selected.size(); ++v) {
    const Alignment& alignment = plan.alignments[v - 1];
    for (const auto& [i, j] : alignment.pairs) plan.selected[v].push_back(j);
    text += PairsCsv(alignment.pairs);
  }
  plan.fingerprint = fmt::format("{:016x}", Hash(text));
}

/// A video of which damage leaves one frame is no picture.
Status CheckLengths(const AlignmentTask& task, size_t video, int64_t reference, int64_t distorted,
                    const std::vector<Status>& damages) {
  const std::string &name = task.videos[0].name, &other = task.videos[video].name;
  const int64_t less = std::min(reference, distorted), more = std::max(reference, distorted);
  if (less == 0) return Error(StatusCode::kBadData, "{} has no frames", reference == 0 ? name : other);
  if (less > 1 || more == 1) return {};
  const bool is_reference = reference == 1;
  if (!damages.empty()) ACU_RETURN_IF_ERROR(damages[is_reference ? 0 : video]);
  return Error(StatusCode::kBadData,
               "{} has one frame, and {} has {}: a picture is not paired with a video (--align index compares it with "
               "the first frame)",
               is_reference ? name : other, is_reference ? other : name, more);
}

/// Why a video breaks off, where no pair shows that: the other one continues, or the requested frames come after it.
Status HiddenDamage(const AlignmentTask& task, size_t video, const AlignedTracks& aligned,
                    const std::vector<Status>& damages) {
  const PairList none, &pairs = aligned.placed.alignment.ok() ? aligned.placed.alignment->pairs : none;
  if (damages.empty()) return {};
  if (task.frame_limit > 0 && std::ssize(pairs) >= task.first_frame + task.frame_limit) return {};
  const bool reference_continues = pairs.empty() || pairs.back().first + 1 < aligned.reference_count;
  const bool distorted_continues = pairs.empty() || pairs.back().second + 1 < aligned.distorted_count;
  Status damage = reference_continues ? damages[video] : Status();
  return distorted_continues && damage.ok() ? damages[0] : damage;
}

ShownPicture ShownBy(const AlignedVideo& video) {
  Rectangle all{video.format.width, video.format.height};
  if (video.orientation.transposed) std::swap(all.width, all.height);
  return {video.name, video.crop.value_or(all), video.format.pixel_format, video.pixel_aspect};
}

PlacedParts PartsOf(const AlignmentTask& task, size_t video, const FoundPlacement& found) {
  return PartsOf(found.placement, ShownBy(task.videos[0]), ShownBy(task.videos[video]));
}

/// What may make two videos differ, as ends of a sentence; else nothing.
std::string RotationHint(const AlignedVideo& reference, const AlignedVideo& distorted) {
  if (reference.orientation == distorted.orientation) return {};
  const bool is_reference = IsRotated(reference);
  const AlignedVideo &rotated = is_reference ? reference : distorted, &other = is_reference ? distorted : reference;
  return fmt::format("; {} is rotated as its stream declares, and {} is {}", rotated.name, other.name,
                     IsRotated(other) ? "rotated differently" : "not");
}

std::string PlacementHint(const AlignmentTask& task, size_t video, const std::optional<FoundPlacement>& found) {
  if (!found || !found->is_sure) return {};
  const PlacedParts parts = PartsOf(task, video, *found);
  return fmt::format("; {}, scaled to its size ({})", parts.sentence, parts.options);
}

/// Adds the alignment of one distorted video to the plan.
Status AddAlignment(const AlignmentTask& task, size_t video, AlignedTracks aligned, const std::vector<Status>& damages,
                    AlignmentPlan& plan) {
  auto& [alignment, placement] = aligned.placed;
  if (alignment.ok() && task.request.holds_frames)
    HoldFrames({aligned.reference_count, aligned.reference_times}, {aligned.distorted_count, aligned.distorted_times},
               *alignment);
  if (plan.damage.ok()) plan.damage = HiddenDamage(task, video, aligned, damages);
  if (!alignment.ok() || alignment->pairs.empty()) ACU_RETURN_IF_ERROR(plan.damage);
  const std::string &name = task.videos[0].name, &other = task.videos[video].name;
  if (!alignment.ok())
    return Error(alignment.status().code(), "{} and {}: {}{}{}", name, other, alignment.status().message(),
                 RotationHint(task.videos[0], task.videos[video]), PlacementHint(task, video, placement));
  if (placement) plan.warnings.push_back(PlacementWarning(task, video, *placement));
  if (task.request.mode == Mode::kTimes && alignment->pairs.empty())
    return Error(StatusCode::kBadData, "{} and {}: no frames are shown at the same time", name, other);
  const auto& [one, two] = aligned.samples;
  if (auto warning = RangeWarning(task, video, one, two)) plan.warnings.push_back(*std::move(warning));
  plan.alignments.push_back(std::move(*alignment));
  return {};
}

}  // namespace

AlignmentPlan FirstPlan(const AlignmentTask& task, PairList pairs) {
  const Mode mode = task.request.mode;
  if (mode == Mode::kAuto || mode == Mode::kTimes)
    return {.basis = Basis::kAssumed, .first_check = kFirstAlignmentCheck};
  if (mode == Mode::kOffset) return {.offset = task.request.late};
  AlignmentPlan plan;
  if (mode != Mode::kFile) return plan;
  Alignment given{.by = Alignment::By::kGiven, .pairs = std::move(pairs)};
  const auto [last, last_distorted] = given.pairs.back();
  NoteUnmatched(last + 1, last_distorted + 1, given);
  if (task.request.holds_frames) HoldFrames({last + 1}, {last_distorted + 1}, given);
  plan.alignments.assign(task.videos.size() - 1, given);
  SelectPairs(plan);
  return plan;
}

bool NeedsFullAlignment(const AlignmentTask& task, const AlignmentPlan& plan) {
  if (plan.basis != Basis::kAssumed) return false;
  // Pictures that are rotated pass as they are decoded, so that their fingerprints are not compared.
  if (task.request.mode == Mode::kTimes || task.has_journal || std::ranges::any_of(task.videos, IsRotated)) return true;
  const bool is_part = task.frame_limit > 0;  // to which the lengths of the whole videos do not matter
  const AlignedVideo& reference = task.videos[0];
  return std::ranges::any_of(task.videos, [&](const AlignedVideo& video) {
    return Differ(reference.frame_rate, video.frame_rate) ||
           (!is_part && Differ(reference.frame_count, video.frame_count));
  });
}

bool MayEstimateOffset(const AlignmentTask& task) {
  const bool is_part = task.frame_limit > 0 || task.first_frame > 0;
  if (!task.may_estimate || task.request.mode != Mode::kAuto || task.videos.size() != 2 || is_part || task.has_journal)
    return false;
  if (Differ(task.videos[0].frame_rate, task.videos[1].frame_rate)) return false;
  return std::ranges::all_of(task.videos, [](const AlignedVideo& video) { return video.is_file && !IsRotated(video); });
}

std::optional<int64_t> PlainOffset(const Result<Alignment>& found, std::optional<int64_t> rejected) {
  constexpr size_t kLeast = 24;
  if (!found.ok() || found->by != Alignment::By::kFingerprints || !found->doubtful.empty()) return std::nullopt;
  const int64_t offset = found->late();
  const bool is_plain = found->pairs.size() >= kLeast && found->IsShifted(offset) && offset != rejected;
  return is_plain ? std::optional(offset) : std::nullopt;
}

AlignmentPlan PlanWithOffset(int64_t offset, int64_t first_check) {
  return {.basis = Basis::kEstimated, .offset = offset, .first_check = first_check};
}

std::optional<AlignmentPlan> PlanFromStart(const AlignmentTask& task, const FrameTrack& reference,
                                           const FrameTrack& distorted, int64_t count) {
  if (IsIdentityAlignment(reference, distorted)) return FirstPlan(task, {});
  const Result<Alignment> found = AlignTracks(reference, distorted);
  if (found.ok() && found->is_identity()) return FirstPlan(task, {});
  const std::optional<int64_t> offset = PlainOffset(found, std::nullopt);
  return offset ? std::optional(PlanWithOffset(*offset, 4 * count)) : std::nullopt;
}

Result<AlignmentPlan> PlanFromTracks(const AlignmentTask& task, const std::vector<FrameTrack>& tracks,
                                     const std::vector<Status>& damages) {
  std::vector<AlignedTracks> aligned;
  for (size_t v = 1; v < tracks.size(); ++v) {
    const FrameTrack &reference = tracks[0], &distorted = tracks[v];
    PlacedAlignment placed{CheckLengths(task, v, reference.size(), distorted.size(), damages), std::nullopt};
    if (placed.alignment.status().ok())
      placed = task.request.mode == Mode::kTimes ? PlacedAlignment{AlignByTimes(reference, distorted), std::nullopt}
                                                 : AlignPlaced(reference, distorted);
    const PairList none, &pairs = placed.alignment.ok() ? placed.alignment->pairs : none;
    auto samples = SamplePairs(reference, distorted, pairs);
    aligned.push_back(
        {std::move(placed), reference.size(), distorted.size(), std::move(samples), reference.times, distorted.times});
  }
  return PlanFromAligned(task, std::move(aligned), damages);
}

Result<AlignmentPlan> PlanFromAligned(const AlignmentTask& task, std::vector<AlignedTracks> aligned,
                                      const std::vector<Status>& damages) {
  AlignmentPlan plan{.basis = Basis::kMeasured};
  bool are_all = true;
  for (size_t v = 1; v <= aligned.size(); ++v) {
    AlignedTracks& each = aligned[v - 1];
    const int64_t shorter = std::min(each.reference_count, each.distorted_count);
    ACU_RETURN_IF_ERROR(CheckLengths(task, v, each.reference_count, each.distorted_count, damages));
    ACU_RETURN_IF_ERROR(AddAlignment(task, v, std::move(each), damages, plan));
    are_all &= plan.alignments.back().is_identity() && ReachesEnd(plan.alignments.back(), shorter);
  }
  if (plan.alignments[0].pairs.empty())
    return Error(StatusCode::kBadData, "{} and {} have no frames in common", task.videos[0].name, task.videos[1].name);
  if (!are_all) SelectPairs(plan);
  return plan;
}

std::string PlacementWarning(const AlignmentTask& task, size_t video, const FoundPlacement& placement) {
  const PlacedParts parts = PartsOf(task, video, placement);
  return fmt::format("{}{}, scaled to its size, so that scores compare pictures that do not fit: {}",
                     placement.is_sure ? "" : "it seems that ", parts.sentence, parts.options);
}

std::optional<std::string> RangeWarning(const AlignmentTask& task, size_t video, const FrameTrack& reference,
                                        const FrameTrack& distorted) {
  const AlignedVideo &one = task.videos[0], &other = task.videos[video];
  if (!one.full_range || !other.full_range) return std::nullopt;
  return CheckSampleRange({one.name, reference, *one.full_range}, {other.name, distorted, *other.full_range});
}

}  // namespace acutance
