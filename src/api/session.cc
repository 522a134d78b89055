#include "engine/session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "api/access.h"
#include "base/system/process.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"
#include "devices/backends.h"
#include "engine/artifact_files.h"
#include "run/score_run.h"

namespace acutance::api {

struct Session::State {
  std::string backend;
  int videos = 1;
  int threads = 1;
  bool needs_chroma = false;
  std::atomic<int64_t> frames_added = 0;
  std::atomic<acutance::Session*> opened = nullptr;  // `session`, for threads that only read

  const ProcessGuard process;
  std::mutex mutex;  // of Start, Add and Finish; guards what follows
  bool started = false;
  SessionSpec spec;
  std::unique_ptr<acutance::Session> session;  // from the first picture or Start on
  std::chrono::steady_clock::time_point begin;
  Status error;  // sticky

  Status Start(const PictureFormat& wanted);
  Status CheckDevice(const Picture& picture) const;
  Status Add(const Picture& reference, std::span<const Picture> distorted);
};

namespace {

using Clock = std::chrono::steady_clock;

bool LacksChroma(const Picture& picture) { return picture.format().PlaneCount() > 1 && !picture.has_plane(1); }

}  // namespace

/// Whether the session can read a picture in place.
Status Session::State::CheckDevice(const Picture& picture) const {
  if (!picture.on_device()) return {};
  const Backend *chosen = FindBackend(backend), *owner = FindContextBackend();
  if (!chosen || !chosen->adopts_pictures)
    return Error(StatusCode::kUnsupported,
                 "frame {}: a picture in a device's memory, in a session of backend=\"{}\"; make the session with "
                 "backend=\"{}\", or copy the picture to the host (torch: .cpu(), cupy: .get())",
                 session->frames_added(), backend, owner ? owner->name : "");
  if (session->RunsOnCpu())
    return Error(StatusCode::kUnsupported,
                 "a feature of this session has no kernels and runs on the CPU, which cannot read a device's memory; "
                 "copy the pictures to the host");
  if (const int index = session->device()->index; index != *picture.device())
    return Error(StatusCode::kInvalidArgument,
                 "frame {}: a picture lies on device {}, but the session works on device {}; choose device {}",
                 session->frames_added(), *picture.device(), index, *picture.device());
  return {};
}

Status Session::State::Start(const PictureFormat& wanted) {
  if (started)
    return Error(StatusCode::kInvalidArgument, "a session is started once, at the latest by its first picture");
  started = true;
  spec.format = wanted;
  begin = Clock::now();
  error = CatchExceptions([&]() -> Status {
    ACU_ASSIGN_OR_RETURN(session, acutance::Session::Open(spec));
    opened = session.get();
    return {};
  });
  return error;
}

Status Session::State::Add(const Picture& reference, std::span<const Picture> distorted) {
  if (!error.ok()) return error;
  if (!started) ACU_RETURN_IF_ERROR(Start(reference.format()));
  if (needs_chroma && (LacksChroma(reference) || std::ranges::any_of(distorted, LacksChroma)))
    return Error(StatusCode::kInvalidArgument, "frame {}: a feature reads chroma, but the picture is luma alone",
                 session->frames_added());
  ACU_RETURN_IF_ERROR(CheckDevice(reference));
  for (const Picture& picture : distorted) ACU_RETURN_IF_ERROR(CheckDevice(picture));
  std::vector<acutance::Picture> others;
  for (const Picture& picture : distorted) others.push_back(ToEngine(picture));
  ACU_RETURN_IF_ERROR(session->Add(ToEngine(reference), std::move(others)));
  ++frames_added;
  return {};
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&& other) noexcept {
  if (this != &other) {
    Leave();
    state_ = std::move(other.state_);
  }
  return *this;
}
Session::~Session() { Leave(); }

/// A forked child has none of the threads that would be joined.
void Session::Leave() {
  if (state_ && state_->process.forked()) (void)state_.release();
  state_.reset();
}

Expected<Session> Session::Create(const SessionOptions& options) {
  SessionSpec engine;
  engine.models = ToEngine(options.models);
  engine.features = ToEngine(options.features);
  engine.threads = ThreadsOf(options);
  engine.subsample = options.subsample;
  engine.frames = options.frames;
  engine.video = options.declared;
  if (options.frame_rate) engine.video["fps"] = fmt::format("{}", *options.frame_rate);
  engine.distorted_count = options.videos;
  engine.max_memory = options.max_memory;
  engine.max_device_memory = options.max_device_memory;
  ACU_ASSIGN_OR_RETURN(engine.devices, MakeDevicePicker(ChoiceOf(options)));
  ACU_RETURN_IF_ERROR(CheckMaps(options));
  engine.on_artifact = SinkOf(options);
  if (!options.maps.empty()) {
    ACU_ASSIGN_OR_RETURN(engine.on_artifact, MakeMapFiles(options.maps, options.videos));
  }
  ACU_ASSIGN_OR_RETURN(const SessionNeeds needs, FindNeeds(engine));
  auto state = std::make_unique<State>();
  state->spec = std::move(engine);
  state->backend = options.backend;
  state->videos = options.videos;
  state->threads = ThreadsOf(options);
  state->needs_chroma = needs.chroma;
  return Session(std::move(state));
}

bool Session::NeedsChroma() const { return state_->needs_chroma; }
Status Session::Start(const PictureFormat& format) {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  return state_->Start(format);
}

Status Session::Add(const Picture& reference, const Picture& distorted) {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  return state_->Add(reference, {&distorted, 1});
}

Status Session::Add(const Picture& reference, const std::vector<Picture>& distorted) {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  return state_->Add(reference, distorted);
}

int64_t Session::frames_added() const { return state_->frames_added; }
/// In a forked child a lock may be held forever by a thread of the parent.
int64_t Session::frames_done() const {
  const acutance::Session* const session = state_->opened;
  return state_->process.forked() || !session ? 0 : session->frames_done();
}

std::optional<double> Session::Score(std::string_view name, int64_t frame, int video) const {
  std::optional<double> score;
  const acutance::Session* const session = state_->opened;
  if (state_->process.forked() || !session || video < 0 || video >= state_->videos) return score;
  session->ReadScores(video, [&](const ScoreTable& table) {
    const auto named = [&](const ScoreTable::Column& column) { return column.stored == name || column.shown == name; };
    const auto found = std::ranges::find_if(table.columns(), named);
    if (found != table.columns().end() && frame >= 0 && frame < static_cast<int64_t>(found->scores.size()))
      score = found->scores[frame];
  });
  return score;
}

Expected<Result> Session::Finish() {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  if (!state_->session)
    return state_->error.ok() ? Error(StatusCode::kInvalidArgument, "there is no frame to score") : state_->error;
  ACU_RETURN_IF_ERROR(state_->session->Flush());
  const double seconds = std::chrono::duration<double>(Clock::now() - state_->begin).count();
  ScoredRun run;
  run.format = state_->spec.format;
  run.seconds = seconds;
  run.warnings = state_->session->warnings();
  ResultAccess::Names names{.reference = "reference", .distorted = {}, .threads = state_->threads};
  for (int v = 0; v < state_->videos; ++v)
    names.distorted.push_back(state_->videos == 1 ? "distorted" : fmt::format("distorted {}", v + 1));
  run.frames = state_->session->frames_added();
  run.session = {std::shared_ptr<void>(), state_->session.get()};  // which stays this object's
  run.encodes = EncodesOf(run.session, run);
  return ResultAccess::Make(std::move(run), std::move(names));
}

Status Session::Restart() {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  if (!state_->error.ok()) return state_->error;
  if (!state_->session || state_->spec.on_artifact)
    return Error(StatusCode::kInvalidArgument, "a session restarts after Finish, and where it writes no maps");
  ACU_RETURN_IF_ERROR(state_->session->Restart());
  state_->frames_added = 0;
  state_->begin = Clock::now();
  return {};
}

std::vector<FeatureRequest> ToEngine(const std::vector<Feature>& features) {
  std::vector<FeatureRequest> requests;
  requests.reserve(features.size());
  for (const Feature& feature : features) requests.push_back({feature.name, feature.options});
  return requests;
}

std::vector<ModelRequest> ToEngine(const std::vector<Model>& models) {
  std::vector<ModelRequest> requests;
  requests.reserve(models.size());
  for (const Model& model : models) requests.push_back(ModelAccess::Request(model));
  return requests;
}

ArtifactSink SinkOf(const SessionOptions& options) {
  if (!options.on_artifact) return nullptr;
  return [call = options.on_artifact](const acutance::Artifact& artifact) -> Status {
    const auto& format = artifact.picture.format;
    const auto& samples = artifact.picture.planes[0];
    const Status status = call({.name = artifact.name,
                                .frame = artifact.frame,
                                .video = artifact.distorted,
                                .width = format.width,
                                .height = format.height,
                                .bits = format.BytesPerSample() * 8,
                                .bit_depth = format.bit_depth,
                                .data = samples.data,
                                .stride = samples.stride});
    return status;
  };
}

Status CheckMaps(const SessionOptions& options) {
  if (options.maps.empty() || !options.on_artifact) return {};
  return Error(StatusCode::kInvalidArgument, "maps and on_artifact: artifacts go to one of them");
}

DeviceChoice ChoiceOf(const SessionOptions& options) { return {options.backend, options.device, {}}; }

int ThreadsOf(const SessionOptions& options) {
  if (options.threads != 0) return options.threads;
  return UsableCpus();
}

}  // namespace acutance::api
