#include <acutance/score.h>

#include <memory>
#include <utility>

#include "api/access.h"
#include "base/cancellation_token.h"
#include "base/did_you_mean.h"
#include "base/usable_cpus.h"
#include "engine/named_model.h"
#include "report/map_films.h"
#include "run/cached_reference.h"
#include "run/judge_mean.h"
#include "run/model_spec.h"
#include "run/run_journal.h"
#include "run/run_options.h"
#include "run/score_run.h"
#include "run/video_cache.h"

namespace acutance::api {
namespace {

Status ReadApiOption(std::string_view name, std::string_view text, RunRequest& request) {
  const RunOption* const option = FindRunOption(name);
  if (option) return ReadOption(*option, text, OptionStyle::kApi, request);
  std::vector<std::string> names;
  for (const RunOption& each : RunOptions()) names.push_back(ApiNameOf(each));
  return Error(StatusCode::kInvalidArgument, "there is no option \"{}\"{}", name,
               DidYouMean(name, std::vector<std::string_view>(names.begin(), names.end())));
}

/// Reads what Set() took, in the order of the options.
Status ReadTexts(const ScoreOptions& options, RunRequest& request) {
  for (const RunOption& option : RunOptions())
    for (const auto& [name, text] : options.texts)
      if (FindRunOption(name) == &option) ACU_RETURN_IF_ERROR(ReadOption(option, text, OptionStyle::kApi, request));
  return {};
}

void ReadRaw(const ScoreOptions& options, RunRequest& request) {
  if (options.raw) request.open.raw = *options.raw;
  request.open.raw_is_semi_planar = options.raw_is_semi_planar;
}

/// What a receipt needs to score the videos again.
void NoteFields(const ScoreOptions& options, RunRequest& request) {
  const auto note = [&](const char* name, std::string text) { request.given.emplace_back(name, std::move(text)); };
  for (const ModelRequest& model : request.models) {
    const std::string &source = model.model->source, &name = model.model->name;
    const bool is_named = IsNamedModel(source);
    note("model", is_named && name == source
                      ? source
                      : fmt::format("{}={}:name={}", is_named ? "version" : "path", source, name));
  }
  for (const Feature& feature : options.session.features) {
    std::string text;
    for (const auto& [name, value] : feature.options)
      text += fmt::format("{}{}={}", text.empty() ? "=" : ":", name, value);
    note("feature", feature.name + text);
  }
  if (options.no_model) note("no-model", "true");
  if (options.session.subsample > 1) note("subsample", fmt::format("{}", options.session.subsample));
  if (options.first_frame > 0 || options.frame_count > 0)
    note("frames", options.frame_count > 0
                       ? fmt::format("{}:{}", options.first_frame, options.first_frame + options.frame_count)
                       : fmt::format("{}:", options.first_frame));
  if (!options.film_grain) note("film-grain", "off");
}

void ReadFields(const ScoreOptions& options, RunRequest& request) {
  const SessionOptions& session = options.session;
  request.models = ToEngine(session.models);
  request.features = ToEngine(session.features);
  NoteFields(options, request);
  request.choice.none = options.no_model;
  request.choice.is_auto = !options.choose_models.empty();
  request.threads = session.threads;
  request.subsample = session.subsample;
  request.skip_reference = request.skip_distorted = options.first_frame;
  request.frame_limit = options.frame_count;
  request.device = ChoiceOf(session);
  request.journal = options.journal;
  request.on_artifact = SinkOf(session);
  request.max_memory = session.max_memory;
  request.max_device_memory = session.max_device_memory;
  request.maps = session.maps;
  request.open.film_grain = options.film_grain;
  request.fit.force = options.force;
  request.worst_frames = options.worst_frames;
  request.find_shots = request.measure_information = options.shots;
}

Status Check(const ScoreOptions& options, const RunRequest& request) {
  if (options.first_frame < 0 || options.frame_count < 0)
    return Error(StatusCode::kInvalidArgument, "first_frame {}, frame_count {}: neither is negative",
                 options.first_frame, options.frame_count);
  if (options.worst_frames < 0)
    return Error(StatusCode::kInvalidArgument, "worst_frames is {}: it is not negative", options.worst_frames);
  if (!options.maps_video.empty() && !request.journal.empty())
    return Error(StatusCode::kInvalidArgument, "maps_video needs the pictures of all frames, and a journal skips some");
  return CheckMaps(options.session);
}

/// Reads text fields of options as the command reads them.
Expected<RunRequest> MakeRequest(const std::string& reference, const std::vector<std::string>& distorted,
                                 const ScoreOptions& options, std::vector<std::string>& warnings) {
  RunRequest request = DefaultRequest();
  request.reference = reference;
  request.distorted = distorted;
  ReadRaw(options, request);
  ReadFields(options, request);
  const std::pair<const char*, const std::string&> fields[] = {{"scale", options.scale},
                                                               {"scale_filter", options.scale_filter},
                                                               {"crop", options.crop},
                                                               {"deinterlace", options.deinterlace},
                                                               {"align", options.align}};
  for (const auto& [name, text] : fields) ACU_RETURN_IF_ERROR(ReadApiOption(name, text, request));
  if (!options.choose_models.empty()) ACU_RETURN_IF_ERROR(ReadApiOption("viewing", options.choose_models, request));
  ACU_RETURN_IF_ERROR(ReadTexts(options, request));
  ACU_RETURN_IF_ERROR(Check(options, request));
  ACU_RETURN_IF_ERROR(CompleteRequest(request));
  ACU_RETURN_IF_ERROR(LoadModels(request, warnings));
  request.check_model_sizes = request.choose_models.has_value();
  if (!options.maps_video.empty()) request.pairs = MakeMapFilms(options.maps_video, request.threads);
  return request;
}

/// Lets the caller cancel the request's runs as long as the returned object exists.
std::shared_ptr<void> WatchCancel(const ScoreOptions& options, const std::shared_ptr<CancellationToken>& cancel,
                                  RunRequest& request) {
  request.open.cancellation = cancel;
  request.watch_cancel = [cancel](std::function<void()> stop) { return cancel->Watch(std::move(stop)); };
  return options.watch_cancel ? options.watch_cancel([cancel] { cancel->Cancel(); }) : nullptr;
}

Expected<Result> ScoreRequest(const std::string& reference, const std::vector<std::string>& distorted,
                              const ScoreOptions& options,
                              std::shared_ptr<acutance::CachedReference> cached = nullptr) {
  std::vector<std::string> warnings;
  Expected<RunRequest> made = MakeRequest(reference, distorted, options, warnings);
  if (!made.ok()) return made.status();
  RunRequest request = std::move(made).value();
  request.cached_reference = std::move(cached);
  const std::shared_ptr<CancellationToken> run_cancel = CancellationToken::Make();
  const std::shared_ptr<void> watch = WatchCancel(options, run_cancel, request);
  request.on_frame = [&](const acutance::Session& session, std::optional<int64_t> total) {
    if (!options.on_progress) return FrameAction::kContinue;
    Progress progress{session.frames_done(), total, {}};
    if (!session.models().empty()) {
      progress.score = session.RunningMean(0, 0);
      progress.model = session.models().front().model().name;
    }
    const FrameAction action = options.on_progress(progress);
    if (action != FrameAction::kCancel) return action;
    run_cancel->Cancel();
    return FrameAction::kContinue;
  };
  ScoredRun run = RunScore(request);
  if (run.error) return run.error->status;
  run.warnings.insert(run.warnings.begin(), warnings.begin(), warnings.end());
  return ResultAccess::Make(
      std::move(run), {.reference = request.reference, .distorted = request.distorted, .threads = request.threads});
}

}  // namespace

struct CachedReference::State {
  std::shared_ptr<acutance::CachedReference> cached;
};

CachedReference::CachedReference(std::string path, std::optional<size_t> most_bytes,
                                 std::optional<size_t> most_device_bytes)
    : state_(std::make_shared<State>()) {
  constexpr size_t kUnknown = size_t{1} << 30;
  const size_t most = most_bytes ? *most_bytes : AvailableMemory().value_or(2 * kUnknown) / 2;
  state_->cached = std::make_shared<acutance::CachedReference>(std::move(path), most,
                                                               std::make_shared<DeviceCache>(most_device_bytes));
}

const std::string& CachedReference::path() const { return state_->cached->path(); }
int64_t CachedReference::frames() const { return state_->cached->frames(); }
size_t CachedReference::bytes() const { return state_->cached->bytes(); }
int64_t CachedReference::device_frames() const { return state_->cached->device_frames(); }

Status ScoreOptions::Set(std::string_view name, std::string_view text) {
  RunRequest scratch = DefaultRequest();
  if (const Status status = ReadApiOption(name, text, scratch); !status.ok()) return status;
  texts.emplace_back(name, text);
  return {};
}

Expected<Result> Score(const std::string& reference, const std::vector<std::string>& distorted,
                       const ScoreOptions& options) {
  return ScoreRequest(reference, distorted, options);
}

Expected<Result> Score(const CachedReference& reference, const std::vector<std::string>& distorted,
                       const ScoreOptions& options) {
  return ScoreRequest(reference.path(), distorted, options, reference.state_->cached);
}

std::shared_ptr<void> KeepDevices() { return ShareDevices(); }

Expected<FolderVideos> FindVideos(const std::string& folder, const ScoreOptions& options) {
  RunRequest request;
  ReadRaw(options, request);
  Status status = ReadTexts(options, request);
  if (status.ok()) status = CompleteRequest(request);
  if (!status.ok()) return status;
  return acutance::FindVideos(folder, request.open);
}

Expected<MeanVerdict> JudgeMean(const std::string& reference, const std::string& distorted, const MeanGate& gate,
                                const ScoreOptions& options) {
  std::vector<std::string> warnings;
  Expected<RunRequest> made = MakeRequest(reference, {distorted}, options, warnings);
  if (!made.ok()) return made.status();
  RunRequest request = std::move(made).value();
  const std::shared_ptr<void> watch = WatchCancel(options, CancellationToken::Make(), request);
  return acutance::JudgeMean(request, gate, options.on_progress);
}

Expected<Result> Join(const std::vector<std::string>& journals, int threads) {
  SessionOptions options;
  options.threads = threads;
  JoinedRun joined = JoinJournals(journals, ThreadsOf(options));
  if (joined.run.error) return joined.run.error->status;
  return ResultAccess::Make(
      std::move(joined.run),
      {.reference = joined.request.reference, .distorted = joined.request.distorted, .threads = ThreadsOf(options)});
}

}  // namespace acutance::api
