#pragma once

#include <memory>

#include "backend/emu/emu.h"
#include "exec/device.h"

namespace acutance {

class EmuDevice : public Device {
 public:
  explicit EmuDevice(const EmuSettings& settings);

  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override;
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override;
  Result<std::unique_ptr<Queue>> MakeQueue() override;
  Result<std::unique_ptr<Buffer>> Adopt(uint64_t address, size_t bytes) override;

 private:
  const EmuSettings settings_;
  const DeviceInfo info_;
};

}  // namespace acutance
