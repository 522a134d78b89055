#include "devices/shared_device.h"

#include <string>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "devices/backends.h"

namespace acutance {
namespace {

/// Memory for pictures beyond this is the host's own: no page of it can be given to another program.
constexpr size_t kMostPictures = 2'000'000'000;

/// What a session has of a shared device.
class LentDevice : public Device {
 public:
  explicit LentDevice(std::shared_ptr<SharedDevice> owner) : owner_(std::move(owner)), device_(owner_->device()) {}
  ~LentDevice() override { owner_->TakeBack(); }
  LentDevice(const LentDevice&) = delete;

  const DeviceInfo& info() const override { return device_.info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return device_.Allocate(bytes, kind);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override { return device_.LoadKernel(image); }
  void LoadAhead(std::span<const KernelImage* const> images) override { device_.LoadAhead(images); }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return device_.MakeQueue(); }
  Result<std::unique_ptr<Buffer>> Adopt(uint64_t address, size_t bytes) override {
    return device_.Adopt(address, bytes);
  }
  std::optional<size_t> FreeMemory() override { return device_.FreeMemory(); }
  Status WaitForClients() override { return device_.WaitForClients(); }
  UploadPlace FindUpload(const std::byte* data, size_t bytes) override { return owner_->Find(data, bytes); }

 private:
  const std::shared_ptr<SharedDevice> owner_;
  Device& device_;
};

struct Registry {
  using Name = std::pair<std::string, int>;
  const ProcessGuard process;
  std::mutex mutex;  // guards what follows
  std::map<Name, std::shared_ptr<SharedDevice>> devices;
};

/// Never destroyed: drivers may have ended when a program's static objects do.
Registry& TheRegistry() {
  static Registry& registry = *new Registry();
  return registry;
}

}  // namespace

Result<std::shared_ptr<SharedDevice>> SharedDevice::Open(std::string_view backend, int index) {
  Registry& registry = TheRegistry();
  ACU_RETURN_IF_ERROR(registry.process.Check("a device"));
  const Backend* found = FindBackend(backend);
  if (!found) return Error(StatusCode::kInvalidArgument, "no backend {}", backend);
  const std::lock_guard lock(registry.mutex);
  std::shared_ptr<SharedDevice>& shared = registry.devices[{std::string(backend), index}];
  if (!shared) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, found->open(index));
    shared = std::make_shared<SharedDevice>(std::move(device));
  }
  return shared;
}

std::shared_ptr<SharedDevice> SharedDevice::Insert(std::unique_ptr<Device> device) {
  Registry& registry = TheRegistry();
  auto shared = std::make_shared<SharedDevice>(std::move(device));
  const DeviceInfo& info = shared->device().info();
  const std::lock_guard lock(registry.mutex);
  return registry.devices[{info.backend, info.index}] = shared;
}

std::unique_ptr<Device> SharedDevice::Lend() {
  auto lent = std::make_unique<LentDevice>(shared_from_this());
  const std::lock_guard lock(mutex_);
  ++lent_;
  return lent;
}

void SharedDevice::TakeBack() {
  if (process_.forked()) return;
  Buffers freed;  // go outside the lock
  const std::lock_guard lock(mutex_);
  if (--lent_ == 0) freed = RemoveIdle();
}

/// Called with the lock.
SharedDevice::Buffers SharedDevice::RemoveIdle() {
  Buffers removed;
  for (const auto& [bytes, memory] : idle_) {
    const auto found = memory_.find(memory);
    removed.push_back(std::move(found->second));
    memory_.erase(found);
    taken_bytes_ -= bytes;
  }
  idle_.clear();
  return removed;
}

Result<std::byte*> SharedDevice::Allocate(size_t bytes) {
  ACU_RETURN_IF_ERROR(process_.Check("a device"));
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_->Allocate(bytes, MemoryKind::kUpload));
  std::byte* const memory = buffer->host();
  const std::lock_guard lock(mutex_);
  memory_[memory] = std::move(buffer);
  return memory;
}

Status SharedDevice::Free(std::byte* memory) {
  if (process_.forked()) return {};  // it is the parent's
  std::unique_ptr<Buffer> freed;     // goes outside the lock
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(memory);
  if (found == memory_.end()) return Error(StatusCode::kInvalidArgument, "this memory is not the device's");
  freed = std::move(found->second);
  memory_.erase(found);
  return {};
}

std::shared_ptr<std::byte> SharedDevice::Take(size_t bytes) {
  std::byte* memory = nullptr;
  {
    Buffers freed;  // of other sizes
    const std::lock_guard lock(mutex_);
    if (const auto idle = idle_.find(bytes); idle != idle_.end()) {
      memory = idle->second;
      idle_.erase(idle);
    } else if (taken_bytes_ + bytes > kMostPictures) {
      freed = RemoveIdle();
      if (taken_bytes_ + bytes > kMostPictures) return nullptr;
    }
  }
  if (!memory) {
    const Result<std::byte*> made = Allocate(bytes);
    if (!made.ok()) return nullptr;
    memory = *made;
    const std::lock_guard lock(mutex_);
    taken_bytes_ += bytes;
  }
  return {memory, [self = shared_from_this(), bytes](std::byte* returned) {
            (void)CatchExceptions([&] {
              const std::lock_guard lock(self->mutex_);
              self->idle_.emplace(bytes, returned);
              return Status();
            });
          }};
}

Device::UploadPlace SharedDevice::Find(const std::byte* data, size_t bytes) const {
  const std::shared_lock lock(mutex_);
  auto next = memory_.upper_bound(data);
  if (next == memory_.begin()) return {};
  const auto& [begin, buffer] = *--next;
  const auto offset = static_cast<size_t>(data - begin);
  if (offset > buffer->bytes() || bytes > buffer->bytes() - offset) return {};
  return {buffer.get(), offset};
}

}  // namespace acutance
