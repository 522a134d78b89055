// Intel GPUs and CPUs, through Intel's SYCL runtime. All that needs the runtime is in a plugin library, which is opened
// at run time; this header and its library need neither.
#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kSyclBackend;

}  // namespace acutance
