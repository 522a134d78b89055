#include "run/plan_alignment.h"

#include <algorithm>
#include <utility>

#include "align/align_windows.h"
#include "align/read_tracks.h"
#include "video/filters.h"

namespace acutance {
namespace {

using Videos = std::vector<std::unique_ptr<VideoSource>>;

constexpr int64_t kStart = 24;  // frames that show whether videos fit frame by frame
constexpr int64_t kStarts[] = {kFirstAlignmentCheck, 4 * kFirstAlignmentCheck};  // frames that show an offset

std::shared_ptr<void> InterruptOnCancel(const RunRequest& request, const Videos& videos) {
  if (!request.watch_cancel) return nullptr;
  return request.watch_cancel([&videos] {
    for (const auto& video : videos) video->Interrupt();
  });
}

/// From the first frames of two files; by default, frames are assumed to be aligned one by one.
Result<AlignmentPlan> PlanFromFirstFrames(const RunRequest& request, AlignmentTask task, VideoCache& cache) {
  AlignmentPlan assumed = FirstPlan(task, {});
  for (const AlignedVideo& video : task.videos)
    if (!video.is_file) return assumed;
  Videos videos;
  for (size_t v = 0; v < task.videos.size(); ++v) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, cache.OpenForStart(v, request.open));
    task.videos[v].frame_count = video->frame_count();
    task.videos[v].frame_rate = video->frame_rate();
    task.videos[v].orientation = video->facts().orientation;
    videos.push_back(std::move(video));
  }
  if (!MayEstimateOffset(task) || NeedsFullAlignment(task, assumed)) return assumed;
  const std::shared_ptr<void> watch = InterruptOnCancel(request, videos);
  TrackReading reading(videos);
  for (const int64_t count : {kStart, kStarts[0], kStarts[1]}) {
    ACU_RETURN_IF_ERROR(reading.ReadTo(count));
    const FrameTrack &reference = reading.tracks()[0], &distorted = reading.tracks()[1];
    if (auto plan = PlanFromStart(task, reference, distorted, count)) return *std::move(plan);
    if (count > kStart && (reference.is_whole || distorted.is_whole)) break;
  }
  return assumed;
}

/// Opens the videos, as the attempt did, for their fingerprints alone.
Result<Videos> OpenForFingerprints(const RunRequest& request, const AlignmentTask& task, bool may_estimate,
                                   VideoCache& cache) {
  Videos videos;
  OpenOptions options = request.open;
  for (size_t v = 0; v < task.videos.size(); ++v) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video,
                         may_estimate ? cache.OpenForStart(v, options) : cache.Open(v, options));
    if (!cache.IsCached(v)) video->SkipChroma();
    if (task.videos[v].orientation != Orientation{}) {
      ACU_ASSIGN_OR_RETURN(video, AutoRotate(std::move(video)));
    }
    if (task.videos[v].crop) {
      ACU_ASSIGN_OR_RETURN(video, CropVideo(std::move(video), *task.videos[v].crop));
    }
    videos.push_back(std::move(video));
  }
  return videos;
}

/// How many frames of each video a part of it may need; nullopt: all.
std::optional<int64_t> FramesOfPart(const AlignmentTask& task, const VideoSource& reference) {
  constexpr double kMost = 1e15, kUnknownRate = 60;
  if (task.frame_limit == 0) return std::nullopt;
  const auto last = static_cast<double>(task.first_frame + task.frame_limit);
  const double apart = kMostSecondsApart * PlausibleRate(reference.frame_rate()).value_or(kUnknownRate);
  return static_cast<int64_t>(std::min(kMost, 1.1 * last + 1.2 * apart));
}

/// The plan for videos of which too many frames are read to be aligned at once.
Result<std::vector<GroupPlan>> PlanInWindows(const AlignmentTask& task, int64_t window, std::optional<int64_t> most,
                                             TrackReading& reading) {
  using By = WindowedAlignment::By;
  const By by = task.request.mode == AlignmentRequest::Mode::kTimes ? By::kTimes : By::kContent;
  std::vector<WindowedAlignment> alignments;
  for (size_t v = 1; v < task.videos.size(); ++v) {
    const auto &count = task.videos[0].frame_count, &other = task.videos[v].frame_count;
    alignments.emplace_back(window, by, count && count == other);
  }
  ACU_RETURN_IF_ERROR(AlignInWindows(reading, most, alignments));
  return GroupPlans(alignments.size(), [&](size_t d) {
    const int64_t reference = reading.CountOf(0), distorted = reading.CountOf(d + 1);
    std::vector<AlignedTracks> aligned;
    aligned.push_back({alignments[d].Finish(reference, distorted), reference, distorted, alignments[d].samples()});
    return PlanFromAligned(PartOf(task, {d}), std::move(aligned), {reading.damages()[0], reading.damages()[d + 1]});
  });
}

