#include "engine/session.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "engine/share_work.h"

namespace acutance {
namespace {

constexpr size_t kMostSpare = 1024;
constexpr size_t kMostUnwritten = 16384;  // frames done before one that is not, or before their scores are written

/// Where the CPU does nothing else, few threads copy faster than many; and all that spin while they wait, with the
/// lanes' own and the caller's, want a core.
int CopyThreads(ptrdiff_t lanes) {
  const ptrdiff_t cores = std::thread::hardware_concurrency(), others = DeviceLane::kThreads * lanes + 1;
  return static_cast<int>(std::clamp<ptrdiff_t>(cores - others, 1, kMostCopyThreads * lanes));
}

}  // namespace

Session::Session(SessionOptions options)
    : options_(std::move(options)), writer_(features_, models_, options_.subsample) {}

Session::~Session() {
  if (device_frames_) device_frames_->Stop();
}

Result<std::unique_ptr<Session>> Session::Create(SessionOptions options) {
  constexpr int kMaxThreads = 1024;
  if (options.threads < 1 || options.threads > kMaxThreads)
    return Error(StatusCode::kInvalidArgument, "{} threads: the number must be 1 to {}", options.threads, kMaxThreads);
  if (options.subsample < 1)
    return Error(StatusCode::kInvalidArgument, "subsample {}: the number must be at least 1", options.subsample);
  if (options.distorted_count < 1)
    return Error(StatusCode::kInvalidArgument, "a session needs at least one distorted video");
  std::unique_ptr<Session> session(new Session(std::move(options)));
  ACU_RETURN_IF_ERROR(session->BindRequests());
  return session;
}

Status Session::BindRequests() {
  for (const ModelRequest& request : options_.models) {
    ACU_ASSIGN_OR_RETURN(ModelRun model, ModelRun::Create(request, features_));
    models_.push_back(std::move(model));
  }
  for (const FeatureRequest& request : options_.features) {
    Result<int> run = features_.Add(request);
    if (!run.ok()) return run.status();
  }
  if (features_.runs().empty())
    return Error(StatusCode::kInvalidArgument, "nothing to compute: name a model or a feature");
  return {};
}

Status Session::Start(const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
  ACU_RETURN_IF_ERROR(features_.MakeExtractors(format));
  format_ = format;
  reference_history_ = features_.History(Video::kReference);
  distorted_history_ = features_.History(Video::kDistorted);
  for (int r = 0; r < static_cast<int>(features_.runs().size()); ++r) {
    const MetricRun& run = features_.runs()[r];
    all_runs_.push_back(r);
    if (run.metric->every_frame) runs_between_.push_back(r);
  }
  const auto share = [this](int count, const std::function<void(int)>& work) { SharePredictions(count, work); };
  ACU_RETURN_IF_ERROR(writer_.Start(options_.distorted_count, share));
  means_.assign(models_.size(), std::vector<std::optional<double>>(options_.distorted_count));
  workspaces_ = std::make_unique<WorkspacePool>(features_, options_.threads);
  ACU_RETURN_IF_ERROR(ChooseDevices(format));
  // Frames end on the lanes' threads too, so nothing may run in the caller's.
  pool_ = std::make_unique<ThreadPool>(options_.threads,
                                       lanes_.empty() ? ThreadPool::Mode::kInlineIfOne : ThreadPool::Mode::kThreads);
  if (!lanes_.empty() && !RunsOnCpu())
    copy_pool_ = std::make_unique<ThreadPool>(std::min(options_.threads, CopyThreads(std::ssize(lanes_))),
                                              ThreadPool::Mode::kThreads);
  help_.Start(CpuHelp::Clock::now());
  for (auto& lane : lanes_) lane->Start(*device_frames_);
  for (const std::string& warning : features_.ignored()) Warn(warning);
  return {};
}

bool Session::CanRunOnDevice() const {
  return std::ranges::all_of(features_.runs(), [](const MetricRun& run) { return run.metric->make_plan != nullptr; });
}

bool Session::RunsOnCpu() const {
  return std::ranges::any_of(features_.runs(), [](const MetricRun& run) { return !run.on_device; });
}

Status Session::ChooseDevices(const PictureFormat& format) {
  most_in_flight_ = resume_at_ = options_.threads;
  if (!options_.devices) return {};
  DevicePicker& picker = *options_.devices;
  const bool useful = std::ranges::any_of(features_.runs(), [](const MetricRun& run) { return run.metric->make_plan; });
  while (lanes_.empty() && useful) {
    std::vector<std::unique_ptr<Device>> devices = picker.NextGroup();
    if (devices.empty()) break;
    MakeLanes(std::move(devices), format);
  }
  if (lanes_.empty() && useful && !picker.cpu_is_allowed()) {
    std::vector<std::string> reasons = picker.notes();
    reasons.insert(reasons.end(), warnings_.begin(), warnings_.end());
    return Error(StatusCode::kNoDevice, "no device can run this: {}", fmt::join(reasons, "; "));
  }
  for (const std::string& refused : picker.refused()) Warn(refused);
  if (lanes_.empty()) return {};
  device_frames_ = std::make_unique<FrameQueue>(lanes_.front()->needs_history());
  for (int run : lanes_.front()->runs()) features_.runs()[run].on_device = true;
  int in_flight = 0;
  for (const auto& lane : lanes_) in_flight += lane->frames_in_flight();
  most_in_flight_ = std::max(most_in_flight_, in_flight);
  resume_at_ = most_in_flight_ * 3 / 4;
  return {};
}

void Session::MakeLanes(std::vector<std::unique_ptr<Device>> devices, const PictureFormat& format) {
  const LaneSettings settings = {
      .distorted_count = options_.distorted_count,
      .max_memory = options_.max_device_memory,
      .for_each =
          [this](int count, const std::function<void(int)>& work) {
            // The copying pool does batches in their order: a later one would wait for memory that an earlier one has.
            ShareWork(copy_pool_ ? *copy_pool_ : *pool_, count, work, /*urgent=*/!copy_pool_);
          },
      .warn = [this](const std::string& warning) { Warn(warning); },
      .done = [this](Jobs jobs) { OnFramesDone(std::move(jobs)); }};
  for (std::unique_ptr<Device>& device : devices) {
    const std::string name = fmt::format("{} device {}", device->info().backend, device->info().index);
    Result<std::unique_ptr<DeviceLane>> lane = DeviceLane::Make(std::move(device), features_, format, settings);
    if (lane.ok()) lanes_.push_back(std::move(lane).value());
    else Warn(fmt::format("{}: {}", name, lane.status().message()));
  }
}

void Session::Warn(const std::string& warning) {
  std::lock_guard lock(mutex_);
  warnings_.push_back(warning);
}

std::vector<std::string> Session::warnings() const {
  std::lock_guard lock(mutex_);
  return warnings_;
}

const std::vector<int>& Session::RunsOfFrame(int64_t index) const {
  return index % options_.subsample == 0 ? all_runs_ : runs_between_;
}

Status Session::Add(Picture reference, std::vector<Picture> distorted) {
  if (!pool_ || flushed_)
    return Error(StatusCode::kInvalidArgument, "frames can be added only between the start and the flush of a session");
  if (static_cast<int>(distorted.size()) != options_.distorted_count)
    return Error(StatusCode::kInvalidArgument, "{} distorted pictures for {} distorted videos", distorted.size(),
                 options_.distorted_count);
  const auto fits = [&](const Picture& picture) { return picture.format == format_; };
  if (!fits(reference) || !std::ranges::all_of(distorted, fits))
    return Error(StatusCode::kInvalidArgument, "frame {}: its size, pixel format or bit depth is not the session's",
                 next_index_);
  const auto lies_on_device = [](const Picture& picture) { return picture.device_planes[0].address != 0; };
  if (!lanes_.empty() && (lies_on_device(reference) || std::ranges::any_of(distorted, lies_on_device)))
    ACU_RETURN_IF_ERROR(lanes_.front()->WaitForClients());
  if (DevicesAreBehind()) HelpDevices();
  {
    std::unique_lock lock(mutex_);
    waited_for_ = in_flight_ > most_in_flight_ || done_.size() > kMostUnwritten;
    progressed_.wait(lock, [&] { return in_flight_ <= most_in_flight_ && done_.size() <= kMostUnwritten; });
    waited_for_ = false;
    if (!error_.ok()) return error_;
    ++in_flight_;
    if (own_spare_.empty()) own_spare_.swap(spare_);
  }
  std::shared_ptr<FrameJob> job = TakeJob();
  job->Assign(MakeInputs(std::move(reference), std::move(distorted)), RunsOfFrame(next_index_));
  ++next_index_;
  job->Start();
  if (job->has_device_work()) device_frames_->Add(std::move(job));
  return {};
}

VideoPicture Session::MakeVideoPicture(Video video, Picture picture) const {
  const size_t derived = features_.derived(video).size();
  return {std::move(picture), derived > 0 ? std::make_shared<DerivedPictures>(derived) : nullptr};
}

/// The next frame's pictures and those before it; keeps what later frames read.
FrameJob::Inputs Session::MakeInputs(Picture reference, std::vector<Picture> distorted) {
  FramePictures own = {MakeVideoPicture(Video::kReference, std::move(reference)), {}};
  for (Picture& picture : distorted) own.distorted.push_back(MakeVideoPicture(Video::kDistorted, std::move(picture)));
  FrameJob::Inputs inputs = {next_index_, {earlier_.begin(), earlier_.end()}};
  const size_t history = std::max(reference_history_, distorted_history_);
  if (history > 0) {
    if (distorted_history_ > 0) earlier_.push_front(own);
    else earlier_.push_front({own.reference, {}});
    if (earlier_.size() > history) earlier_.pop_back();
  }
  inputs.pictures.insert(inputs.pictures.begin(), std::move(own));
  return inputs;
}

std::shared_ptr<FrameJob> Session::TakeJob() {
  if (own_spare_.empty())
    return std::make_shared<FrameJob>(features_, *workspaces_, *pool_,
                                      [this](std::shared_ptr<FrameJob> done) { OnFramesDone({std::move(done)}); });
  std::shared_ptr<FrameJob> job = std::move(own_spare_.back());
  own_spare_.pop_back();
  return job;
}

bool Session::DevicesAreBehind() const {
  if (!device_frames_ || !options_.devices->is_automatic()) return false;
  const std::lock_guard lock(mutex_);
  return in_flight_ > most_in_flight_;
}

/// Idle workers take frames from devices that are behind; half of the threads stay to copy pictures.
void Session::HelpDevices() {
  const int idle = pool_->IdleWorkers() - options_.threads / 2;
  for (int spare = help_.Workers(idle, CpuHelp::Clock::now()); spare > 0; --spare) {
    const std::shared_ptr<FrameJob> job = device_frames_->TakeOne();
    if (!job) return;
    help_.OnTaken();
    job->RunDeviceWorkOnCpu();
  }
}

void Session::CountForHelp(const Jobs& jobs) {
  for (const auto& job : jobs) {
    if (job->ran_device_work_on_cpu()) help_.OnCpuFrame(job->work());
    else help_.OnDeviceFrame();
  }
}

void Session::OnFramesDone(Jobs jobs) {
  if (device_frames_ && options_.devices->is_automatic()) CountForHelp(jobs);
  for (const auto& job : jobs) job->DropInputs();
  std::unique_lock lock(mutex_);
  in_flight_ -= static_cast<int>(jobs.size());
  for (auto& job : jobs) {
    const size_t place = job->index() - first_done_;
    if (place >= done_.size()) done_.resize(place + 1);
    done_[place] = std::move(job);
  }
  const bool write = !writing_ && IsReady();
  writing_ |= write;
  const bool notify = waited_for_ && in_flight_ <= resume_at_;
  lock.unlock();
  if (notify) progressed_.notify_all();
  if (!write) return;
  // A lane's thread has its next batch to look after.
  if (!device_frames_) WriteReady();
  else pool_->Submit([this](int) { WriteReady(); }, /*urgent=*/true);
}

/// Writes what is ready, and what gets ready meanwhile.
void Session::WriteReady() {
  std::unique_lock lock(mutex_);
  for (Jobs jobs = TakeReady(); !jobs.empty(); jobs = TakeReady()) {
    lock.unlock();
    const int64_t frames = jobs.back()->index() + 1;
    Status status;
    {
      const std::lock_guard writer_lock(writer_mutex_);
      status = writer_.Write(jobs);
    }
    std::erase_if(jobs, [](const auto& job) { return job.use_count() > 1; });
    lock.lock();
    if (spare_.size() < kMostSpare) std::ranges::move(jobs, std::back_inserter(spare_));
    if (error_.ok()) error_ = std::move(status);
    next_to_write_ = frames;
    PublishMeans();
    if (waited_for_ && in_flight_ <= resume_at_) progressed_.notify_all();
  }
  writing_ = false;
}

/// Where devices do the metrics, the pool's threads have time.
void Session::SharePredictions(int count, const std::function<void(int)>& work) {
  if (!lanes_.empty()) return ShareWork(*pool_, count, work, /*urgent=*/true);
  for (int i = 0; i < count; ++i) work(i);
}

/// Frames that are done, in order from the next to write on.
Session::Jobs Session::TakeReady() {
  Jobs ready;
  for (; IsReady(); ++first_done_) {
    ready.push_back(std::move(done_.front()));
    done_.pop_front();
  }
  return ready;
}

void Session::PublishMeans() {
  for (int m = 0; m < static_cast<int>(means_.size()); ++m)
    for (int d = 0; d < options_.distorted_count; ++d) means_[m][d] = writer_.RunningMean(d, m);
}

Status Session::Flush() {
  if (!pool_ || flushed_) return Error(StatusCode::kInvalidArgument, "a session is flushed once, after its start");
  if (next_index_ == 0) return Error(StatusCode::kInvalidArgument, "there is no frame to score");
  flushed_ = true;
  if (device_frames_) device_frames_->Drain();
  {
    std::unique_lock lock(mutex_);
    waited_for_ = true;
    progressed_.wait(lock, [&] { return next_to_write_ == next_index_; });
    if (!error_.ok()) return error_;
  }
  const std::lock_guard writer_lock(writer_mutex_);
  Status status = writer_.Flush(next_index_);
  const std::lock_guard lock(mutex_);
  PublishMeans();
  if (error_.ok()) error_ = std::move(status);
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
