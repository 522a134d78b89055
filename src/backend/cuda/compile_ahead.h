// Parallel compilation of kernels. The driver compiles PTX with the context's lock held, one kernel after another for
// each context; contexts compile side by side, and the driver caches compiled code in files, from which it serves all
// others. So helper threads with contexts of their own load the same PTX in the same way, drop it again, and the
// device's own context then finds it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "backend/cuda/api.h"
#include "backend/gpu_driver/context.h"
#include "exec/kernel_image.h"

namespace acutance::cuda {

/// Loads kernels that the driver has never compiled for this user, and compiles further ones next to them; the others
/// load quickly afterwards. Does nothing where that would gain little or is in doubt: each kernel is tried once for
/// each user, device and driver, since a driver that caches no code, or ends the program, would do so each time.
void CompileAhead(const std::shared_ptr<gpu::Context<Api>>& context, std::span<const KernelImage* const> images);

/// How many contexts help to compile `kernels` kernels of `bytes` bytes of PTX in all, on a machine with `cpus`
/// processors and `free_memory` bytes of free device memory.
size_t HelperContexts(size_t kernels, size_t bytes, int cpus, size_t free_memory);

}  // namespace acutance::cuda
