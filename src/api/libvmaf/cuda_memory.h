// The memory of a CUDA device, for pictures that clients fill there.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/status.h"
#include "exec/device.h"

namespace acutance::libvmaf {

class CudaMemory {
 public:
  /// Uses the client's CUcontext, which outlives the object; null: the primary context of device
  /// 0.
  static Result<std::shared_ptr<CudaMemory>> Open(void* cu_ctx);

  /// Opens the same device and context again, for a session.
  Result<std::unique_ptr<Device>> OpenDevice() const;

  /// kDevice: zeroed memory of the device; kUpload: page-locked memory of the host.
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind);

  /// Waits until the work that clients queued to the context's default stream is done: their
  /// copies into pictures.
  Status WaitForClients();

  Status Download(uint64_t address, std::span<std::byte> to);

 private:
  CudaMemory(void* cu_ctx, std::unique_ptr<Device> device, std::unique_ptr<Queue> queue)
      : cu_ctx_(cu_ctx), device_(std::move(device)), queue_(std::move(queue)) {}
  Status Copy(const Buffer& from, const Buffer& to, size_t bytes);

  void* const cu_ctx_;
  std::mutex mutex_;  // guards what follows
  const std::unique_ptr<Device> device_;
  const std::unique_ptr<Queue> queue_;
  std::unique_ptr<Buffer> readback_;
};

}  // namespace acutance::libvmaf
