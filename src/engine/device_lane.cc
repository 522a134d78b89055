#include "engine/device_lane.h"

#include <algorithm>
#include <utility>

namespace acutance {
namespace {

constexpr int kSlots = 2;  // one uploads while the other computes

}  // namespace

DeviceLane::DeviceLane(std::unique_ptr<Device> device, const FeatureSet& features, int distorted_count, Warn warn)
    : features_(features), distorted_count_(distorted_count), warn_(std::move(warn)), device_(std::move(device)) {}

DeviceLane::~DeviceLane() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<std::unique_ptr<DeviceLane>> DeviceLane::Make(std::unique_ptr<Device> device, const FeatureSet& features,
                                                     const PictureFormat& format, int distorted_count, Warn warn) {
  std::unique_ptr<DeviceLane> lane(new DeviceLane(std::move(device), features, distorted_count, std::move(warn)));
  ACU_RETURN_IF_ERROR(lane->Prepare(format));
  return lane;
}

Status DeviceLane::Prepare(const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(PlanRuns(format));
  if (runs_.empty()) return {};
  ACU_RETURN_IF_ERROR(MakeSlots());
  thread_ = std::thread([this] { Work(); });
  return {};
}

Status DeviceLane::PlanRuns(const PictureFormat& format) {
  for (int r = 0; r < static_cast<int>(features_.runs().size()); ++r) {
    const MetricRun& run = features_.runs()[r];
    if (!run.metric->make_plan) continue;
    runs_.push_back(r);
    if (!run.metric->reference_only) distorted_runs_.push_back(r);
    history_ = std::max(history_, run.extractor->Lag());
  }
  context_ = MakePlanContext(format, 1, history_, device_->info().family);
  ACU_ASSIGN_OR_RETURN(const std::vector<Plan> plans, MakePlans(runs_, context_));
  int batch = 1;
  for (const Plan& plan : plans) batch = std::max(batch, plan.preferred_batch());
  context_ = MakePlanContext(format, batch, history_, device_->info().family);
  return {};
}

Result<std::vector<Plan>> DeviceLane::MakePlans(const std::vector<int>& runs, const PlanContext& context) const {
  std::vector<Plan> plans;
  for (int r : runs) {
    const MetricRun& run = features_.runs()[r];
    ACU_ASSIGN_OR_RETURN(Plan plan, run.metric->make_plan(run.options, context));
    plans.push_back(std::move(plan));
  }
  return plans;
}

/// Halves the batch until the device's memory holds it.
Status DeviceLane::MakeSlots() {
  const bool second_video = distorted_count_ > 1 && !distorted_runs_.empty();
  for (;;) {
    const auto make = [&]() -> Status {
      for (int s = 0; s < kSlots; ++s) {
        Slot slot;
        ACU_ASSIGN_OR_RETURN(std::vector<Plan> plans, MakePlans(runs_, context_));
        ACU_ASSIGN_OR_RETURN(slot.all, PlanRunner::Make(*device_, std::move(plans), context_, {}));
        if (second_video) {
          ACU_ASSIGN_OR_RETURN(std::vector<Plan> some, MakePlans(distorted_runs_, context_));
          ACU_ASSIGN_OR_RETURN(slot.distorted, PlanRunner::Make(*device_, std::move(some), context_, {}));
        }
        slots_.push_back(std::move(slot));
      }
      return {};
    };
    const Status status = make();
    if (status.code() != StatusCode::kOutOfMemory || context_.batch == 1) return status;
    slots_.clear();
    context_ = MakePlanContext(context_.format, context_.batch / 2, history_, device_->info().family);
  }
}

void DeviceLane::Submit(std::shared_ptr<FrameJob> job) {
  {
    std::lock_guard lock(mutex_);
    if (!failed_) {
      waiting_.push_back(std::move(job));
      changed_.notify_all();
      return;
    }
  }
  HandToCpu({std::move(job)});
}

void DeviceLane::Drain() {
  {
    std::lock_guard lock(mutex_);
    draining_ = true;
  }
  changed_.notify_all();
}

bool DeviceLane::BatchIsReady() const {
  return static_cast<int>(waiting_.size()) >= context_.batch || (draining_ && !waiting_.empty());
}

void DeviceLane::Work() {
  std::deque<Slot*> idle, busy;
  for (Slot& slot : slots_) idle.push_back(&slot);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !busy.empty() || BatchIsReady(); });
    if (stopping_) return;
    if (BatchIsReady() && !idle.empty()) {
      Slot* slot = idle.front();
      idle.pop_front();
      const size_t count = std::min(waiting_.size(), static_cast<size_t>(context_.batch));
      slot->jobs.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.begin() + count));
      waiting_.erase(waiting_.begin(), waiting_.begin() + count);
      lock.unlock();
      StartBatch(*slot);
      busy.push_back(slot);
    } else {
      Slot* slot = busy.front();
      busy.pop_front();
      lock.unlock();
      FinishBatch(*slot);
      idle.push_back(slot);
    }
    lock.lock();
    if (failed_) break;
  }
  std::vector<std::shared_ptr<FrameJob>> left;
  for (Slot* slot : busy) std::ranges::move(slot->jobs, std::back_inserter(left));
  std::ranges::move(waiting_, std::back_inserter(left));
  waiting_.clear();
  lock.unlock();
  HandToCpu(std::move(left));
}

