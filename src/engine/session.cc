#include "engine/session.h"

#include <algorithm>
#include <utility>

#include "base/environment.h"
#include "base/int_math.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"
#include "engine/share_work.h"

namespace acutance {

Session::Session(SessionSpec spec, BoundRequests bound)
    : spec_(std::move(spec)),
      bound_(std::move(bound)),
      jobs_([this] {
        return std::make_unique<FrameJob>(bound_.features, *workspaces_, *pool_,
                                          [this](std::shared_ptr<FrameJob> done) { OnFramesDone({std::move(done)}); });
      }),
      crew_(CrewSettings()),
      writer_(bound_.features, bound_.models, spec_.subsample) {}

/// The devices' threads use the pool, and the pool's threads everything else. What has not begun is dropped.
Session::~Session() {
  crew_.Stop();
  if (pool_) pool_->Drop();  // its tasks use the pool
}

DeviceScheduler::Settings Session::CrewSettings() {
  return {.distorted_count = spec_.distorted_count,
          .subsample = spec_.subsample,
          .threads = spec_.threads,
          .devices = spec_.devices,
          .kept = spec_.device_cache,
          .max_memory = spec_.max_device_memory,
          .verify = spec_.verify,
          .warn = [this](const std::string& warning) { Warn(warning); },
          .done = [this](Jobs jobs) { OnFramesDone(std::move(jobs)); },
          .fail = [this](Status status) { Fail(std::move(status)); }};
}

Result<std::unique_ptr<Session>> Session::Open(SessionSpec spec) {
  ACU_ASSIGN_OR_RETURN(BoundRequests bound, Bind(spec));
  std::unique_ptr<Session> session(new Session(std::move(spec), std::move(bound)));
  ACU_RETURN_IF_ERROR(session->Start());
  ACU_RETURN_IF_ERROR(session->Restore());
  return session;
}

Status Session::CheckArtifacts() const {
  const auto has_artifacts = [](const MetricRun& run) { return !run.extractor->spec().artifacts.empty(); };
  if (!spec_.on_artifact || std::ranges::any_of(bound_.features.runs(), has_artifacts)) return {};
  return Error(StatusCode::kInvalidArgument,
               "maps were asked for, and none of the features has any; add one that has, such as cambi");
}

Status Session::Start() {
  const PictureFormat& format = spec_.format;
  ACU_RETURN_IF_ERROR(bound_.features.Describe(spec_.video));
  ACU_RETURN_IF_ERROR(format.bit_depth == kFloatDepth ? CheckPictureSize(format) : CheckPictureFormat(format));
  ACU_RETURN_IF_ERROR(bound_.features.MakeExtractors(format));
  ACU_RETURN_IF_ERROR(CheckArtifacts());
  ACU_RETURN_IF_ERROR(raw_artifacts_.Open(bound_.features, spec_.distorted_count));
  reference_history_ = bound_.features.History(Video::kReference);
  distorted_history_ = bound_.features.History(Video::kDistorted);
  runs_ = FrameRuns(bound_.features, spec_.subsample);
  const auto share = [this](int count, const std::function<void(int)>& work) {
    return ShareWork(*pool_, count, work, /*urgent=*/true);
  };
  ACU_RETURN_IF_ERROR(writer_.Start(spec_.distorted_count, share));
  means_.assign(bound_.models.size(), std::vector<std::optional<double>>(spec_.distorted_count));
  workspaces_ = std::make_unique<WorkspacePool>(bound_.features, spec_.threads);
  std::erase_if(spec_.conversions, [&](const VideoConversion& video) {
    return !spec_.devices || !bound_.RunsOnDevice() || video.scaling->KeepsAll();
  });
  ACU_ASSIGN_OR_RETURN(const int most_frames, MostFrames());
  ACU_RETURN_IF_ERROR(crew_.Choose(bound_.features, format, spec_.conversions, most_frames));
  if (!crew_.has_devices()) spec_.conversions.clear();
  // Add begins one more.
  most_in_flight_ = std::min(std::max(spec_.threads, crew_.frames_in_flight()), most_frames - 1);
  resume_at_ = crew_.has_devices() ? most_in_flight_ * 3 / 4 : most_in_flight_;
  // Frames end on the devices' threads too, so nothing may run in the caller's.
  pool_ = std::make_unique<ThreadPool>(
      spec_.threads, crew_.has_devices() ? ThreadPool::Mode::kThreads : ThreadPool::Mode::kInlineIfOne,
      [this](Status status) { Fail(std::move(status)); });
  if (crew_.has_devices() && pool_->is_inline())
    return Error(StatusCode::kOutOfMemory, "the system starts no threads, which devices need; use --backend cpu");
  ACU_RETURN_IF_ERROR(crew_.Start(*pool_, RunsOnCpu()));
  for (const std::string& warning : bound_.features.ignored()) Warn(warning);
  return {};
}

namespace {

size_t BytesOf(const PictureFormat& format) {
  size_t samples = 0;
  for (int p = 0; p < format.PlaneCount(); ++p)
    samples += static_cast<size_t>(format.PlaneWidth(p)) * format.PlaneHeight(p);
  return samples * format.BytesPerSample();
}

}  // namespace

/// The bytes of a frame's pictures, those of all videos, as far as metrics read them, of what is derived from them and
/// of those that they are made of.
size_t Session::PairBytes() const {
  size_t samples = 0;
  for (int p = 0; p < (bound_.features.NeedsChroma() ? spec_.format.PlaneCount() : 1); ++p)
    samples += static_cast<size_t>(spec_.format.PlaneWidth(p)) * spec_.format.PlaneHeight(p);
  size_t bytes = samples * spec_.format.BytesPerSample() * (1 + spec_.distorted_count);
  for (const Video video : {Video::kReference, Video::kDistorted})
    for (const auto& derived : bound_.features.derived(video))
      bytes += BytesOf(derived->Format(spec_.format)) * (video == Video::kReference ? 1 : spec_.distorted_count);
  for (const VideoConversion& video : spec_.conversions) bytes += BytesOf(video.scaling->source_format());
  return bytes;
}

/// What features take of the host's memory for a frame, about: VIF and ADM keep 1.3 and 1.5 bytes a sample.
size_t Session::WorkBytes() const {
  constexpr size_t kBytesPerSample = 2;
  const auto is_on_cpu = [&](const MetricRun& run) { return !spec_.devices || !run.HasPlan(); };
  const size_t runs = std::ranges::count_if(bound_.features.runs(), is_on_cpu);
  return static_cast<size_t>(spec_.format.width) * spec_.format.height * kBytesPerSample * runs * spec_.distorted_count;
}

/// The frames that the limit on memory has room for.
Result<int> Session::MostFrames() const {
  constexpr size_t kMegabyte = 1'000'000, kNoLimit = 1 << 20;
  std::optional<size_t> memory = spec_.max_memory;
  if (!memory && AvailableMemory()) memory = *AvailableMemory() / 2;
  if (!memory) return static_cast<int>(kNoLimit);
  const size_t held = PairBytes() * (std::max(reference_history_, distorted_history_) + spec_.read_ahead),
               frame = PairBytes() + WorkBytes();
  const size_t left = *memory - std::min(*memory, held);
  if (left >= frame || !spec_.max_memory) return static_cast<int>(std::clamp<size_t>(left / frame, 1, kNoLimit));
  const auto megabytes = [](size_t bytes) { return CeilDiv(bytes, kMegabyte); };
  return Error(StatusCode::kOutOfMemory,
               "{} MB of memory are needed to score one frame of {}x{}: {} MB for its pictures, {} MB for the features "
               "and {} MB for pictures before it and those read ahead; {} MB are allowed",
               megabytes(PairBytes()) + megabytes(WorkBytes()) + megabytes(held), spec_.format.width,
               spec_.format.height, megabytes(PairBytes()), megabytes(WorkBytes()), megabytes(held),
               *memory / kMegabyte);
}

bool Session::RunsOnCpu() const {
  return std::ranges::any_of(bound_.features.runs(), [](const MetricRun& run) { return !run.on_device; });
}

void Session::Warn(const std::string& warning) {
  {
    std::lock_guard lock(mutex_);
    warnings_.push_back(warning);
  }
  if (spec_.on_warning) spec_.on_warning(warning);
}

/// Serves failures after which frames in flight may be lost: nothing waits for them any more.
void Session::Fail(Status status) {
  {
    const std::lock_guard lock(mutex_);
    // It is moved, not copied: there may be no memory for a copy.
    if (error_.ok()) error_ = std::move(status);
    failed_ = true;
  }
  progressed_.notify_all();
}

void Session::Cancel() { Fail(Error(StatusCode::kCancelled, "cancelled")); }

std::vector<std::string> Session::warnings() const {
  std::lock_guard lock(mutex_);
  return warnings_;
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
    if (!frames.empty()) ACU_RETURN_IF_ERROR(writer_.Write(frames));
  }
  PublishMeans();
  next_index_ = std::max<int64_t>(0, first_index_ - std::max(reference_history_, distorted_history_));
  next_to_write_ = first_index_;
  done_.StartAt(first_index_);
  return {};
}

