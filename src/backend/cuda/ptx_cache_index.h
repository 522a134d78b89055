// Which kernels the driver has compiled before, and so finds in its own cache of files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "exec/device.h"

namespace acutance::cuda {

/// What this user's runs have noted for a device and its driver. The driver itself does not tell what it holds.
class CompiledBefore {
 public:
  explicit CompiledBefore(const DeviceInfo& info);

  /// Whether a kernel is among them, by the hash of its text.
  bool Has(uint64_t kernel) const;
  /// Notes kernels for later runs. False where no later run would know.
  bool Add(std::span<const uint64_t> kernels);

 private:
  std::vector<uint64_t> Read() const;

  const std::string key_;
  std::vector<uint64_t> kernels_;  // the last noted are last
};

/// Whether the driver keeps what it compiles: CUDA_CACHE_DISABLE tells it not to.
bool DriverKeepsCode();

}  // namespace acutance::cuda
