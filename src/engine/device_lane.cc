#include "engine/device_lane.h"

#include <algorithm>
#include <utility>

namespace acutance {
namespace {

constexpr int kSlots = 4;  // two are filled, one computes, one hands out its sums
// While the last pictures of one batch are copied, threads that find none left begin with the next batch.
constexpr int kFillThreads = DeviceLane::kThreads - 1;
constexpr size_t kGigabyte = 1'000'000'000;
constexpr size_t k4kPixels = size_t{3840} * 2160;

}  // namespace

size_t DefaultDeviceMemory(const PictureFormat& format) {
  const size_t pixels = static_cast<size_t>(format.width) * static_cast<size_t>(format.height);
  return std::max(kGigabyte, kGigabyte / 1000 * (pixels * 1000 / k4kPixels));
}

DeviceLane::DeviceLane(std::unique_ptr<Device> device, const FeatureSet& features, const LaneSettings& settings)
    : features_(features), settings_(settings), device_(std::move(device)), imports_(*device_) {}

DeviceLane::~DeviceLane() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (frames_) frames_->Wake();
  if (finish_thread_.joinable()) finish_thread_.join();
  for (std::thread& thread : fill_threads_)
    if (thread.joinable()) thread.join();
}

Result<std::unique_ptr<DeviceLane>> DeviceLane::Make(std::unique_ptr<Device> device, const FeatureSet& features,
                                                     const PictureFormat& format, const LaneSettings& settings) {
  std::unique_ptr<DeviceLane> lane(new DeviceLane(std::move(device), features, settings));
  ACU_RETURN_IF_ERROR(lane->PlanRuns(format));
  if (!lane->runs_.empty()) ACU_RETURN_IF_ERROR(lane->MakeSlots());
  return lane;
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

/// Halves the batch, then leaves out slots, until the device's memory and the limit hold it.
Status DeviceLane::MakeSlots() {
  const size_t limit = settings_.max_memory.value_or(DefaultDeviceMemory(context_.format));
  for (int count = kSlots;;) {
    ACU_ASSIGN_OR_RETURN(const size_t slot_bytes, SlotBytes());
    memory_bytes_ = slot_bytes * count;
    const bool smallest = context_.batch == 1 && count == 1;
    Status status;
    if (memory_bytes_ <= limit || (smallest && !settings_.max_memory)) status = MakeSlots(count);
    else
      status =
          Error(StatusCode::kOutOfMemory, "{} MB of device memory are needed for one frame pair, {} MB are allowed",
                (memory_bytes_ >> 20) + 1, limit >> 20);
    if (status.code() != StatusCode::kOutOfMemory || smallest) return status;
    if (context_.batch > 1)
      context_ = MakePlanContext(context_.format, context_.batch / 2, history_, device_->info().family);
    else --count;
  }
}

Status DeviceLane::MakeSlots(int count) {
  slots_.clear();
  for (int s = 0; s < count; ++s) {
    Slot& slot = slots_.emplace_back();
    ACU_ASSIGN_OR_RETURN(std::vector<Plan> plans, MakePlans(runs_, context_));
    ACU_ASSIGN_OR_RETURN(
        slot.all, PlanRunner::Make(*device_, std::move(plans), context_, RunnerOptions(slots_.front().all.get())));
    if (!HasSecondVideo()) continue;
    ACU_ASSIGN_OR_RETURN(std::vector<Plan> some, MakePlans(distorted_runs_, context_));
    ACU_ASSIGN_OR_RETURN(slot.distorted, PlanRunner::Make(*device_, std::move(some), context_,
                                                          RunnerOptions(slots_.front().distorted.get())));
  }
  return {};
}

/// The fill threads start all slots' first runners, the finish thread the others.
PlanRunner::Options DeviceLane::RunnerOptions(const PlanRunner* first) {
  return {.for_each = settings_.for_each,
          .imports = settings_.import_pictures ? &imports_ : nullptr,
          .uploads_with = first};
}

Result<size_t> DeviceLane::SlotBytes() const {
  ACU_ASSIGN_OR_RETURN(const std::vector<Plan> plans, MakePlans(runs_, context_));
  size_t bytes = PlanRunner::DeviceBytes(plans, context_);
  if (!HasSecondVideo()) return bytes;
  ACU_ASSIGN_OR_RETURN(const std::vector<Plan> some, MakePlans(distorted_runs_, context_));
  return bytes + PlanRunner::DeviceBytes(some, context_);
}

void DeviceLane::Start(FrameQueue& frames) {
  frames_ = &frames;
  frames.Join(batch());
  for (Slot& slot : slots_) idle_.push_back(&slot);
  for (int i = 0; i < kFillThreads; ++i) fill_threads_.emplace_back([this] { Fill(); });
  finish_thread_ = std::thread([this] { Finish(); });
}

/// Null: the lane stops.
DeviceLane::Slot* DeviceLane::WaitFor(Slots& slots) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || !slots.empty(); });
  if (stopping_) return nullptr;
  Slot* slot = slots.front();
  slots.pop_front();
  return slot;
}

void DeviceLane::Put(Slots& slots, Slot* slot) {
  {
    const std::lock_guard lock(mutex_);
    slots.push_back(slot);
  }
  changed_.notify_all();
}

void DeviceLane::Fill() {
  while (Slot* slot = WaitFor(idle_)) {
    slot->jobs = frames_->Take(batch(), stopping_);
    if (slot->jobs.empty()) return;
    for (const auto& job : slot->jobs) job->Prepare();
    slot->started = StartRunner(*slot->all, *slot, 0);
    const bool ok = slot->started.ok();
    Put(busy_, slot);
    if (!ok) return;
  }
}

void DeviceLane::Finish() {
  while (Slot* slot = WaitFor(busy_)) {
    const Status status = slot->started.ok() ? CollectBatch(*slot) : slot->started;
    if (!status.ok()) return GiveUp(status, slot);
    FrameQueue::Jobs jobs = std::exchange(slot->jobs, {});
    Put(idle_, slot);
    std::erase_if(jobs, [](const auto& job) { return !job->FinishOnDevice(); });
    settings_.done(std::move(jobs));
  }
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

/// Waits for the first video's results; further videos share the slot's second runner, one after another.
Status DeviceLane::CollectBatch(Slot& slot) {
  ACU_RETURN_IF_ERROR(slot.all->Wait());
  for (int d = 1; d < settings_.distorted_count && slot.distorted; ++d) {
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

/// On the finishing thread: ends the other one, and gives back what is unfinished.
void DeviceLane::GiveUp(const Status& status, Slot* failed) {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  frames_->Wake();
  for (std::thread& thread : fill_threads_) thread.join();
  settings_.warn(
      fmt::format("{} device {} ({}) failed: {}; its frames go to other devices or the CPU, scores do not change",
                  info().backend, info().index, info().name, status.message()));
  FrameQueue::Jobs unfinished = std::exchange(failed->jobs, {});
  for (Slot* slot : busy_) std::ranges::move(std::exchange(slot->jobs, {}), std::back_inserter(unfinished));
  std::ranges::sort(unfinished, {}, [](const auto& job) { return job->index(); });
  frames_->Leave(std::move(unfinished));
}

}  // namespace acutance
