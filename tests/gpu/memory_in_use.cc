#include "tests/gpu/memory_in_use.h"

#include <unistd.h>

#include <fstream>

namespace acutance {

int64_t HostKib() {
  int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

DeviceMemory::DeviceMemory() {
  const Result<const cuda::Driver*> driver = cuda::OpenDriver();
  if (driver.ok() && (*driver)->cuDevicePrimaryCtxRetain(&context_, 0) == cuda::CUDA_SUCCESS) driver_ = *driver;
}

DeviceMemory::~DeviceMemory() {
  if (driver_) driver_->cuDevicePrimaryCtxRelease_v2(0);
}

int64_t DeviceMemory::UsedKib() const {
  if (!driver_ || driver_->cuCtxPushCurrent_v2(context_) != cuda::CUDA_SUCCESS) return 0;
  size_t free = 0, total = 0;
  driver_->cuMemGetInfo_v2(&free, &total);
  cuda::CUcontext popped = nullptr;
  driver_->cuCtxPopCurrent_v2(&popped);
  return static_cast<int64_t>((total - free) / 1024);
}

}  // namespace acutance
