#include "engine/device_scheduler.h"

#include <algorithm>
#include <utility>

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

Status DeviceScheduler::Choose(FeatureSet& features, const PictureFormat& format,
                               const std::vector<VideoConversion>& conversions, int most_frames) {
  if (!settings_.devices) return {};
  const bool useful = std::ranges::any_of(features.runs(), &MetricRun::HasPlan);
  if (useful && settings_.cache)
    MakeLanes(settings_.cache->Take(settings_.devices->choice()), features, format, conversions, most_frames);
  while (useful && lanes_.empty()) {
    std::vector<KeptDevice> devices = NextDevices();
    if (devices.empty()) break;
    MakeLanes(std::move(devices), features, format, conversions, most_frames);
  }
  if (useful && lanes_.empty() && !settings_.devices->cpu_is_allowed()) return NoDevice();
  if (!settings_.devices->only_proved())
    for (const std::string& refused : settings_.devices->refused()) settings_.warn(refused);
  if (lanes_.empty()) return {};
  has_devices_ = true;
  frames_ = std::make_unique<FrameQueue>(lanes_.front()->needs_history());
  for (int run : lanes_.front()->runs()) features.runs()[run].on_device = true;
  return {};
}

std::vector<KeptDevice> DeviceScheduler::NextDevices() {
  std::vector<KeptDevice> devices;
  for (std::unique_ptr<Device>& device : settings_.devices->NextGroup())
    devices.push_back(settings_.cache ? settings_.cache->Adopt(std::move(device))
                                      : KeptDevice{std::move(device), nullptr, nullptr});
  return devices;
}

Status DeviceScheduler::NoDevice() const {
  std::vector<std::string> reasons = settings_.devices->notes();
  reasons.insert(reasons.end(), passed_over_.begin(), passed_over_.end());
  return Error(StatusCode::kNoDevice, "no device can run this: {}", fmt::join(reasons, "; "));
}

void DeviceScheduler::MakeLanes(std::vector<KeptDevice> devices, const FeatureSet& features,
                                const PictureFormat& format, const std::vector<VideoConversion>& conversions,
                                int most_frames) {
  const LaneSettings settings = {
      .videos = {settings_.distorted_count, conversions},
      .subsample = settings_.subsample,
      .max_memory = settings_.max_memory,
      .most_frames = most_frames / std::max(static_cast<int>(devices.size()), 1),
      .only_proved = settings_.devices->only_proved(),
      .verify = settings_.verify,
      .for_each = [this](int count, const std::function<void(int)>& work) { return ForEach(count, work); },
      .warn = settings_.warn,
      .done = settings_.done,
      .fail = settings_.fail};
  for (KeptDevice& device : devices) {
    const DeviceInfo& info = device.device->info();
    const std::string name = fmt::format("{} device {}", info.backend, info.index);
    Result<std::unique_ptr<DeviceLane>> lane = DeviceLane::Make(std::move(device), features, format, settings);
    if (lane.ok()) lanes_.push_back(std::move(lane).value());
    else Warn(fmt::format("{}: {}", name, lane.status().message()));
  }
  has_all_ = lanes_.size() == devices.size();
}

void DeviceScheduler::Warn(const std::string& warning) {
  passed_over_.push_back(warning);
  if (!settings_.devices->only_proved()) settings_.warn(warning);
}

/// The copying pool takes batches in order: a later one would wait for memory that an earlier one holds.
Status DeviceScheduler::ForEach(int count, const std::function<void(int)>& work) {
  return ParallelFor(copy_pool_ ? *copy_pool_ : *pool_, kMostCopyThreads, count, work, /*urgent=*/!copy_pool_);
}

Status DeviceScheduler::Start(ThreadPool& pool, bool pool_has_other_work) {
  pool_ = &pool;
  if (has_devices_ && !pool_has_other_work)
    copy_pool_ = std::make_unique<ThreadPool>(std::min(settings_.threads, CopyThreads(std::ssize(lanes_))),
                                              ThreadPool::Mode::kThreads, settings_.fail);
  if (copy_pool_ && copy_pool_->is_inline()) copy_pool_.reset();
  for (auto& lane : lanes_) ACU_RETURN_IF_ERROR(lane->Start(*frames_));
  return {};
}

void DeviceScheduler::Stop() {
  if (frames_) frames_->Stop();
  if (settings_.cache && !lanes_.empty()) GiveBack();
  lanes_.clear();
}

/// All of the choice or none, so that a later session has the devices that it would find.
void DeviceScheduler::GiveBack() {
  std::vector<KeptDevice> devices;
  for (const auto& lane : lanes_)
    if (std::optional<KeptDevice> device = lane->Retire()) devices.push_back(std::move(*device));
  if (has_all_ && devices.size() == lanes_.size())
    settings_.cache->GiveBack(settings_.devices->choice(), std::move(devices));
}

int DeviceScheduler::frames_in_flight() const {
  int frames = 0;
  for (const auto& lane : lanes_) frames += lane->frames_in_flight();
  return frames;
}

Status DeviceScheduler::WaitForClients() const { return lanes_.front()->WaitForClients(); }

void DeviceScheduler::Drain() {
  if (frames_) frames_->Drain();
}

}  // namespace acutance