Status Session::CheckPictures(const Picture& reference, const std::vector<Picture>& distorted) const {
  if (static_cast<int>(distorted.size()) != spec_.distorted_count)
    return Error(StatusCode::kInvalidArgument, "{} distorted pictures for {} distorted videos", distorted.size(),
                 spec_.distorted_count);
  const auto fits = [&](const Picture& picture) { return picture.format == spec_.format; };
  if (!fits(reference) || !std::ranges::all_of(distorted, fits))
    return Error(StatusCode::kInvalidArgument, "frame {}: its size, pixel format or bit depth is not the session's",
                 next_index_);
  const auto lies_on_device = [](const Picture& picture) { return picture.device_planes[0].address != 0; };
  if (crew_.has_devices() && (lies_on_device(reference) || std::ranges::any_of(distorted, lies_on_device)))
    return crew_.WaitForClients();
  return {};
}

/// Waits while too many frames are in flight, then counts one more.
Status Session::WaitForRoom() {
  std::unique_lock lock(mutex_);
  const auto has_room = [&] { return failed_ || (in_flight_ <= most_in_flight_ && !done_.IsFull()); };
  waited_for_ = !has_room();
  progressed_.wait(lock, has_room);
  waited_for_ = false;
  if (error_.ok()) ++in_flight_;
  return error_;
}

