// NVIDIA GPUs. Needs no CUDA toolkit: the driver's library is opened at run time and kernels come as embedded PTX.
#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kCudaBackend;

/// The device of a CUcontext that somebody else made and outlives it: all its memory and work are in that context.
Result<std::unique_ptr<Device>> OpenCudaContext(void* context);

/// The CUcontext in which a CUDA device works; it lives as long as the device.
void* CudaContextOf(const Device& device);

}  // namespace acutance
