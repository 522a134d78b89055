#include <acutance/score.h>

#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "api/access.h"
#include "base/cancellation_token.h"
#include "base/usable_cpus.h"
#include "report/map_films.h"
#include "run/cached_reference.h"
#include "run/folder_videos.h"
#include "run/join_run.h"
#include "run/judge_mean.h"
#include "run/score_run.h"

namespace acutance::api {
namespace {

RunRequest MakeRequest(const std::string& reference, const std::vector<std::string>& distorted,
                       const ScoreOptions& options) {
  RunRequest request;
  request.reference = reference;
  request.distorted = distorted;
  if (options.raw) request.open.raw = *options.raw;
  request.open.raw_is_semi_planar = options.raw_is_semi_planar;
  request.models = ToEngine(options.session.models);
  request.features = ToEngine(options.session.features);
  request.threads = ThreadsOf(options.session);
  request.open.decoder_threads = request.threads > 1 ? 0 : 1;
  request.subsample = options.session.subsample;
  request.skip_reference = request.skip_distorted = options.first_frame;
  request.frame_limit = options.frame_count;
  request.device = ChoiceOf(options.session);
  request.journal = options.journal;
  request.on_artifact = SinkOf(options.session);
  request.max_memory = options.session.max_memory;
  request.max_device_memory = options.session.max_device_memory;
  request.maps = options.session.maps;
  request.fit.size = ParseCommonSize(options.scale, options.scale_filter);
  request.open.film_grain = options.film_grain;
  request.fit.deinterlace = FindDeinterlacing(options.deinterlace).value_or(Deinterlacing::kAuto);
  request.fit.force = options.force;
  request.open.take_all = true;
  request.choose_models = FindViewing(options.choose_models);
  request.check_model_sizes = request.choose_models.has_value();
  request.worst_frames = options.worst_frames;
  request.find_shots = options.shots;
  if (!options.maps_video.empty()) request.pairs = MakeMapFilms(options.maps_video, request.threads);
  return request;
}

Status Check(const ScoreOptions& options) {
  if (options.first_frame < 0 || options.frame_count < 0)
    return Error(StatusCode::kInvalidArgument, "first_frame {}, frame_count {}: neither is negative",
                 options.first_frame, options.frame_count);
  if (!FindScaleFilter(options.scale_filter))
    return Error(StatusCode::kInvalidArgument, "scale_filter \"{}\": there are {}", options.scale_filter,
                 fmt::join(kScaleFilterNames, ", "));
  if (!ParseCommonSize(options.scale, options.scale_filter))
    return Error(StatusCode::kInvalidArgument, "scale \"{}\": give \"ref\", \"dis\" or a size, such as \"1920x1080\"",
                 options.scale);
  if (!FindDeinterlacing(options.deinterlace))
    return Error(StatusCode::kInvalidArgument, "deinterlace \"{}\": there are {}", options.deinterlace,
                 fmt::join(kDeinterlacingNames, ", "));
  if (!options.choose_models.empty() && !FindViewing(options.choose_models))
    return Error(StatusCode::kInvalidArgument, "choose_models \"{}\": there are {}", options.choose_models,
                 fmt::join(kViewingNames, ", "));
  if (options.worst_frames < 0)
    return Error(StatusCode::kInvalidArgument, "worst_frames is {}: it is not negative", options.worst_frames);
  if (!options.maps_video.empty() && !options.journal.empty())
    return Error(StatusCode::kInvalidArgument, "maps_video needs the pictures of all frames, and a journal skips some");
  return CheckMaps(options.session);
}

/// What can be wrong with options is checked here.
Status Complete(const ScoreOptions& options, RunRequest& request) {
  ACU_RETURN_IF_ERROR(Check(options));
  ACU_ASSIGN_OR_RETURN(request.pairing, ParsePairing(options.align));
  ACU_ASSIGN_OR_RETURN(request.crop, ParseCrop(options.crop));
  return {};
}

/// Lets the caller cancel the request's runs from now on, as long as what is returned lives.
std::shared_ptr<void> WatchCancel(const ScoreOptions& options, const std::shared_ptr<CancellationToken>& cancel,
                                  RunRequest& request) {
  request.open.cancellation = cancel;
  request.watch_cancel = [cancel](std::function<void()> stop) { return cancel->Watch(std::move(stop)); };
  return options.watch_cancel ? options.watch_cancel([cancel] { cancel->Cancel(); }) : nullptr;
}

Expected<Result> ScoreRequest(RunRequest request, const ScoreOptions& options) {
  ACU_RETURN_IF_ERROR(Complete(options, request));
  const std::shared_ptr<CancellationToken> run_cancel = CancellationToken::Make();
  const std::shared_ptr<void> watch = WatchCancel(options, run_cancel, request);
  request.on_frame = [&](const acutance::Session& session, std::optional<int64_t> total) {
    if (!options.on_progress) return FrameAction::kContinue;
    Progress progress{session.frames_done(), total, {}};
    if (!session.models().empty()) {
      progress.score = session.RunningMean(0, 0);
      progress.model = session.models().front().model().name;
    }
    const Next next = options.on_progress(progress);
    if (next == Next::kCancel) run_cancel->Cancel();
    return next == Next::kStop ? FrameAction::kStop : FrameAction::kContinue;
  };
  ScoredRun run = RunScore(request);
  if (run.error) return run.error->status;
  const std::unique_ptr<acutance::Session> session = std::move(run.session);
  return ResultAccess::Make(*session, std::move(run),
                            {.reference = request.reference,
                             .distorted = request.distorted,
                             .threads = request.threads,
                             .is_whole = request.skip_reference == 0 && request.frame_limit == 0});
}

}  // namespace

struct CachedReference::State {
  std::shared_ptr<acutance::CachedReference> kept;
};

CachedReference::CachedReference(std::string path, std::optional<size_t> most_bytes,
                                 std::optional<size_t> most_device_bytes)
    : state_(std::make_shared<State>()) {
  constexpr size_t kUnknown = size_t{1} << 30;
  const size_t most = most_bytes ? *most_bytes : AvailableMemory().value_or(2 * kUnknown) / 2;
  state_->kept = std::make_shared<acutance::CachedReference>(std::move(path), most,
                                                             std::make_shared<DeviceCache>(most_device_bytes));
}

const std::string& CachedReference::path() const { return state_->kept->path(); }
int64_t CachedReference::frames() const { return state_->kept->frames(); }
size_t CachedReference::bytes() const { return state_->kept->bytes(); }
int64_t CachedReference::device_frames() const { return state_->kept->device_frames(); }

Expected<Result> Score(const std::string& reference, const std::vector<std::string>& distorted,
                       const ScoreOptions& options) {
  return ScoreRequest(MakeRequest(reference, distorted, options), options);
}

Expected<Result> Score(const CachedReference& reference, const std::vector<std::string>& distorted,
                       const ScoreOptions& options) {
  RunRequest request = MakeRequest(reference.path(), distorted, options);
  request.cached_reference = reference.state_->kept;
  return ScoreRequest(std::move(request), options);
}

Expected<FolderVideos> FindVideos(const std::string& folder, const ScoreOptions& options) {
  OpenOptions open;
  if (options.raw) open.raw = *options.raw;
  open.raw_is_semi_planar = options.raw_is_semi_planar;
  return acutance::FindVideos(folder, open);
}

Expected<MeanVerdict> JudgeMean(const std::string& reference, const std::string& distorted, const MeanGate& gate,
                                const ScoreOptions& options) {
  RunRequest request = MakeRequest(reference, {distorted}, options);
  ACU_RETURN_IF_ERROR(Complete(options, request));
  const std::shared_ptr<void> watch = WatchCancel(options, CancellationToken::Make(), request);
  return acutance::JudgeMean(request, gate, options.on_progress);
}

Expected<Result> Join(const std::vector<std::string>& journals, int threads) {
  SessionOptions options;
  options.threads = threads;
  JoinedRun joined = JoinJournals(journals, ThreadsOf(options));
  if (joined.run.error) return joined.run.error->status;
  const std::unique_ptr<acutance::Session> session = std::move(joined.run.session);
  return ResultAccess::Make(
      *session, std::move(joined.run),
      {.reference = joined.request.reference, .distorted = joined.request.distorted, .threads = ThreadsOf(options)});
}

}  // namespace acutance::api