/// Reads the frames that a plan needs. estimate_after: offsets that the first frames ruled out; null: no estimate.
Result<std::vector<GroupPlan>> PlanFromFingerprints(const RunRequest& request, const AlignmentTask& task,
                                                    const Misalignment* estimate_after, VideoCache& cache) {
  ACU_ASSIGN_OR_RETURN(const Videos videos, OpenForFingerprints(request, task, estimate_after != nullptr, cache));
  const std::shared_ptr<void> watch = InterruptOnCancel(request, videos);
  TrackReading reading(videos);
  for (const int64_t count : kStarts) {
    if (!estimate_after || count <= estimate_after->frames) continue;
    ACU_RETURN_IF_ERROR(reading.ReadTo(count));
    const FrameTrack &reference = reading.tracks()[0], &distorted = reading.tracks()[1];
    if (reference.is_whole || distorted.is_whole) break;  // what is read to its end needs no estimate
    if (const auto offset = PlainOffset(AlignTracks(reference, distorted), estimate_after->rejected))
      return std::vector<GroupPlan>{{{0}, PlanWithOffset(*offset, 4 * count)}};
  }
  const std::optional<int64_t> part = FramesOfPart(task, *videos[0]);
  const int64_t window = AlignmentWindow(request.max_memory);
  ACU_RETURN_IF_ERROR(reading.ReadTo(std::min(window, part.value_or(window))));
  const bool is_long = std::ranges::any_of(
      reading.tracks(), [&](const FrameTrack& track) { return !track.is_whole && track.size() >= window; });
  if (is_long && part.value_or(window + 1) > window) return PlanInWindows(task, window, part, reading);
  return PlanGroups(task, reading.tracks(), reading.damages());
}

}  // namespace

AlignmentTask AlignmentTaskOf(const RunRequest& request, const VideoCache& videos) {
  AlignmentTask task{.request = request.pairing,
                     .first_frame = request.skip_reference,
                     .frame_limit = request.frame_limit,
                     .has_journal = !request.journal.empty(),
                     .may_estimate = !request.cached_reference && request.skip_distorted == 0};
  for (size_t v = 0; v <= request.distorted.size(); ++v)
    task.videos.push_back({.name = videos.PathOf(v), .is_file = videos.IsFile(v)});
  return task;
}

Result<AlignmentPlan> PlanFirstAttempt(const RunRequest& request, VideoCache& videos) {
  const AlignmentTask task = AlignmentTaskOf(request, videos);
  std::vector<std::pair<int64_t, int64_t>> pairs = request.pairing.pairs;
  if (request.pairing.mode == AlignmentRequest::Mode::kFile && pairs.empty()) {
    ACU_ASSIGN_OR_RETURN(pairs, ReadPairsFile(request.pairing.file));
  }
  AlignmentPlan plan = FirstPlan(task, std::move(pairs));
  const bool is_cropped = request.crop.find_bars || request.crop.reference;
  if (!RunsOnCpu(request.device) || request.max_memory || is_cropped || !MayEstimateOffset(task)) return plan;
  Result<AlignmentPlan> found = PlanFromFirstFrames(request, task, videos);
  videos.ReleaseAsRead();
  if (found.ok()) return found;
  const StatusCode code = found.status().code();
  if (code == StatusCode::kOutOfMemory || code == StatusCode::kCancelled) return found.status();
  return plan;
}

Result<std::vector<GroupPlan>> PlanNextAttempt(const RunRequest& request, const AlignmentTask& task,
                                               const AlignmentPlan& failed, Misalignment misalignment,
                                               VideoCache& cache) {
  const auto only = [](AlignmentPlan plan) { return std::vector<GroupPlan>{{{0}, std::move(plan)}}; };
  cache.HoldPipes(false);
  if (!misalignment.whole.empty()) return PlanGroups(task, std::move(misalignment.whole), {});
  // A second estimate would be a guess.
  const bool may_estimate = failed.basis != AlignmentPlan::Basis::kEstimated && MayEstimateOffset(task);
  if (may_estimate && misalignment.offset) return only(PlanWithOffset(*misalignment.offset, misalignment.next_check));
  return PlanFromFingerprints(request, task, may_estimate ? &misalignment : nullptr, cache);
}

}  // namespace acutance