Status DeviceLane::StartRunner(PlanRunner& runner, const Slot& slot, int distorted) const {
  std::vector<const Picture*> references, others;
  const FrameJob::Inputs& first = slot.jobs.front()->inputs();
  for (int back = history_; back > 0; --back)
    references.push_back(back <= static_cast<int>(first.earlier.size()) ? &first.earlier[back - 1] : nullptr);
  for (const auto& job : slot.jobs) {
    references.push_back(&job->inputs().reference);
    others.push_back(&job->inputs().distorted[distorted]);
  }
  return runner.Start(references, others);
}

void DeviceLane::StartBatch(Slot& slot) {
  const Status status = StartRunner(*slot.all, slot, 0);
  if (status.ok()) return;
  Fail(status);
}

/// Waits for the first video's results; further videos share the slot's second runner, one after another.
Status DeviceLane::CollectBatch(Slot& slot) {
  ACU_RETURN_IF_ERROR(slot.all->Wait());
  for (int d = 1; d < distorted_count_ && slot.distorted; ++d) {
    ACU_RETURN_IF_ERROR(StartRunner(*slot.distorted, slot, d));
    ACU_RETURN_IF_ERROR(slot.distorted->Wait());
    Deliver(slot, *slot.distorted, distorted_runs_, d);
  }
  Deliver(slot, *slot.all, runs_, 0);
  return {};
}

void DeviceLane::Deliver(Slot& slot, const PlanRunner& runner, const std::vector<int>& runs, int distorted) {
  for (size_t frame = 0; frame < slot.jobs.size(); ++frame)
    for (size_t plan = 0; plan < runs.size(); ++plan)
      slot.jobs[frame]->SetDeviceSums(runs[plan], distorted,
                                      runner.Sums(static_cast<int>(plan), static_cast<int>(frame)));
}

void DeviceLane::FinishBatch(Slot& slot) {
  const Status status = CollectBatch(slot);
  if (!status.ok()) {
    Fail(status);
    HandToCpu(std::exchange(slot.jobs, {}));
    return;
  }
  for (auto& job : std::exchange(slot.jobs, {})) job->FinishOnDevice();
}

void DeviceLane::Fail(const Status& status) {
  {
    std::lock_guard lock(mutex_);
    failed_ = true;
  }
  warn_(fmt::format("{} device {} ({}) failed: {}; its frames go to the CPU, scores do not change", info().backend,
                    info().index, info().name, status.message()));
}

void DeviceLane::HandToCpu(std::vector<std::shared_ptr<FrameJob>> jobs) {
  for (auto& job : jobs) job->RunDeviceWorkOnCpu();
}

}  // namespace acutance
