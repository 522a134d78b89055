// Memory of the host and of the GPU, for finding leaks.
#pragma once

#include <cstdint>

#include "backend/cuda/driver.h"

namespace acutance {

/// Resident memory of this process.
int64_t HostKib();

/// Memory in use on CUDA device 0, which hip's stand-in uses too. The object holds the device's
/// context, so that only memory that other users leave behind shows.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  int64_t UsedKib() const;  // 0 without a CUDA device

 private:
  const cuda::Driver* driver_ = nullptr;
  cuda::CUcontext context_ = nullptr;
};

}  // namespace acutance
