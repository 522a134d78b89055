// AMD GPUs. Needs no ROCm to build: the HIP runtime is opened at run time and kernels come as embedded code objects.
#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kHipBackend;

}  // namespace acutance
