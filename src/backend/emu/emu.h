// Emulator of GPUs on the CPU: every work item is a fiber, in an order that a seed shuffles. It finds faults in
// kernels, under sanitizers and at any wave size, and is never chosen for speed.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

struct EmuSettings {
  int wave_size = 32;  // 4, 8, 16, 32 or 64
  uint64_t seed = 1;   // of the order of workgroups and items, and of the garbage in fresh memory
};

Result<std::unique_ptr<Device>> OpenEmuDevice(const EmuSettings& settings);

extern const Backend kEmuBackend;

}  // namespace acutance
