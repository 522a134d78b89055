#include "engine/device_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "devices/selftest.h"

namespace acutance {
namespace {

/// The most choices, such as a backend, whose devices are cached: each takes memory while it is idle.
constexpr size_t kMostChoices = 2;
constexpr size_t kUnknownMemory = 4'000'000'000;

/// Half of the device's free memory; a quarter of all where it does not report that.
size_t BytesForPlanes(Device& device) {
  if (const std::optional<size_t> free = device.FreeMemory()) return *free / 2;
  const uint64_t all = device.info().memory_bytes;
  return static_cast<size_t>(all > 0 ? all : kUnknownMemory) / 4;
}

}  // namespace

DeviceCache::~DeviceCache() {
  if (!process_.forked()) return;
  new std::list<Group>(std::move(groups_));  // for ever
  new std::vector<std::unique_ptr<Device>>(std::move(decoders_));
}

std::vector<CachedDevice> DeviceCache::Take(const DeviceChoice& choice) {
  if (process_.forked()) return {};
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(groups_, choice, &Group::choice);
  if (found == groups_.end()) return {};
  std::vector<CachedDevice> devices = std::move(found->devices);
  groups_.erase(found);
  return devices;
}

std::vector<DeviceInfo> DeviceCache::Peek(const DeviceChoice& choice) const {
  if (process_.forked()) return {};
  const std::lock_guard lock(mutex_);
  std::vector<DeviceInfo> infos;
  if (const auto found = std::ranges::find(groups_, choice, &Group::choice); found != groups_.end())
    for (const CachedDevice& cached : found->devices) infos.push_back(cached.device->info());
  return infos;
}

CachedDevice DeviceCache::Adopt(std::unique_ptr<Device> device) const {
  auto planes = std::make_unique<PlaneCache>(*device, most_bytes_ ? *most_bytes_ : BytesForPlanes(*device));
  return {std::move(device), std::move(planes), nullptr};
}

void DeviceCache::GiveBack(const DeviceChoice& choice, std::vector<CachedDevice> devices) {
  if (process_.forked()) return;
  std::list<Group> surplus;  // goes outside the lock
  const std::lock_guard lock(mutex_);
  const auto is_forgotten = [&](uint64_t video) { return !videos_.contains(video); };
  for (const CachedDevice& device : devices) device.planes->Forget(is_forgotten);
  groups_.push_front({choice, std::move(devices)});
  while (CountChoices() > kMostChoices) surplus.splice(surplus.begin(), groups_, std::prev(groups_.end()));
}

size_t DeviceCache::CountChoices() const {
  std::vector<DeviceChoice> choices;
  for (const Group& group : groups_)
    if (std::ranges::find(choices, group.choice) == choices.end()) choices.push_back(group.choice);
  return choices.size();
}

std::unique_ptr<Device> DeviceCache::TakeDecoder(const DeviceInfo& info) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(decoders_, [&](const std::unique_ptr<Device>& device) {
    return device->info().backend == info.backend && device->info().index == info.index;
  });
  if (process_.forked() || found == decoders_.end()) return nullptr;
  std::unique_ptr<Device> device = std::move(*found);
  decoders_.erase(found);
  return device;
}

Result<std::shared_ptr<Device>> DeviceCache::OpenDecoder(const DeviceInfo& info) {
  std::unique_ptr<Device> device = TakeDecoder(info);
  if (!device) {
    ACU_ASSIGN_OR_RETURN(device, FindBackend(info.backend)->open(info.index));
  }
  const auto give_back = [cache = weak_from_this()](Device* idle) {
    std::unique_ptr<Device> owned(idle);
    const std::shared_ptr<DeviceCache> alive = cache.lock();
    if (!alive || alive->process_.forked()) return;
    (void)CatchExceptions([&] {
      const std::lock_guard lock(alive->mutex_);
      alive->decoders_.push_back(std::move(owned));
      return Status();
    });
  };
  return std::shared_ptr<Device>(device.release(), give_back);
}

void DeviceCache::CloseDecoders() {
  if (process_.forked()) return;
  pool_->Clear();
  const std::lock_guard lock(mutex_);
  decoders_.clear();
}

void DeviceCache::Remember(uint64_t video) {
  if (process_.forked()) return;
  const std::lock_guard lock(mutex_);
  videos_.insert(video);
}

void DeviceCache::Forget(uint64_t video) {
  if (process_.forked()) return;
  const std::lock_guard lock(mutex_);
  videos_.erase(video);
  const auto is_it = [&](uint64_t other) { return other == video; };
  for (const Group& group : groups_)
    for (const CachedDevice& device : group.devices) device.planes->Forget(is_it);
}

int64_t DeviceCache::Frames(uint64_t video) const {
  if (process_.forked()) return 0;
  const std::lock_guard lock(mutex_);
  int64_t most = 0;
  for (const Group& group : groups_)
    for (const CachedDevice& device : group.devices) most = std::max(most, device.planes->Frames(video));
  return most;
}

size_t DeviceCache::bytes() const {
  if (process_.forked()) return 0;
  const std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (const Group& group : groups_)
    for (const CachedDevice& device : group.devices) bytes += device.planes->bytes();
  return bytes;
}

namespace {

struct Shared {
  std::mutex mutex;
  std::weak_ptr<DeviceCache> devices;  // guarded by mutex
};

Shared& TheShared() {
  static Shared shared;
  return shared;
}

}  // namespace

std::shared_ptr<DeviceCache> ShareDevices() {
  Shared& shared = TheShared();
  const std::lock_guard lock(shared.mutex);
  std::shared_ptr<DeviceCache> devices = shared.devices.lock();
  if (!devices) shared.devices = devices = std::make_shared<DeviceCache>(std::nullopt);
  return devices;
}

std::shared_ptr<DeviceCache> SharedDevices() {
  Shared& shared = TheShared();
  const std::lock_guard lock(shared.mutex);
  return shared.devices.lock();
}

Result<DecodingDevice> OpenForDecoding(const DeviceInfo& device, DeviceCache& cache) {
  const Backend& backend = *FindBackend(device.backend);
  if (!backend.open_decoder) return Error(StatusCode::kUnsupported, "{} decodes no video", device.name);
  ACU_ASSIGN_OR_RETURN(const std::shared_ptr<Device> mine, cache.OpenDecoder(device));
  ACU_RETURN_IF_ERROR(CheckOnce(*mine, UnpackSelfTest()));
  const CodedVideo common{.codec = DeviceCodec::kH264, .format = {1280, 720, 8, PixelFormat::k420}};
  ACU_ASSIGN_OR_RETURN(const int engines, backend.count_engines(*mine, common));
  const auto make = [mine, open = backend.open_decoder](const CodedVideo& video) { return open(mine, video); };
  const auto open = [pool = cache.decoder_pool(), name = fmt::format("{} {}", device.backend, device.index),
                     make](const CodedVideo& video) { return pool->Open(name, video, make); };
  return DecodingDevice{open, engines};
}

}  // namespace acutance
