#include "api/libvmaf/cuda_memory.h"

#include <cstring>
#include <utility>

#include "devices/backends.h"

namespace acutance::libvmaf {
namespace {

Result<std::unique_ptr<Device>> OpenIn(void* cu_ctx) {
  const Backend* backend = FindContextBackend();
  if (!backend) return Error(StatusCode::kUnsupported, "this build has no backend for CUDA contexts");
  return cu_ctx ? backend->open_context(cu_ctx) : backend->open(0);
}

}  // namespace

Result<std::shared_ptr<CudaMemory>> CudaMemory::Open(void* cu_ctx) {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, OpenIn(cu_ctx));
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Queue> queue, device->MakeQueue());
  return std::shared_ptr<CudaMemory>(new CudaMemory(cu_ctx, std::move(device), std::move(queue)));
}

Result<std::unique_ptr<Device>> CudaMemory::OpenDevice() const { return OpenIn(cu_ctx_); }

Status CudaMemory::Copy(const Buffer& from, const Buffer& to, size_t bytes) {
  const CopyCommand copy{&from, 0, &to, 0, bytes};
  ACU_RETURN_IF_ERROR(queue_->Copy({&copy, 1}));
  return queue_->Wait();
}

Result<std::unique_ptr<Buffer>> CudaMemory::Allocate(size_t bytes, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_->Allocate(bytes, kind));
  if (kind == MemoryKind::kUpload) {
    std::memset(buffer->host(), 0, bytes);
    return buffer;
  }
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> zeros, device_->Allocate(bytes, MemoryKind::kUpload));
  std::memset(zeros->host(), 0, bytes);
  ACU_RETURN_IF_ERROR(Copy(*zeros, *buffer, bytes));
  return buffer;
}

Status CudaMemory::WaitForClients() {
  const std::lock_guard lock(mutex_);
  return device_->WaitForClients();
}

Status CudaMemory::Download(uint64_t address, std::span<std::byte> to) {
  const std::lock_guard lock(mutex_);
  if (!readback_ || readback_->bytes() < to.size()) {
    ACU_ASSIGN_OR_RETURN(readback_, device_->Allocate(to.size(), MemoryKind::kReadback));
  }
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> from, device_->Adopt(address, to.size()));
  ACU_RETURN_IF_ERROR(Copy(*from, *readback_, to.size()));
  std::memcpy(to.data(), readback_->host(), to.size());
  return {};
}

}  // namespace acutance::libvmaf
