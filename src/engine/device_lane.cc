#include "engine/device_lane.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "devices/selftest.h"
#include "exec/progress_timeout.h"

namespace acutance {
namespace {

constexpr int kSlots = 4;  // two are filled, one computes, one hands out its sums
// Two threads fill batches: while the last pictures of one batch are copied, copying threads that
// find none left begin with the next batch.
constexpr int kFillThreads = DeviceLane::kThreads - 1;
/// How long the end of a session waits for a device that makes no progress: longer than any batch takes.
constexpr std::chrono::milliseconds kLastWait{800};
constexpr std::chrono::milliseconds kFirstPause{100};  // before a retry; each further one waits twice as long
constexpr size_t kGigabyte = 1'000'000'000;
constexpr size_t k4kPixels = size_t{3840} * 2160;
/// Fewer batches in flight would no longer upload, compute and read at once.
constexpr int kFewSlots = 3;

/// The device must have proved itself for each of the metrics, and for what they read.
Status CheckMetrics(Device& device, const LaneSettings& settings) {
  std::vector<SelfTest> tests;
  if (!settings.spec.conversions.empty()) tests = {ScaleSelfTest(), ExpandSelfTest()};
  std::set<const Metric*> metrics;
  for (const MetricRun& run : settings.features.runs())
    if (run.HasPlan() && metrics.insert(run.metric).second) tests.push_back(MetricSelfTest(*run.metric));
  return CheckAllOnce(device, tests, settings.cancelled);
}

}  // namespace

size_t WantedDeviceMemory(const PictureFormat& format) {
  const size_t pixels = static_cast<size_t>(format.width) * static_cast<size_t>(format.height);
  return 10 * kGigabyte / 1000 * std::max<size_t>(pixels * 1000 / k4kPixels, 1000);
}

DeviceLane::DeviceLane(CachedDevice device, const LaneSettings& settings)
    : settings_(settings), spec_(settings.spec), cached_(std::move(device)) {}

DeviceLane::~DeviceLane() {
  if (!cached_.device) return;
  EndThreads();
  DropSlots();
}

/// To free one batch's memory, drivers wait for all batches, and for ever where one hangs: each is waited for first.
void DeviceLane::DropSlots() {
  for (const Slot& slot : slots_)
    for (const auto& runner : slot.runners) runner->End();
  slots_.clear();
}

void DeviceLane::EndThreads() {
  device().LimitWaits(kLastWait);
  StopFilling(/*for_good=*/true);
  if (frames_) frames_->Wake();
  if (finish_thread_.joinable()) finish_thread_.join();
  for (std::thread& thread : fill_threads_)
    if (thread.joinable()) thread.join();
}

/// Waits for the batches that a cancelled session left.
bool DeviceLane::EndBatches() const {
  if (has_failed_ || retries_ > 0) return false;
  return std::ranges::all_of(busy_, [&](Slot* slot) { return slot->started.ok() && Wait(*slot).ok(); });
}

std::optional<CachedDevice> DeviceLane::Retire() {
  EndThreads();
  const bool is_whole = CatchExceptions([&] { return EndBatches() ? Status() : Status(StatusCode::kIo, ""); }).ok();
  if (!is_whole || !cached_.planes) return std::nullopt;
  device().LimitWaits(ProgressTimeout::Usual());
  auto kit = std::make_unique<CachedRunners>();
  kit->key = key_;
  kit->batch = batch_;
  kit->memory_bytes = memory_bytes_;
  kit->wanted_bytes = wanted_bytes_;
  for (const auto& part : parts_) kit->works.push_back(part->work());
  for (Slot& slot : slots_) {
    for (const auto& runner : slot.runners) runner->Attach(nullptr);
    kit->runners.push_back(std::move(slot.runners));
  }
  cached_.kit = std::move(kit);
  return std::move(cached_);
}

Result<std::unique_ptr<DeviceLane>> DeviceLane::Make(CachedDevice device, const LaneSettings& settings) {
  const FeatureSet& features = settings.features;
  const SessionSpec& spec = settings.spec;
  std::unique_ptr<DeviceLane> lane(new DeviceLane(std::move(device), settings));
  for (int r = 0; r < static_cast<int>(features.runs().size()); ++r)
    if (features.runs()[r].HasPlan()) lane->runs_.push_back(r);
  lane->parts_ = MakeLaneParts(features, lane->runs_, spec.subsample, {spec.distorted_count, spec.conversions});
  ACU_RETURN_IF_ERROR(lane->Prepare());
  return lane;
}

Status DeviceLane::Prepare() {
  const int pairs = PreferredBatch(ClassifyWorkload(spec_.format.width, spec_.format.height), info().family);
  int frames = std::clamp(pairs / spec_.distorted_count, 1, std::max(settings_.most_frames / (kSlots + 1), 1));
  if (spec_.frames > 0) frames = std::min(frames, spec_.frames);
  if (spec_.gathering) frames = std::min(frames, spec_.gathering->most_frames);
  key_ = {spec_.format, frames, spec_.max_device_memory, spec_.subsample};
  if (cached_.planes) cached_.planes->BeginRun();
  if (TakeKit()) return {};
  ACU_RETURN_IF_ERROR(CheckMetrics(device(), settings_));
  if (runs_.empty()) return {};
  Status made = MakeSlots();
  if (made.code() != StatusCode::kOutOfMemory || !cached_.planes || cached_.planes->bytes() == 0) return made;
  DropSlots();
  cached_.planes->Clear();
  return MakeSlots();
}

/// Reuses the runners of an earlier lane with the same work, whose metrics the device has proved itself for; drops
/// those of other work.
bool DeviceLane::TakeKit() {
  const std::unique_ptr<CachedRunners> kit = std::move(cached_.kit);
  if (!kit || kit->key != key_ || kit->works.size() != parts_.size()) return false;
  for (size_t p = 0; p < parts_.size(); ++p)
    if (!parts_[p]->MakePlans(spec_.format, kit->batch, info().family).ok() ||
        !parts_[p]->work().IsSameAs(kit->works[p]))
      return false;
  batch_ = kit->batch;
  memory_bytes_ = kit->memory_bytes;
  wanted_bytes_ = kit->wanted_bytes;
  for (auto& runners : kit->runners) {
    for (size_t p = 0; p < parts_.size(); ++p) parts_[p]->Adopt(*runners[p], settings_.for_each);
    slots_.emplace_back().runners = std::move(runners);
  }
  return true;
}

/// By default a quarter of the free memory, so that several processes fit. Of what is asked for, less than all that is
/// free: other programs take memory, too, and a driver may page instead of refusing.
Status DeviceLane::MakeSlots() {
  const size_t wanted = WantedDeviceMemory(spec_.format);
  const Batches all = Streams() ? Batches{.streams = true} : Most(key_.frames);
  ACU_ASSIGN_OR_RETURN(const Batches best, Fit(all, wanted));
  const std::optional<size_t> free = device().FreeMemory();
  size_t limit = spec_.max_device_memory.value_or(wanted);
  if (spec_.max_device_memory) limit = free ? std::min(limit, *free / 5 * 4) : limit;
  else limit = std::min<size_t>(limit, free.value_or(info().memory_bytes > 0 ? info().memory_bytes : 4 * limit) / 4);
  const Status made = MakeSlots(all, limit, spec_.max_device_memory.has_value());
  wanted_bytes_ = std::max(memory_bytes_, best.bytes);
  return made;
}

/// Whether the caller waits for each frame, and the next one needs those before it.
bool DeviceLane::Streams() const {
  return spec_.gathering && spec_.gathering->most_frames == 1 && parts_.size() == 1 && spec_.distorted_count == 1 &&
         spec_.conversions.empty() && settings_.features.History(Video::kReference) > 0;
}

DeviceLane::Batches DeviceLane::Most(int frames) const {
  return {.frames = frames, .count = spec_.gathering ? spec_.gathering->most_batches : kSlots};
}

DeviceLane::Batches DeviceLane::Smaller(const Batches& batches) const {
  if (batches.streams) return Most(1);
  if (batches.count > kFewSlots || batches.frames == 1) return {.frames = batches.frames, .count = batches.count - 1};
  return Most(batches.frames / 2);
}

/// Makes the plans for the most that the limit holds: leaves out a batch, then halves them. One frame is the least.
Result<DeviceLane::Batches> DeviceLane::Fit(Batches batches, size_t limit) {
  for (;; batches = Smaller(batches)) {
    size_t bytes = 0;
    for (const auto& part : parts_) {
      ACU_RETURN_IF_ERROR(part->MakePlans(spec_.format, batches.frames, info().family, batches.streams));
      bytes += part->device_bytes();
    }
    batches.bytes = bytes * batches.count;
    if (batches.bytes <= limit || batches.is_least()) return batches;
  }
}

/// Takes fewer batches than the limit holds where the device's memory does not hold those.
Status DeviceLane::MakeSlots(Batches most, size_t limit, bool is_limit_firm) {
  for (;; most = Smaller(most)) {
    DropSlots();
    ACU_ASSIGN_OR_RETURN(most, Fit(most, limit));
    if (is_limit_firm && most.bytes > limit)
      return Error(StatusCode::kOutOfMemory, "{} MB of device memory are needed for one frame, {} MB are allowed",
                   (most.bytes >> 20) + 1, limit >> 20);
    batch_ = most.frames;
    streams_ = most.streams;
    memory_bytes_ = most.bytes;
    const Status status = MakeRunners(most.count);
    if (status.code() != StatusCode::kOutOfMemory || most.is_least()) return status;
  }
}

Status DeviceLane::MakeRunners(int count) {
  for (int s = 0; s < count; ++s) {
    Slot& slot = slots_.emplace_back();
    for (size_t p = 0; p < parts_.size(); ++p) {
      const PlanRunner* uploads_with = s > 0 ? slots_.front().runners[p].get() : nullptr;
      ACU_ASSIGN_OR_RETURN(auto runner,
                           parts_[p]->MakeRunner(device(), settings_.for_each, uploads_with, cached_.planes.get()));
      slot.runners.push_back(std::move(runner));
    }
  }
  return {};
}

Status DeviceLane::Start(FrameQueue& frames) {
  frames_ = &frames;
  ACU_RETURN_IF_ERROR(StartFilling());
  ACU_RETURN_IF_ERROR(StartThread(finish_thread_, [this] { Finish(); }));
  frames.Join(batch());
  return {};
}

Status DeviceLane::StartFilling() {
  return CatchExceptions([&] {
    idle_.reserve(slots_.size());
    busy_.reserve(slots_.size());
    fill_threads_.resize(kFillThreads);
    last_taken_ = nullptr;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = ending_;
      for (Slot& slot : slots_) idle_.push_back(&slot);
    }
    for (std::thread& thread : fill_threads_) ACU_RETURN_IF_ERROR(StartThread(thread, [this] { Fill(); }));
    return Status();
  });
}

