#include "engine/device_scheduler.h"

#include <algorithm>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/threads/parallel_for.h"
#include "base/usable_cpus.h"

namespace acutance {
namespace {

/// The largest number of threads that copy pictures to one device. They saturate its link; waking more takes longer
/// than it saves.
constexpr int kMostCopyThreads = 12;

/// The number of threads that copy pictures. Where the CPU does nothing else, few threads copy faster than many. They
/// spin while they wait, so each lane thread and the caller need a core of their own.
int CopyThreads(ptrdiff_t lanes) {
  const ptrdiff_t cores = UsableCpus(), others = DeviceLane::kThreads * lanes + 1;
  return static_cast<int>(std::clamp<ptrdiff_t>(cores - others, 1, kMostCopyThreads * lanes));
}

}  // namespace

Status DeviceScheduler::Choose(FeatureSet& features, int most_frames) {
  if (!spec_.devices) return {};
  features_ = &features;
  most_frames_ = most_frames;
  const bool useful = std::ranges::any_of(features.runs(), &MetricRun::HasPlan);
  if (spec_.devices->joins_later()) {
    if (useful) late_ = std::make_unique<Late>();
    return {};
  }
  if (useful) Adopt(OpenLanes());
  if (useful && lanes_.empty() && !spec_.devices->cpu_is_allowed()) return NoDevice();
  for (const std::string& refused : spec_.devices->refused()) warn_(refused);
  return {};
}

DeviceScheduler::Lanes DeviceScheduler::OpenLanes() {
  Lanes lanes;
  if (spec_.device_cache) lanes = MakeLanes(spec_.device_cache->Take(spec_.devices->choice()));
  while (lanes.empty() && !is_cancelled()) {
    std::vector<CachedDevice> devices = NextDevices();
    if (devices.empty()) break;
    lanes = MakeLanes(std::move(devices));
  }
  return lanes;
}

void DeviceScheduler::Adopt(Lanes lanes) {
  lanes_ = std::move(lanes);
  has_devices_ = !lanes_.empty();
  if (!has_devices_) return;
  frames_ = std::make_unique<FrameQueue>(lanes_.front()->needs_history());
  MarkRuns(/*on_device=*/true);
}

void DeviceScheduler::MarkRuns(bool on_device) {
  for (int run : lanes_.front()->runs()) features_->runs()[run].on_device = on_device;
}

std::vector<CachedDevice> DeviceScheduler::NextDevices() {
  std::vector<CachedDevice> devices;
  for (std::unique_ptr<Device>& device : spec_.devices->NextGroup())
    devices.push_back(spec_.device_cache ? spec_.device_cache->Adopt(std::move(device))
                                         : CachedDevice{std::move(device), nullptr, nullptr});
  return devices;
}

Status DeviceScheduler::NoDevice() const {
  std::vector<std::string> reasons = spec_.devices->notes();
  reasons.insert(reasons.end(), passed_over_.begin(), passed_over_.end());
  return Error(StatusCode::kNoDevice, "no device can run this: {}", fmt::join(reasons, "; "));
}

DeviceScheduler::Lanes DeviceScheduler::MakeLanes(std::vector<CachedDevice> devices) {
  const LaneSettings settings = {
      .spec = spec_,
      .features = *features_,
      .most_frames = most_frames_ / std::max(static_cast<int>(devices.size()), 1),
      .for_each = [this](int count, const std::function<void(int)>& work) { return ForEach(count, work); },
      .warn = warn_,
      .done = done_,
      .fail = fail_,
      .cancelled = [this] { return is_cancelled(); }};
  Lanes lanes;
  for (CachedDevice& device : devices) {
    const DeviceInfo& info = device.device->info();
    const std::string name = fmt::format("{} device {}", info.backend, info.index);
    Result<std::unique_ptr<DeviceLane>> lane = DeviceLane::Make(std::move(device), settings);
    if (lane.ok()) lanes.push_back(std::move(lane).value());
    else Warn(fmt::format("{}: {}", name, lane.status().message()));
  }
  has_all_ = lanes.size() == devices.size();
  return lanes;
}

void DeviceScheduler::Warn(const std::string& warning) {
  passed_over_.push_back(warning);
  if (!spec_.devices->joins_later()) warn_(warning);
}

/// The copying pool takes batches in order: a later one would wait for memory that an earlier one holds.
Status DeviceScheduler::ForEach(int count, const std::function<void(int)>& work) {
  return ParallelFor(copy_pool_ ? *copy_pool_ : *pool_, kMostCopyThreads, count, work, /*urgent=*/!copy_pool_);
}

Status DeviceScheduler::Start(ThreadPool& pool) {
  pool_ = &pool;
  if (has_devices_ && std::ranges::all_of(features_->runs(), &MetricRun::on_device))
    copy_pool_ = std::make_unique<ThreadPool>(std::min(spec_.threads, CopyThreads(std::ssize(lanes_))),
                                              ThreadPool::Mode::kThreads, fail_);
  if (copy_pool_ && copy_pool_->is_inline()) copy_pool_.reset();
  for (auto& lane : lanes_) ACU_RETURN_IF_ERROR(lane->Start(*frames_));
  return {};
}

void DeviceScheduler::OpenInBackground() {
  const auto open = [this] {
    (void)CatchExceptions([this] {
      late_->lanes = OpenLanes();
      return Status();
    });
    late_->is_over = true;
  };
  if (!StartThread(late_->thread, open).ok()) late_.reset();
}

bool DeviceScheduler::Join(double seconds_waited, ThreadPool& pool) {
  if (!late_->thread.joinable()) {
    if (std::chrono::duration<double>(seconds_waited) >= *spec_.devices->choice().patience) OpenInBackground();
    return false;
  }
  if (!late_->is_over) return false;
  late_->thread.join();
  Adopt(std::move(late_->lanes));
  late_.reset();
  if (!has_devices_) return false;
  if (Start(pool).ok()) return true;
  MarkRuns(/*on_device=*/false);  // the CPU continues without them
  has_devices_ = false;
  Stop();
  return false;
}

void DeviceScheduler::Stop() {
  if (late_) {
    late_->is_cancelled = true;
    if (late_->thread.joinable()) late_->thread.join();
    late_.reset();
  }
  if (frames_) frames_->Stop();
  if (spec_.device_cache && !lanes_.empty())
    (void)CatchExceptions([this] {  // where memory runs out, devices are closed
      GiveBack();
      return Status();
    });
  lanes_.clear();
}

/// All of the choice or none, so that a later session has the devices that it would find.
void DeviceScheduler::GiveBack() {
  std::vector<CachedDevice> devices;
  for (const auto& lane : lanes_)
    if (std::optional<CachedDevice> device = lane->Retire()) devices.push_back(std::move(*device));
  if (has_all_ && devices.size() == lanes_.size())
    spec_.device_cache->GiveBack(spec_.devices->choice(), std::move(devices));
}

int DeviceScheduler::frames_in_flight() const {
  int frames = 0;
  for (const auto& lane : lanes_) frames += lane->frames_in_flight();
  return frames;
}

Status DeviceScheduler::WaitForClients() const { return lanes_.front()->WaitForClients(); }

void DeviceScheduler::Drain() {
  if (late_) late_->is_cancelled = true;
  if (frames_) frames_->Drain();
}

void DeviceScheduler::Resume() {
  if (frames_) frames_->Resume();
}

}  // namespace acutance
