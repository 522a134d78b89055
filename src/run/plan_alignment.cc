#include "run/plan_alignment.h"

#include <algorithm>
#include <utility>

#include "align/align_tracks.h"
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
  options.device_decoding.reset();
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

struct Fingerprints {
  std::optional<AlignmentPlan> estimate{};  // from the first frames; not set: all are here
  std::vector<FrameTrack> tracks{};         // by video
  std::vector<Status> damages{};            // why a video could not be read to its end
};

/// Reads the frames that a plan needs. estimate_after: offsets that the first frames ruled out; null: no estimate.
Result<Fingerprints> ReadFingerprints(const RunRequest& request, const AlignmentTask& task,
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
      return Fingerprints{.estimate = PlanWithOffset(*offset, 4 * count)};
  }
  ACU_RETURN_IF_ERROR(reading.ReadTo(FramesOfPart(task, *videos[0])));
  return Fingerprints{.tracks = reading.Take(), .damages = reading.damages()};
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
  ACU_ASSIGN_OR_RETURN(Fingerprints read,
                       ReadFingerprints(request, task, may_estimate ? &misalignment : nullptr, cache));
  return read.estimate ? only(*std::move(read.estimate)) : PlanGroups(task, std::move(read.tracks), read.damages);
}

}  // namespace acutance