void DeviceLane::StopFilling(bool for_good) {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    ending_ |= for_good;
  }
  changed_.notify_all();
}

/// Waits for a slot; null when the lane stops.
DeviceLane::Slot* DeviceLane::WaitFor(Slots& slots) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || !slots.empty(); });
  if (stopping_) return nullptr;
  Slot* slot = slots.front();
  slots.erase(slots.begin());
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
  const auto wait = [this] {
    const TimeSum::Scope time(computing_);
    return WaitFor(idle_);
  };
  while (Slot* slot = wait())
    if (!FillSlot(*slot)) return;
}

/// Returns false when there is nothing more to fill.
bool DeviceLane::FillSlot(Slot& slot) {
  bool took = false;
  slot.jobs.clear();
  slot.before = nullptr;
  slot.started = CatchExceptions([&] {
    const TimeSum::Scope time(starving_);
    took = Take(slot);
    return slot.started;
  });
  if (slot.started.ok() && !took) return false;
  const TimeSum::Scope time(filling_);
  if (slot.started.ok())
    slot.started = CatchExceptions([&] {
      for (const auto& job : slot.jobs) job->Prepare();
      return Status();
    });
  if (slot.started.ok()) slot.started = CatchExceptions([&] { return Start(slot); });
  else slot.runner().Skip(slot.started, slot.before);
  const bool ok = slot.started.ok();
  Put(busy_, &slot);
  return ok;
}

