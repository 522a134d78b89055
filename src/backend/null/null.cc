#include "backend/null/null.h"

namespace acutance {
namespace {

class NullBuffer : public Buffer {
 public:
  NullBuffer(size_t bytes, MemoryKind kind)
      : memory_(std::make_unique<std::byte[]>(bytes)), bytes_(bytes), kind_(kind) {}
  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return kind_ == MemoryKind::kDevice ? reinterpret_cast<uint64_t>(memory()) : 0; }
  std::byte* host() const override { return kind_ == MemoryKind::kDevice ? nullptr : memory(); }
  std::byte* memory() const { return memory_.get(); }

 private:
  const std::unique_ptr<std::byte[]> memory_;
  const size_t bytes_;
  const MemoryKind kind_;
};

class NullQueue : public Queue {
 public:
  Result<std::unique_ptr<Recording>> Record(std::span<const Command>) override { return std::make_unique<Recording>(); }
  Status Submit(Recording&) override { return {}; }
  Status Copy(std::span<const CopyCommand>) override { return {}; }
  Status Wait() override { return {}; }
};

class NullDevice : public Device {
 public:
  explicit NullDevice(bool is_reference) { info_.is_reference = is_reference; }
  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return std::unique_ptr<Buffer>(std::make_unique<NullBuffer>(bytes, kind));
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage&) override { return std::make_unique<Kernel>(); }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return std::unique_ptr<Queue>(std::make_unique<NullQueue>()); }
  Result<std::unique_ptr<Buffer>> Adopt(uint64_t, size_t bytes) override {
    return Allocate(bytes, MemoryKind::kDevice);
  }

 private:
  DeviceInfo info_ = {.backend = "null", .name = "a device that computes nothing", .driver = "1", .wave_size = 32};
};

}  // namespace

std::unique_ptr<Device> MakeNullDevice(bool is_reference) { return std::make_unique<NullDevice>(is_reference); }

const Backend kNullBackend = {
    .name = "null",
    .summary = "computes nothing",
    .probe =
        [] {
          return BackendProbe{{NullDevice(false).info()}, ""};
        },
    .open = [](int) -> Result<std::unique_ptr<Device>> { return MakeNullDevice(false); },
};

}  // namespace acutance
