#include "engine/device_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "devices/selftest.h"
#include "exec/surface_splitter.h"

namespace acutance {
namespace {

/// The most choices, such as a backend, whose devices are cached: each takes memory while it is idle.
constexpr size_t kMostGroups = 2;
constexpr size_t kUnknownMemory = 4'000'000'000;

/// Half of the device's free memory; a quarter of all where it does not report that.
size_t BytesForPlanes(Device& device) {
  if (const std::optional<size_t> free = device.FreeMemory()) return *free / 2;
  const uint64_t all = device.info().memory_bytes;
  return static_cast<size_t>(all > 0 ? all : kUnknownMemory) / 4;
}

}  // namespace

DeviceCache::~DeviceCache() {
  if (process_.forked()) new std::list<Group>(std::move(groups_));  // for ever
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
  const auto before = std::ranges::find(groups_, choice, &Group::choice);
  if (before != groups_.end()) surplus.splice(surplus.begin(), groups_, before);
  groups_.push_front({choice, std::move(devices)});
  while (groups_.size() > kMostGroups) surplus.splice(surplus.begin(), groups_, std::prev(groups_.end()));
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

Result<DecodingDevice> OpenForDecoding(const DeviceInfo& device) {
  const Backend& backend = *FindBackend(device.backend);
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Device> mine, backend.open(device.index));
  ACU_RETURN_IF_ERROR(CheckOnce(*mine, UnpackSelfTest()));
  const auto split = [mine] {
    return [splitter = std::make_shared<SurfaceSplitter>(mine)](const DeviceFrame& frame) {
      return splitter->Unpack(frame);
    };
  };
  return DecodingDevice{backend.context_of(*mine), split(), split};
}

}  // namespace acutance
