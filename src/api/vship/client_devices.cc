#include "api/vship/client_devices.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/environment.h"
#include "devices/backends.h"
#include "devices/shared_device.h"

namespace acutance::vship {
namespace {

constexpr std::align_val_t kAlignment{64};

std::atomic<int> g_current_device = 0;

/// Memory that was handed out, with the device that it belongs to; null: the host's own.
struct PinnedMemory {
  std::mutex mutex;  // guards what follows
  std::map<void*, std::shared_ptr<SharedDevice>> owners;
};

/// Never destroyed: clients may call while the program ends.
PinnedMemory& ThePinned() {
  static PinnedMemory& pinned = *new PinnedMemory();
  return pinned;
}

std::string BackendName() {
  const char* backend = Variable("VSHIP_BACKEND");
  return backend ? backend : "auto";
}

Outcome AllocateOnHost(uint64_t bytes, void*& memory) {
  constexpr auto kLine = static_cast<size_t>(kAlignment);
  if (bytes > std::numeric_limits<size_t>::max() - kLine) return Failure(kOutOfRam, "{} bytes", bytes);
  const size_t whole = (std::max<size_t>(bytes, 1) + kLine - 1) / kLine * kLine;
  memory = ::operator new(whole, kAlignment, std::nothrow);
  return memory ? Outcome() : Failure(kOutOfRam, "no memory for {} bytes", bytes);
}

/// Pages that a device reads are few on some systems, where the host's own memory does as well.
Outcome AllocateFor(const std::shared_ptr<SharedDevice>& device, uint64_t bytes, void*& memory) {
  Result<std::byte*> made = device->Allocate(static_cast<size_t>(bytes));
  if (!made.ok()) return Outcome(made.status());
  memory = *made;
  return {};
}

}  // namespace

std::vector<api::FrameDevice> Gpus() {
  return api::ListFrameDevices(BackendName(), {"ssimulacra2", "butteraugli", "cvvdp"});
}

Outcome CheckBackend() {
  const Status status = CheckDeviceChoice({.backend = BackendName()});
  return status.ok() ? Outcome() : Failure(kBadDeviceArgument, "VSHIP_BACKEND: {}", status.message());
}

Outcome CheckDevice(int device) {
  if (Outcome bad = CheckBackend(); !bad.ok()) return bad;
  const auto last = static_cast<int>(Gpus().size());
  if (device >= 0 && device <= last) return {};
  return Failure(kBadDeviceArgument, "there is no device {}; the processor is the last one, {}", device, last);
}

Outcome ChooseDevice(int device, api::FrameScorerOptions& options) {
  if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
  const std::vector<api::FrameDevice> gpus = Gpus();
  if (device == static_cast<int>(gpus.size())) return {};
  options.backend = gpus[device].backend;
  options.device = gpus[device].index;
  return {};
}

int CurrentDevice() { return g_current_device; }

Outcome SetCurrentDevice(int device) {
  if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
  g_current_device = device;
  return {};
}

Outcome AllocatePinned(int device, uint64_t bytes, void*& memory) {
  api::FrameScorerOptions place;
  if (Outcome bad = ChooseDevice(device, place); !bad.ok()) return bad;
  std::shared_ptr<SharedDevice> owner;
  if (place.backend != "cpu") {
    Result<std::shared_ptr<SharedDevice>> opened = SharedDevice::Open(place.backend, place.device);
    if (opened.ok()) owner = *std::move(opened);
  }
  const bool is_small = bytes <= std::numeric_limits<size_t>::max() / 2;
  if (!owner || !is_small || !AllocateFor(owner, bytes, memory).ok()) {
    owner.reset();
    if (Outcome bad = AllocateOnHost(bytes, memory); !bad.ok()) return bad;
  }
  PinnedMemory& pinned = ThePinned();
  const std::lock_guard lock(pinned.mutex);
  pinned.owners[memory] = std::move(owner);
  return {};
}

Outcome FreePinned(void* memory) {
  PinnedMemory& pinned = ThePinned();
  std::shared_ptr<SharedDevice> owner;
  {
    const std::lock_guard lock(pinned.mutex);
    const auto found = pinned.owners.find(memory);
    if (found == pinned.owners.end()) return Failure(kBadPointer, "this memory was not allocated here, or is free");
    owner = std::move(found->second);
    pinned.owners.erase(found);
  }
  if (!owner) return ::operator delete(memory, kAlignment), Outcome();
  return Outcome(owner->Free(static_cast<std::byte*>(memory)));
}

}  // namespace acutance::vship