Status Session::Add(Picture reference, std::vector<Picture> distorted, const PictureKey& identity) {
  if (flushed_) return Error(StatusCode::kInvalidArgument, "no frame can be added to a session that was flushed");
  ACU_RETURN_IF_ERROR(CheckPictures(reference, distorted));
  Status status = CatchExceptions([&] { return AddFrame(std::move(reference), std::move(distorted), identity); });
  if (!status.ok()) Fail(status);
  return status;
}

Status Session::AddFrame(Picture reference, std::vector<Picture> distorted, const PictureKey& identity) {
  if (next_index_ < first_index_) {
    Remember(MakeFrame(std::move(reference), std::move(distorted)));
    ++next_index_;
    return {};
  }
  if (crew_.MayHelp() && DevicesAreBehind()) crew_.Help();
  ACU_RETURN_IF_ERROR(WaitForRoom());
  std::shared_ptr<FrameJob> job = jobs_.Take();
  FramePictures own = MakeFrame(std::move(reference), std::move(distorted));
  own.identity = identity;
  FrameJob::Inputs inputs = {next_index_, {earlier_.begin(), earlier_.end()}};
  Remember(own);
  inputs.pictures.insert(inputs.pictures.begin(), std::move(own));
  job->Assign(std::move(inputs), runs_.Of(next_index_));
  ++next_index_;
  job->Start();
  if (job->has_device_work()) crew_.Add(std::move(job));
  return {};
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

/// Keeps what later frames read.
void Session::Remember(const FramePictures& frame) {
  const size_t history = std::max(reference_history_, distorted_history_);
  if (history == 0) return;
  if (distorted_history_ > 0) earlier_.push_front(frame);
  else earlier_.push_front({frame.reference, {}});
  if (earlier_.size() > history) earlier_.pop_back();
}

bool Session::DevicesAreBehind() const {
  const std::lock_guard lock(mutex_);
  return in_flight_ > most_in_flight_;
}

void Session::OnFramesDone(Jobs jobs) {
  if (crew_.MayHelp()) crew_.Count(jobs);
  for (const auto& job : jobs) job->DropInputs();
  std::unique_lock lock(mutex_);
  in_flight_ -= static_cast<int>(jobs.size());
  done_.Put(std::move(jobs));
  const bool write = !writing_ && done_.IsReady();
  writing_ |= write;
  const bool notify = waited_for_ && in_flight_ <= resume_at_;
  lock.unlock();
  if (notify) progressed_.notify_all();
  if (!write) return;
  // A device's thread has its next batch to look after.
  if (!crew_.has_devices()) WriteReady();
  else pool_->Submit([this](int) { WriteReady(); }, /*urgent=*/true);
}

/// Writes the frames that are ready, also those that become ready meanwhile.
void Session::WriteReady() {
  std::unique_lock lock(mutex_);
  for (Jobs jobs = done_.Take(); !jobs.empty(); jobs = done_.Take()) {
    const bool goes_on = error_.ok();
    lock.unlock();
    const int64_t frames = jobs.back()->index() + 1;
    Status status = goes_on ? Write(jobs) : Status();
    jobs.clear();
    lock.lock();
    if (error_.ok()) error_ = std::move(status);
    next_to_write_ = frames;
    PublishMeans();
    if (waited_for_ && in_flight_ <= resume_at_) progressed_.notify_all();
  }
  writing_ = false;
}

void Session::CallTaps(const FrameResults& frame) const {
  for (size_t t = 0; t < spec_.taps.size(); ++t)
    for (const RunResult& result : frame.runs)
      if (result.run == bound_.tap_runs[t]) spec_.taps[t].on_result(result);
}

Status Session::Write(const Jobs& jobs) {
  std::vector<FrameResults*> results;
  results.reserve(jobs.size());
  for (const auto& job : jobs) results.push_back(&job->results());
  const std::lock_guard writer_lock(writer_mutex_);
  ACU_RETURN_IF_ERROR(writer_.Finish(results));
  for (const FrameResults* frame : results) CallTaps(*frame);
  for (FrameResults* frame : results) ACU_RETURN_IF_ERROR(DeliverArtifacts(*frame));
  if (spec_.on_results) ACU_RETURN_IF_ERROR(spec_.on_results(results));
  return spec_.writes_scores ? writer_.Write(results) : Status();
}

/// Hands out a frame's artifacts and frees them.
Status Session::DeliverArtifacts(FrameResults& frame) {
  for (RunResult& result : frame.runs) {
    const MetricRun& run = bound_.features.runs()[result.run];
    ACU_RETURN_IF_ERROR(raw_artifacts_.Write(*run.extractor, result, frame.index));
    const std::vector<ArtifactSpec>& artifacts = run.extractor->spec().artifacts;
    for (size_t i = 0; i < result.artifacts.size() && spec_.on_artifact; ++i)
      ACU_RETURN_IF_ERROR(spec_.on_artifact({.name = std::string(artifacts[i].name) + run.options.KeySuffix(),
                                             .frame = frame.index,
                                             .distorted = result.distorted,
                                             .picture = result.artifacts[i].Share()}));
    result.artifacts.clear();
  }
  return {};
}

void Session::PublishMeans() {
  for (int m = 0; m < static_cast<int>(means_.size()); ++m)
    for (int d = 0; d < spec_.distorted_count; ++d) means_[m][d] = writer_.RunningMean(d, m);
}

Status Session::WaitForAll() {
  std::unique_lock lock(mutex_);
  waited_for_ = true;
  progressed_.wait(lock, [&] { return failed_ || next_to_write_ == frames_added(); });
  waited_for_ = false;
  return error_;
}

Status Session::Flush() {
  if (flushed_) return Error(StatusCode::kInvalidArgument, "a session is flushed once");
  if (frames_added() == 0) return Error(StatusCode::kInvalidArgument, "there is no frame to score");
  flushed_ = true;
  crew_.Drain();
  ACU_RETURN_IF_ERROR(WaitForAll());
  std::vector<std::string> undefined;
  {
    const std::lock_guard writer_lock(writer_mutex_);
    Status status = raw_artifacts_.Close();
    if (status.ok() && spec_.writes_scores) status = writer_.Flush(frames_added());
    if (status.ok() && spec_.writes_scores) undefined = writer_.Undefined();
    const std::lock_guard lock(mutex_);
    PublishMeans();
    if (error_.ok()) error_ = std::move(status);
  }
  for (const std::string& warning : undefined) Warn(warning);
  return error_;
}

int64_t Session::frames_done() const {
  std::lock_guard lock(mutex_);
  return next_to_write_;
}

void Session::ReadScores(int distorted, const std::function<void(const ScoreTable&)>& reader) const {
  const std::lock_guard lock(writer_mutex_);
  reader(writer_.table(distorted));
}

std::optional<double> Session::RunningMean(int distorted, int model) const {
  std::lock_guard lock(mutex_);
  return means_[model][distorted];
}

}  // namespace acutance