/// Fills the slot with the next frames. Where they follow those of the batch before, their history is on the device.
bool DeviceLane::Take(Slot& slot) {
  const std::lock_guard lock(take_mutex_);
  slot.started = slot.runner().BeginBatch();
  slot.jobs = TakeJobs();
  if (slot.jobs.empty()) return false;
  ++batches_out_;
  if (!slot.started.ok()) {
    last_taken_ = nullptr;  // there is no Start that another slot could wait for
    return true;
  }
  const bool follows = last_taken_ && slot.jobs.front()->index() == next_frame_;
  if (follows && needs_history() && (streams_ || last_taken_ != &slot)) {
    slot.before = &last_taken_->runner();
    if (last_taken_ != &slot) slot.before->KeepPictures();
  }
  last_taken_ = &slot;
  next_frame_ = slot.jobs.back()->index() + 1;
  return true;
}

/// A device that is idle waits for no further frames.
FrameQueue::Jobs DeviceLane::TakeJobs() {
  using std::chrono::microseconds;
  if (!spec_.gathering) return frames_->Take(batch(), stopping_);
  return frames_->Take(batch(), stopping_,
                       [&] { return batches_out_ > 0 ? spec_.gathering->longest_wait : microseconds(0); });
}

void DeviceLane::Finish() {
  Status status = CatchExceptions([&] { return FinishSlots(); });
  if (status.ok()) return;
  has_failed_ = true;
  settings_.fail(std::move(status));
}

