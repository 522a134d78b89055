#include "engine/session.h"

#include <algorithm>
#include <utility>

namespace acutance {

/// Writes a Sequence's output into the score tables that its metric run serves.
class Session::Sink : public ScoreSink {
 public:
  Sink(Session& session, const MetricRun& run, int distorted)
      : session_(session), run_(run), tables_(session.TablesOf(distorted)) {}

  void Set(int output, int64_t frame, double value) override {
    if (run_.columns[output] < 0) return;
    for (int t : tables_) session_.Record(session_.tables_[t]->Set(run_.columns[output], frame, value));
  }
  void SetAggregate(std::string_view name, double value) override {
    for (int t : tables_) session_.tables_[t]->SetAggregate(name, value);
  }

 private:
  Session& session_;
  const MetricRun& run_;
  const std::vector<int> tables_;
};

Session::Session(SessionOptions options) : options_(std::move(options)) {}

Session::~Session() = default;

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
  for (int d = 0; d < options_.distorted_count; ++d) {
    tables_.push_back(std::make_unique<ScoreTable>());
    ACU_RETURN_IF_ERROR(features_.AddColumns(*tables_.back()));
    for (ModelRun& model : models_) ACU_RETURN_IF_ERROR(model.AddColumns(*tables_.back()));
  }
  for (int r = 0; r < static_cast<int>(features_.runs().size()); ++r) {
    const MetricRun& run = features_.runs()[r];
    max_lag_ = std::max(max_lag_, run.extractor->Lag());
    const int copies = run.metric->reference_only ? 1 : options_.distorted_count;
    for (int d = 0; d < copies; ++d)
      sequences_[{r, run.metric->reference_only ? -1 : d}] = run.extractor->MakeSequence();
  }
  workspaces_ = std::make_unique<WorkspacePool>(features_, options_.threads);
  ACU_RETURN_IF_ERROR(ChooseDevice(format));
  // Frames end on the lane's thread too, so nothing may run in the caller's.
  pool_ = std::make_unique<ThreadPool>(options_.threads,
                                       lane_ ? ThreadPool::Mode::kThreads : ThreadPool::Mode::kInlineIfOne);
  return {};
}

Status Session::ChooseDevice(const PictureFormat& format) {
  if (!options_.devices) return {};
  DevicePicker& picker = *options_.devices;
  while (std::unique_ptr<Device> device = picker.Next()) {
    const std::string name = fmt::format("{} device {}", device->info().backend, device->info().index);
    Result<std::unique_ptr<DeviceLane>> lane =
        DeviceLane::Make(std::move(device), features_, format, options_.distorted_count,
                         [this](const std::string& warning) { Warn(warning); });
    if (!lane.ok()) {
      Warn(fmt::format("{}: {}", name, lane.status().message()));
      continue;
    }
    if ((*lane)->runs().empty()) return {};  // nothing here has a device plan
    lane_ = std::move(lane).value();
    for (int run : lane_->runs()) features_.runs()[run].on_device = true;
    return {};
  }
  if (!picker.cpu_is_allowed())
    return Error(StatusCode::kNoDevice, "no device can run this: {}",
                 fmt::join(warnings_.empty() ? picker.notes() : warnings_, "; "));
  return {};
}

int Session::MaxInFlight() const { return lane_ ? std::max(options_.threads, 2 * lane_->batch()) : options_.threads; }

void Session::Warn(const std::string& warning) {
  std::lock_guard lock(mutex_);
  warnings_.push_back(warning);
}

std::vector<std::string> Session::warnings() const {
  std::lock_guard lock(mutex_);
  return warnings_;
}

