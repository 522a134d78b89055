#include "engine/session.h"

#include <algorithm>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/threads/parallel_for.h"
#include "engine/memory_budget.h"

namespace acutance {

Session::Session(SessionSpec spec, BoundRequests bound)
    : spec_(std::move(spec)),
      bound_(std::move(bound)),
      log_(spec_.on_warning),
      output_(bound_, spec_),
      jobs_([this] {
        return std::make_unique<FrameJob>(bound_.features, *workspaces_, *pool_,
                                          [this](std::shared_ptr<FrameJob> done) { OnFramesDone({std::move(done)}); });
      }),
      devices_(
          spec_, [this](const std::string& warning) { log_.Warn(warning); },
          [this](Jobs jobs) { OnFramesDone(std::move(jobs)); }, [this](Status status) { Fail(std::move(status)); }) {}

/// The devices' threads use the pool, and the pool's threads use everything else. Tasks that have not begun are
/// dropped.
Session::~Session() {
  devices_.Stop();
  if (pool_) pool_->Drop();  // its tasks use the pool
}

Result<std::unique_ptr<Session>> Session::Open(SessionSpec spec) {
  ACU_ASSIGN_OR_RETURN(BoundRequests bound, Bind(spec));
  std::unique_ptr<Session> session(new Session(std::move(spec), std::move(bound)));
  ACU_RETURN_IF_ERROR(session->MakeMetrics());
  ACU_RETURN_IF_ERROR(session->ChooseDevices());
  ACU_RETURN_IF_ERROR(session->StartThreads());
  for (const std::string& warning : session->bound_.features.ignored()) session->log_.Warn(warning);
  ACU_RETURN_IF_ERROR(session->Restore());
  return session;
}

Status Session::MakeMetrics() {
  FeatureSet& features = bound_.features;
  ACU_RETURN_IF_ERROR(features.Describe(spec_.video));
  ACU_RETURN_IF_ERROR(spec_.format.bit_depth == kFloatDepth ? CheckPictureSize(spec_.format)
                                                            : CheckPictureFormat(spec_.format));
  ACU_RETURN_IF_ERROR(features.MakeExtractors(spec_.format));
  reference_history_ = features.History(Video::kReference);
  distorted_history_ = features.History(Video::kDistorted);
  runs_ = FrameRuns(features, spec_.subsample);
  workspaces_ = std::make_unique<WorkspacePool>(features, spec_.threads);
  return output_.Open([this](int count, const std::function<void(int)>& work) {
    constexpr int kMostHelpers = 12;  // waking more takes longer than it saves
    return ParallelFor(*pool_, kMostHelpers, count, work, /*urgent=*/true);
  });
}

/// Also bounds the frames in flight, which devices take memory for.
Status Session::ChooseDevices() {
  std::erase_if(spec_.conversions, [&](const VideoConversion& video) {
    return !spec_.devices || !bound_.RunsOnDevice() || video.scaling->is_identity();
  });
  ACU_ASSIGN_OR_RETURN(most_frames_, MemoryBudget(bound_.features, spec_).MostFrames());
  ACU_RETURN_IF_ERROR(devices_.Choose(bound_.features, most_frames_));
  if (!devices_.has_devices()) spec_.conversions.clear();
  LimitFramesInFlight();
  return {};
}

void Session::LimitFramesInFlight() {
  const int most = std::min(std::max(spec_.threads, devices_.frames_in_flight()), most_frames_ - 1);  // Add begins one
  in_flight_.SetLimits(most, devices_.has_devices() ? most * 3 / 4 : most);
}

Status Session::StartThreads() {
  devices_end_frames_ = devices_.has_devices() || devices_.may_join();
  // Frames end on the devices' threads too, so nothing may run in the caller's.
  pool_ = std::make_unique<ThreadPool>(
      spec_.threads, devices_end_frames_ ? ThreadPool::Mode::kThreads : ThreadPool::Mode::kInlineIfOne,
      [this](Status status) { Fail(std::move(status)); });
  if (devices_end_frames_ && pool_->is_inline()) {
    if (devices_.has_devices())
      return Error(StatusCode::kOutOfMemory, "could not start the threads that devices need; use --backend cpu");
    devices_.Stop();  // none joins later
    devices_end_frames_ = false;
  }
  return devices_.Start(*pool_);
}

/// Writes the scores of restored frames, several at a time.
Status Session::Restore() {
  constexpr size_t kAtOnce = 256;
  first_index_ = spec_.first_frame;
  std::vector<FrameResults> room(spec_.restored ? kAtOnce : 0);
  std::vector<FrameResults*> frames;
  for (bool more = spec_.restored != nullptr; more;) {
    frames.clear();
    while (more && frames.size() < kAtOnce) {
      FrameResults& frame = room[frames.size()];
      frame.Assign(bound_.features, runs_.Of(first_index_), first_index_, spec_.distorted_count);
      ACU_ASSIGN_OR_RETURN(more, spec_.restored(frame));
      if (!more) break;
      frames.push_back(&frame);
      ++first_index_;
    }
    if (!frames.empty()) ACU_RETURN_IF_ERROR(output_.Restore(frames));
  }
  next_index_ = std::max<int64_t>(0, first_index_ - std::max(reference_history_, distorted_history_));
  in_flight_.StartAt(first_index_);
  return {};
}

bool Session::RunsOnCpu() const {
  return std::ranges::any_of(bound_.features.runs(), [](const MetricRun& run) { return !run.on_device; });
}

/// For failures that may lose frames in flight: nothing waits for them any more.
void Session::Fail(Status status) {
  Record(std::move(status));
  in_flight_.Stop();
}

void Session::Record(Status status) {
  if (status.ok()) return;
  if (log_.Fail(std::move(status)) && spec_.on_failure) spec_.on_failure(log_.status());
}

void Session::Cancel() { Fail(Error(StatusCode::kCancelled, "cancelled")); }

Status Session::CheckPictures(const Picture& reference, const std::vector<Picture>& distorted) const {
  if (static_cast<int>(distorted.size()) != spec_.distorted_count)
    return Error(StatusCode::kInvalidArgument, "{} distorted pictures for {} distorted videos", distorted.size(),
                 spec_.distorted_count);
  const auto fits = [&](const Picture& picture) { return picture.format == spec_.format; };
  if (!fits(reference) || !std::ranges::all_of(distorted, fits))
    return Error(StatusCode::kInvalidArgument, "frame {}: its size, pixel format or bit depth is not the session's",
                 next_index_);
  const auto lies_on_device = [](const Picture& picture) { return picture.device_planes[0].address != 0; };
  if (devices_.has_devices() && (lies_on_device(reference) || std::ranges::any_of(distorted, lies_on_device)))
    return devices_.WaitForClients();
  return {};
}

Status Session::Add(Picture reference, std::vector<Picture> distorted, const PictureKey& identity) {
  if (is_flushed_) return Error(StatusCode::kInvalidArgument, "no frame can be added to a session that was flushed");
  ACU_RETURN_IF_ERROR(CheckPictures(reference, distorted));
  Status status = CatchExceptions([&] { return AddFrame(std::move(reference), std::move(distorted), identity); });
  if (!status.ok()) Fail(status);
  return status;
}

Status Session::AddFrame(Picture reference, std::vector<Picture> distorted, const PictureKey& identity) {
  const bool is_scored = next_index_ >= first_index_;
  if (is_scored) BeginFrame();
  ACU_RETURN_IF_ERROR(log_.status());
  std::shared_ptr<FrameJob> job = is_scored ? jobs_.Take() : nullptr;
  FramePictures own = MakeFrame(std::move(reference), std::move(distorted));
  own.identity = identity;
  FrameJob::Inputs inputs = {next_index_, {earlier_.begin(), earlier_.end()}};
  Remember(own);
  inputs.pictures.insert(inputs.pictures.begin(), std::move(own));
  if (job) job->Assign(std::move(inputs), runs_.Of(next_index_));
  ++next_index_;
  if (!job) return {};
  job->Start();
  if (job->has_device_work()) devices_.Add(std::move(job));
  return {};
}

/// Waits until there is room for a frame. Devices that join later do so between two frames.
void Session::BeginFrame() {
  if (!devices_.may_join()) return in_flight_.Begin();
  {
    const TimeSum::Scope time(waiting_);
    in_flight_.Begin();
  }
  if (devices_.Join(waiting_.seconds(), *pool_)) LimitFramesInFlight();
}

VideoPicture Session::MakeVideoPicture(Video video, Picture picture) const {
  const size_t derived = bound_.features.derived(video).size();
  return {std::move(picture), derived > 0 ? std::make_shared<DerivedPictures>(derived, derived_pool_) : nullptr};
}

FramePictures Session::MakeFrame(Picture reference, std::vector<Picture> distorted) const {
  FramePictures frame = {MakeVideoPicture(Video::kReference, std::move(reference)), {}};
  for (Picture& picture : distorted) frame.distorted.push_back(MakeVideoPicture(Video::kDistorted, std::move(picture)));
  return frame;
}

/// Retains pictures that later frames read.
void Session::Remember(const FramePictures& frame) {
  const size_t history = std::max(reference_history_, distorted_history_);
  if (history == 0) return;
  if (distorted_history_ > 0) earlier_.push_front(frame);
  else earlier_.push_front({frame.reference, {}});
  if (earlier_.size() > history) earlier_.pop_back();
}

void Session::OnFramesDone(Jobs jobs) {
  for (const auto& job : jobs) job->DropInputs();
  if (!in_flight_.End(std::move(jobs))) return;
  // A device's thread must not be held up: its next batch waits.
  if (!devices_end_frames_) WriteReady();
  else pool_->Submit([this](int) { WriteReady(); }, /*urgent=*/true);
}

void Session::WriteReady() {
  for (Jobs jobs = in_flight_.TakeReady(); !jobs.empty(); jobs = in_flight_.TakeReady()) {
    if (!log_.ok()) continue;
    std::vector<FrameResults*> results;
    results.reserve(jobs.size());
    for (const auto& job : jobs) results.push_back(&job->results());
    Record(output_.Write(results));
  }
}

Status Session::WaitForAll() {
  in_flight_.WaitUntilWritten(frames_added());
  return log_.status();
}

Status Session::Flush() {
  if (is_flushed_) return Error(StatusCode::kInvalidArgument, "a session is flushed once");
  if (frames_added() == 0) return Error(StatusCode::kInvalidArgument, "there is no frame to score");
  is_flushed_ = true;
  devices_.Drain();
  ACU_RETURN_IF_ERROR(WaitForAll());
  Result<std::vector<std::string>> undefined = output_.Flush(frames_added());
  if (!undefined.ok()) log_.Fail(undefined.status());
  else
    for (const std::string& warning : *undefined) log_.Warn(warning);
  return log_.status();
}

/// Flush has waited for all frames, so that no other thread uses what begins anew.
Status Session::Restart() {
  if (!is_flushed_ || spec_.restored || spec_.first_frame > 0)
    return Error(StatusCode::kInvalidArgument, "a session restarts after its flush, where it scored from frame 0 on");
  ACU_RETURN_IF_ERROR(log_.status());
  ACU_RETURN_IF_ERROR(output_.Restart());
  earlier_.clear();
  next_index_ = 0;
  in_flight_.StartAt(0);
  devices_.Resume();
  is_flushed_ = false;
  return {};
}

}  // namespace acutance