Status DeviceLane::FinishSlots() {
  while (Slot* slot = WaitFor(busy_)) {
    const Status status = slot->started.ok() ? Wait(*slot) : slot->started;
    if (!status.ok()) {
      if (Recover(status, slot)) continue;
      return {};
    }
    Deliver(*slot);
    FrameQueue::Jobs jobs = std::exchange(slot->jobs, {});
    --batches_out_;
    Put(idle_, slot);
    if (spec_.verify > 0) Verify(jobs);
    std::erase_if(jobs, [](const auto& job) { return !job->FinishOnDevice(); });
    settings_.done(std::move(jobs));
  }
  return {};
}

/// Removes every N-th frame from `jobs`: the CPU computes it again, and finishes it.
void DeviceLane::Verify(FrameQueue::Jobs& jobs) const {
  const auto is_due = [&](const auto& job) { return job->index() % spec_.verify == 0; };
  for (const auto& job : jobs)
    if (is_due(job)) job->VerifyOnCpu(fmt::format("{} device {} ({})", info().backend, info().index, info().name));
  std::erase_if(jobs, is_due);
}

bool DeviceLane::HasWork(const Slot& slot, size_t part) const {
  return std::ranges::any_of(slot.jobs, [&](const auto& job) { return parts_[part]->HasFrame(job->index()); });
}

Status DeviceLane::Start(Slot& slot) const {
  for (size_t p = 0; p < parts_.size(); ++p)
    if (HasWork(slot, p))
      ACU_RETURN_IF_ERROR(parts_[p]->Start(*slot.runners[p], slot.jobs, p == 0 ? slot.before : nullptr));
  return {};
}

Status DeviceLane::Wait(Slot& slot) const {
  for (size_t p = 0; p < parts_.size(); ++p)
    if (HasWork(slot, p)) ACU_RETURN_IF_ERROR(slot.runners[p]->Wait());
  return {};
}

void DeviceLane::Deliver(const Slot& slot) const {
  for (size_t p = 0; p < parts_.size(); ++p)
    if (HasWork(slot, p)) parts_[p]->Deliver(*slot.runners[p], slot.jobs);
}

/// Ends the filling threads after a failure and gives back what is unfinished. Called on the finishing thread. False:
/// the device is left, and other devices or the CPU take its frames.
bool DeviceLane::Recover(const Status& status, Slot* failed) {
  has_failed_ = true;
  StopFilling(/*for_good=*/false);
  frames_->Wake();
  for (std::thread& thread : fill_threads_) thread.join();
  frames_->GiveBack(TakeUnfinished(failed));
  if (status.code() == StatusCode::kOutOfMemory && retries_ < kMostRetries && TryAgain(status)) return true;
  if (!is_ending()) Warn(status, "its frames go to other devices or the CPU, scores do not change");
  frames_->Leave();
  return false;
}

bool DeviceLane::TryAgain(const Status& status) {
  Warn(status, "it tries again with smaller batches");
  std::this_thread::sleep_for(kFirstPause * (1 << retries_++));
  if (is_ending()) return false;
  const Status made = CatchExceptions([&] { return MakeSlots(Most(std::max(batch() / 2, 1)), memory_bytes_, false); });
  if (made.ok() && StartFilling().ok()) return true;
  StopFilling(/*for_good=*/false);
  for (std::thread& thread : fill_threads_)
    if (thread.joinable()) thread.join();
  return false;
}

bool DeviceLane::is_ending() {
  const std::lock_guard lock(mutex_);
  return ending_;
}

FrameQueue::Jobs DeviceLane::TakeUnfinished(Slot* failed) {
  FrameQueue::Jobs unfinished = std::exchange(failed->jobs, {});
  for (Slot* slot : busy_) std::ranges::move(std::exchange(slot->jobs, {}), std::back_inserter(unfinished));
  std::ranges::sort(unfinished, {}, [](const auto& job) { return job->index(); });
  idle_.clear();
  busy_.clear();
  batches_out_ = 0;
  return unfinished;
}

void DeviceLane::Warn(const Status& status, std::string_view what_follows) const {
  settings_.warn(fmt::format("{} device {} ({}) failed: {}; {}", info().backend, info().index, info().name,
                             status.message(), what_follows));
}

}  // namespace acutance