std::vector<int> Session::RunsOfFrame(int64_t index) const {
  std::vector<int> runs;
  for (int r = 0; r < static_cast<int>(features_.runs().size()); ++r)
    if (features_.runs()[r].metric->every_frame || index % options_.subsample == 0) runs.push_back(r);
  return runs;
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
  {
    std::unique_lock lock(mutex_);
    frame_finished_.wait(lock, [&] { return in_flight_ <= MaxInFlight(); });
    if (!error_.ok()) return error_;
    ++in_flight_;
  }
  FrameJob::Inputs inputs{next_index_, reference, std::move(distorted), {earlier_.begin(), earlier_.end()}};
  auto job = std::make_shared<FrameJob>(features_, *workspaces_, *pool_, std::move(inputs), RunsOfFrame(next_index_),
                                        [this](std::shared_ptr<FrameJob> done) { OnFrameDone(std::move(done)); });
  ++next_index_;
  if (max_lag_ > 0) {
    earlier_.push_front(std::move(reference));
    if (static_cast<int>(earlier_.size()) > max_lag_) earlier_.pop_back();
  }
  job->Start();
  if (job->has_device_work()) lane_->Submit(std::move(job));
  return FirstError();
}

void Session::OnFrameDone(std::shared_ptr<FrameJob> job) {
  {
    std::lock_guard lock(mutex_);
    const int64_t index = job->index();
    waiting_.emplace(index, std::move(job));
    for (auto next = waiting_.find(next_to_write_); next != waiting_.end(); next = waiting_.find(next_to_write_)) {
      WriteFrame(*next->second);
      waiting_.erase(next);
      ++next_to_write_;
      --in_flight_;
    }
    PredictReady();
  }
  frame_finished_.notify_all();
}

void Session::WriteFrame(const FrameJob& job) {
  Record(job.status());
  for (const RunResult& result : job.results()) {
    WriteValues(result, job.index());
    if (auto& sequence = sequences_[{result.run, result.distorted}]) {
      Sink sink(*this, features_.runs()[result.run], result.distorted);
      sequence->Push(job.index(), result.sums, result.values, sink);
    }
  }
}

void Session::WriteValues(const RunResult& result, int64_t index) {
  const MetricRun& run = features_.runs()[result.run];
  for (size_t i = 0; i < run.columns.size(); ++i) {
    if (run.columns[i] < 0 || run.metric->outputs[i].at_flush) continue;
    for (int t : TablesOf(result.distorted)) Record(tables_[t]->Set(run.columns[i], index, result.values[i]));
  }
}

std::vector<int> Session::TablesOf(int distorted) const {
  if (distorted >= 0) return {distorted};
  std::vector<int> all(tables_.size());
  for (size_t t = 0; t < all.size(); ++t) all[t] = static_cast<int>(t);
  return all;
}

void Session::PredictReady() {
  for (ModelRun& model : models_)
    for (auto& table : tables_) Record(model.PredictReady(*table, options_.subsample, next_to_write_));
}

Status Session::Flush() {
  if (!pool_ || flushed_) return Error(StatusCode::kInvalidArgument, "a session is flushed once, after its start");
  if (next_index_ == 0) return Error(StatusCode::kInvalidArgument, "there is no frame to score");
  flushed_ = true;
  if (lane_) lane_->Drain();
  std::unique_lock lock(mutex_);
  frame_finished_.wait(lock, [&] { return in_flight_ == 0; });
  if (!error_.ok()) return error_;
  for (auto& [key, sequence] : sequences_) {
    if (!sequence) continue;
    Sink sink(*this, features_.runs()[key.first], key.second);
    sequence->Flush(sink);
  }
  PredictReady();
  for (const ModelRun& model : models_)
    for (const auto& table : tables_) Record(model.CheckComplete(*table, options_.subsample, next_index_));
  return error_;
}

void Session::Record(const Status& status) {
  if (error_.ok() && !status.ok()) error_ = status;
}

Status Session::FirstError() const {
  std::lock_guard lock(mutex_);
  return error_;
}

int64_t Session::frames_done() const {
  std::lock_guard lock(mutex_);
  return next_to_write_;
}

void Session::ReadScores(int distorted, const std::function<void(const ScoreTable&)>& reader) const {
  std::lock_guard lock(mutex_);
  reader(*tables_[distorted]);
}

std::optional<double> Session::RunningMean(int distorted, int model) const {
  std::lock_guard lock(mutex_);
  return models_[model].RunningMean(*tables_[distorted]);
}

}  // namespace acutance
