// Functions of libvmaf_cuda.h.
#include <libvmaf/libvmaf_cuda.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "api/libvmaf/context.h"
#include "api/libvmaf/cuda_memory.h"
#include "api/libvmaf/log.h"

struct VmafCudaState {
  void* cu_ctx;
};

namespace acutance::libvmaf {
namespace {

/// The state of a CUcontext. States are never freed, because libvmaf has no function for it
/// (docs/spec/system.md 4); one for each CUcontext is enough.
VmafCudaState* StateOf(void* cu_ctx) {
  static std::mutex mutex;
  static auto& states = *new std::map<void*, std::unique_ptr<VmafCudaState>>();
  const std::lock_guard lock(mutex);
  std::unique_ptr<VmafCudaState>& state = states[cu_ctx];
  if (!state) state = std::make_unique<VmafCudaState>(VmafCudaState{cu_ctx});
  return state.get();
}

/// Any error as kInvalidArgument (-EINVAL), libvmaf's error for everything that prevents CUDA from working.
Status AsInvalid(const Status& status) {
  return status.ok() ? status : Status(StatusCode::kInvalidArgument, status.message());
}

}  // namespace
}  // namespace acutance::libvmaf

namespace lib = acutance::libvmaf;
using acutance::Status;

extern "C" {

int vmaf_cuda_state_init(VmafCudaState** cu_state, VmafCudaConfiguration cfg) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(cu_state, "cu_state"));
    ACU_RETURN_IF_ERROR(lib::AsInvalid(lib::CudaMemory::Open(cfg.cu_ctx).status()));
    *cu_state = lib::StateOf(cfg.cu_ctx);
    return {};
  });
}

int vmaf_cuda_import_state(VmafContext* vmaf, VmafCudaState* cu_state) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_ASSIGN_OR_RETURN(std::shared_ptr<lib::Context> context, lib::Contexts::Get().Find(vmaf, "vmaf"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(cu_state, "cu_state"));
    return lib::AsInvalid(lib::Locked(std::move(context))->UseCuda(cu_state->cu_ctx));
  });
}

int vmaf_cuda_preallocate_pictures(VmafContext* vmaf, VmafCudaPictureConfiguration cfg) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_ASSIGN_OR_RETURN(const std::shared_ptr<lib::Context> context, lib::Contexts::Get().Find(vmaf, "vmaf"));
    return context->PreallocateCuda(cfg);
  });
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(pic, "pic"));
    ACU_ASSIGN_OR_RETURN(const std::shared_ptr<lib::Context> context, lib::Contexts::Get().Find(vmaf, "vmaf"));
    ACU_ASSIGN_OR_RETURN(*pic, context->FetchCuda());
    return {};
  });
}

}  // extern "C"
