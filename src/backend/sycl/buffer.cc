#include "backend/sycl/buffer.h"

#include <algorithm>

#include "backend/sycl/error.h"

namespace acutance::sycl_backend {
namespace {

constexpr size_t kAlignment = 256;  // that the rows of pictures have

}  // namespace

Result<std::unique_ptr<Buffer>> UsmBuffer::Allocate(std::shared_ptr<Context> context, size_t bytes, MemoryKind kind) {
  ACU_RETURN_IF_ERROR(context->Lost());
  const bool on_device = kind == MemoryKind::kDevice;
  const size_t size = std::max<size_t>(bytes, 1);
  void* memory = nullptr;
  // Above its limit a runtime may hand out memory that it fails to use.
  if (!on_device || bytes <= context->largest_allocation())
    ACU_RETURN_IF_ERROR(Try(context->info().name, fmt::format("allocate {} bytes", bytes), [&] {
      memory = on_device ? sycl::aligned_alloc_device(kAlignment, size, context->device(), context->context())
                         : sycl::aligned_alloc_host(kAlignment, size, context->context());
    }));
  if (memory == nullptr)
    return Error(StatusCode::kOutOfMemory,
                 "{}: out of {} memory: {} bytes were asked for, one allocation may have {}; close other programs, or "
                 "take a smaller batch",
                 context->info().name, on_device ? "device" : "host", bytes, context->largest_allocation());
  return std::unique_ptr<Buffer>(new UsmBuffer(std::move(context), static_cast<std::byte*>(memory), bytes, kind));
}

UsmBuffer::~UsmBuffer() {
  if (context_->is_abandoned()) return;
  // A lost device may refuse even this; there is nothing left to do about it.
  static_cast<void>(Try("", "", [&] { sycl::free(memory_, context_->context()); }));
}

}  // namespace acutance::sycl_backend
