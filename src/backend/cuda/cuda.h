// NVIDIA GPUs. Needs no CUDA toolkit: the driver's library is opened at run time and kernels come as embedded PTX.
#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kCudaBackend;

}  // namespace acutance
