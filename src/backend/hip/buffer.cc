#include "backend/hip/buffer.h"

#include <algorithm>

#include "backend/hip/error.h"

namespace acutance::hip {
namespace {

/// "700 of 1000 bytes are free; ", or "" when the driver does not say.
std::string FreeText(const Driver& driver) {
  size_t free = 0, total = 0;
  if (driver.hipMemGetInfo(&free, &total) != hipSuccess) return "";
  return fmt::format("{} of {} bytes are free; ", free, total);
}

Status DeviceAllocationStatus(Context& context, hipError_t result, size_t bytes) {
  if (result != hipErrorOutOfMemory)
    return context.Check(result, fmt::format("allocate {} bytes of its memory", bytes));
  return Error(
      StatusCode::kOutOfMemory,
      "{}: out of device memory: {} bytes were asked for; {}close other programs that use the device, or take a "
      "smaller batch",
      context.info().name, bytes, FreeText(context.driver()));
}

Status PinnedAllocationStatus(Context& context, hipError_t result, size_t bytes) {
  if (result != hipErrorOutOfMemory)
    return context.Check(result, fmt::format("allocate {} bytes of pinned host memory", bytes));
  return Error(StatusCode::kOutOfMemory,
               "{}: out of pinned host memory: {} bytes were asked for; close other programs, or take a smaller batch",
               context.info().name, bytes);
}

}  // namespace

Result<std::unique_ptr<Buffer>> DeviceBuffer::Allocate(std::shared_ptr<Context> context, size_t bytes) {
  const CurrentContext current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  void* memory = nullptr;
  const hipError_t result = context->driver().hipMalloc(&memory, std::max<size_t>(bytes, 1));
  ACU_RETURN_IF_ERROR(DeviceAllocationStatus(*context, result, bytes));
  return std::unique_ptr<Buffer>(new DeviceBuffer(std::move(context), static_cast<std::byte*>(memory), bytes));
}

DeviceBuffer::~DeviceBuffer() {
  const CurrentContext current(*context_);
  if (current.pushed()) context_->driver().hipFree(memory_);
}

Result<std::unique_ptr<Buffer>> PinnedBuffer::Allocate(std::shared_ptr<Context> context, size_t bytes) {
  const CurrentContext current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  void* memory = nullptr;
  const hipError_t result = context->driver().hipHostMalloc(&memory, std::max<size_t>(bytes, 1), 0);
  ACU_RETURN_IF_ERROR(PinnedAllocationStatus(*context, result, bytes));
  return std::unique_ptr<Buffer>(new PinnedBuffer(std::move(context), static_cast<std::byte*>(memory), bytes));
}

PinnedBuffer::~PinnedBuffer() {
  const CurrentContext current(*context_);
  if (current.pushed()) context_->driver().hipHostFree(memory_);
}

// A mapped file can only be read, and the driver must be told so. Refusals are no failures of the device: the memory
// may be of a kind that the system does not pin, or more than it pins for one process.
Result<std::unique_ptr<Buffer>> ImportedBuffer::Import(std::shared_ptr<Context> context,
                                                       std::span<const std::byte> memory) {
  const CurrentContext current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  void* begin = const_cast<std::byte*>(memory.data());
  const hipError_t result =
      context->driver().hipHostRegister(begin, memory.size(), hipHostRegisterPortable | hipHostRegisterReadOnly);
  if (IsDeviceLost(result)) return context->Check(result, "pin memory of the host");
  if (result != hipSuccess)
    return Error(StatusCode::kUnsupported, "{} cannot pin {} bytes of the host's memory: {}", context->info().name,
                 memory.size(), ResultText(context->driver(), result));
  return std::unique_ptr<Buffer>(new ImportedBuffer(std::move(context), memory));
}

ImportedBuffer::~ImportedBuffer() {
  const CurrentContext current(*context_);
  if (current.pushed()) context_->driver().hipHostUnregister(const_cast<std::byte*>(memory_.data()));
}

}  // namespace acutance::hip
