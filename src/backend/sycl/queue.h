// Kernels and queues of a SYCL device. Recordings are lists of commands, checked once and put into an in-order queue
// each time: graphs would be faster to start, but the one device that tests have, Intel's OpenCL for CPUs, offers only
// the limited kind.
#pragma once

#include <memory>

#include "backend/sycl/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::sycl_backend {

/// A kernel is compiled together with others, before the first recording that needs it.
Result<std::unique_ptr<Kernel>> LoadKernel(std::shared_ptr<Context> context, const KernelImage& image);

Result<std::unique_ptr<Queue>> MakeQueue(std::shared_ptr<Context> context);

}  // namespace acutance::sycl_backend
