// AMD GPUs. Needs no ROCm to build: the HIP runtime is opened at run time, and code objects come from a file next to
// the program (kernel_file.h).
#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kHipBackend;

}  // namespace acutance
