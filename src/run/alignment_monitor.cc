#include "run/alignment_monitor.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "align/align_tracks.h"
#include "align/align_windows.h"
#include "align/read_tracks.h"
#include "metric/registry.h"
#include "run/encode_groups.h"
#include "run/plan_alignment.h"
#include "video/filters.h"

namespace acutance {
namespace {

using Basis = AlignmentPlan::Basis;

constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

bool IsRead(const std::shared_ptr<FingerprintTrack>& track) { return track && track->size() > 0; }

}  // namespace

bool CanTapFingerprints(const SessionNeeds& needs, const SessionSpec& spec) {
  return FindMetric(kFingerprintMetric) && spec.subsample == 1 && needs.reference && needs.distorted;
}

ResultTap TapFingerprints(FingerprintSink sink) {
  return {std::string(kFingerprintMetric), [sink = std::move(sink)](const RunResult& result) {
            sink(result.distorted, FingerprintOf(result.words.first(kFingerprintWords)),
                 FingerprintOf(result.words.subspan(kFingerprintWords)));
          }};
}

AlignmentMonitor::AlignmentMonitor(const RunRequest& request, const AlignmentPlan& plan, VideoCache& videos)
    : task_(AlignmentTaskOf(request, videos)),
      plan_(plan),
      videos_(videos),
      crew_(plan.is_checked() ? MakeFingerprintCrew(request.threads) : nullptr),
      tracks_(task_.videos.size()),
      confidence_(task_.videos.size(), 1),
      window_(AlignmentWindow(request.max_memory)),
      next_check_(std::min(plan.first_check, window_)),
      alignments_(plan.alignments),
      warnings_(plan.warnings) {}

std::vector<Result<std::unique_ptr<VideoSource>>> AlignmentMonitor::OpenAll(const OpenOptions& options) {
  std::vector<Result<std::unique_ptr<VideoSource>>> videos = videos_.OpenAll(options);
  for (size_t v = 0; v < videos.size(); ++v)
    if (videos[v].ok()) videos[v] = Watch(v, *std::move(videos[v]));
  return videos;
}

std::unique_ptr<VideoSource> AlignmentMonitor::Watch(size_t video, std::unique_ptr<VideoSource> source) {
  const VideoFacts facts = source->facts();
  AlignedVideo& known = task_.videos[video];
  known.frame_count = source->frame_count();
  known.frame_rate = source->frame_rate();
  known.orientation = facts.orientation;
  known.format = source->format();
  known.pixel_aspect = facts.pixel_aspect;
  if (!facts.is_rgb) known.full_range = source->color().full_range.value_or(false);
  if (!plan_.selected.empty()) return SelectFrames(std::move(source), plan_.selected[video]);
  if (!plan_.is_checked()) return source;
  tracks_[video] = std::make_shared<FingerprintTrack>(crew_);
  return plan_.basis == Basis::kEstimated ? RecordAllFingerprints(std::move(source), tracks_[video])
                                          : RecordFingerprints(std::move(source), tracks_[video]);
}

void AlignmentMonitor::SetCrop(size_t video, const std::optional<Rectangle>& crop) {
  task_.videos[video].crop = crop;
  if (crop && tracks_[video]) tracks_[video]->SetCrop(*crop);
}

void AlignmentMonitor::AddTap(std::span<const Input> inputs, std::vector<ResultTap>& taps) const {
  if (plan_.basis != Basis::kAssumed) return;
  const auto keeps_luma = [](const InputChange& step) {
    return step.change == Change::kSamples || step.change == Change::kCrop || step.change == Change::kChroma;
  };
  std::vector<std::shared_ptr<FingerprintTrack>> tapped(inputs.size());
  for (size_t v = 0; v < inputs.size(); ++v)
    if (tracks_[v] && std::ranges::all_of(inputs[v].changes, keeps_luma)) tapped[v] = tracks_[v];
  if (std::ranges::all_of(tapped, [](const auto& track) { return !track; })) return;
  for (const auto& track : tapped)
    if (track) track->LeaveToSession();
  taps.push_back(
      TapFingerprints([tapped](int distorted, const FrameFingerprint& reference, const FrameFingerprint& own) {
        if (tapped.front() && distorted == 0) tapped.front()->Put(reference);
        if (const auto& track = tapped[static_cast<size_t>(distorted) + 1]) track->Put(own);
      }));
}

bool AlignmentMonitor::RejectsFacts() {
  for (size_t v = 1; v < task_.videos.size(); ++v)
    if (NeedsFullAlignment(PartOf(task_, {v - 1}), plan_)) Reject(v, {});
  return misalignment_.has_value();
}

bool AlignmentMonitor::Rejects(int64_t frames) {
  if (!plan_.is_checked() || frames < next_check_) return false;
  for (size_t v = 0; v < tracks_.size(); ++v) {
    const bool has_some = IsRead(tracks_[v]) && tracks_[v]->size() < next_check_ + plan_.SkipOf(v);
    if (has_some || (tracks_[v] && tracks_[v]->Made(next_check_) < next_check_)) return false;
  }
  return FailsNextCheck();
}

bool AlignmentMonitor::FailsNextCheck() {
  const int64_t count = std::exchange(next_check_, std::min(4 * next_check_, passed_.count + window_));
  return count < passed_.count + window_ ? RejectsFirst(count) : !PassWindow(count);
}

/// Confirms the pairs up to `count` of a long run, and forgets their frames, except those that lead up to the next
/// ones. False: they are misaligned.
bool AlignmentMonitor::PassWindow(int64_t count) {
  constexpr int64_t kLeadUp = 200;
  const bool is_first = passed_.count == 0;
  for (size_t v = 1; v < tracks_.size(); ++v) {
    if (!IsRead(tracks_[0]) || !IsRead(tracks_[v])) continue;
    if (plan_.basis == Basis::kEstimated) {
      if (RejectsFirst(count)) return false;
      continue;
    }
    std::optional<ConfirmedAlignment> found = ConfirmAssumed(task_, v, *tracks_[0], *tracks_[v], count, passed_);
    if (!found) {
      Reject(v, {.rejected = 0});
      continue;
    }
    confidence_[v] = std::min(confidence_[v], found->alignment.confidence);
    if (is_first) std::ranges::move(found->warnings, std::back_inserter(warnings_));
  }
  if (misalignment_) return false;
  passed_ = {.count = count - kLeadUp, .window = window_};
  next_check_ = passed_.count + window_;
  for (size_t v = 0; v < tracks_.size(); ++v)
    if (tracks_[v]) tracks_[v]->Forget(passed_.count + plan_.SkipOf(v));
  return true;
}

bool AlignmentMonitor::RejectsAll() {
  int64_t shortest = kAll;
  for (size_t v = 0; v < tracks_.size(); ++v)
    if (tracks_[v]) shortest = std::min(shortest, tracks_[v]->size() - plan_.SkipOf(v));
  return plan_.is_checked() && RejectsFirst(shortest);
}

bool AlignmentMonitor::RejectsFirst(int64_t frames) {
  if (!IsRead(tracks_[0])) return false;
  for (size_t v = 1; v < tracks_.size(); ++v) {
    if (!IsRead(tracks_[v])) continue;  // an attempt that reads the reference alone
    std::optional<Misalignment> found = CheckFirstPairs(plan_, *tracks_[0], *tracks_[v], frames, passed_);
    if (found) Reject(v, *std::move(found));
  }
  return misalignment_.has_value();
}

/// Pipes are held before the attempt ends, so that the next attempt can read them.
void AlignmentMonitor::Reject(size_t video, Misalignment misalignment) {
  rejected_.push_back(video - 1);
  misalignment_ = std::move(misalignment);
  misalignment_->next_check = next_check_;
  HoldPipes();
}

void AlignmentMonitor::Conclude(int64_t frames) {
  // What came before its fingerprints were there is checked now, so that their speed does not decide.
  while (plan_.is_checked() && !misalignment_ && frames >= next_check_) FailsNextCheck();
  if (misalignment_) return;
  if (plan_.basis == Basis::kAssumed) return ConcludeAssumed(frames);
  if (plan_.basis == Basis::kEstimated) return ConcludeEstimated(frames);
  alignments_ = AlignmentsOfScored(task_, plan_, frames);
}

void AlignmentMonitor::ConcludeAssumed(int64_t frames) {
  const int64_t end = task_.first_frame + frames;
  for (size_t v = 1; v < tracks_.size(); ++v) {
    if (!IsRead(tracks_[0]) || !IsRead(tracks_[v])) {
      alignments_.push_back(AlignByOffset(end, end, 0));
      continue;
    }
    passed_.confidence = confidence_[v];
    std::optional<ConfirmedAlignment> found = ConfirmAssumed(task_, v, *tracks_[0], *tracks_[v], frames, passed_);
    if (!found) {
      Reject(v, {.rejected = 0});
      continue;
    }
    alignments_.push_back(std::move(found->alignment));
    if (passed_.count == 0) std::ranges::move(found->warnings, std::back_inserter(warnings_));
  }
}

/// All frames decide, as they do without an estimate.
void AlignmentMonitor::ConcludeEstimated(int64_t frames) {
  if (!ReadToEnds()) return Reject(1, {.rejected = plan_.offset});
  std::vector<FrameTrack> whole = {tracks_[0]->Copy(kAll), tracks_[1]->Copy(kAll)};
  std::optional<ConfirmedAlignment> found = ConfirmEstimated(task_, plan_, whole, frames, passed_);
  if (!found && passed_.count > 0) whole.clear();
  if (!found) return Reject(1, {.rejected = plan_.offset, .whole = std::move(whole)});
  alignments_.push_back(std::move(found->alignment));
  warnings_ = std::move(found->warnings);
}

/// Reads the remaining frames that matter for the alignment. False: a video continues.
bool AlignmentMonitor::ReadToEnds() {
  int64_t shortest = kAll;
  for (const auto& track : tracks_)
    if (track->has_ended()) shortest = std::min(shortest, track->size());
  if (shortest == kAll) return false;
  int64_t most = WorthReading(shortest, 1);
  if (passed_.count > 0) most = std::min(most, shortest + window_);
  return std::ranges::all_of(tracks_, [&](const auto& track) { return track->ReadRest(most); });
}

}  // namespace acutance
