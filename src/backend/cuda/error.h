// The meaning of the driver's result codes.
#pragma once

#include <string>
#include <string_view>

#include "backend/cuda/driver.h"
#include "base/status.h"

namespace acutance::cuda {

/// "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure".
std::string ResultText(const Driver& driver, CUresult result);

/// True when no later call on the device can succeed either: its context is corrupt, or the device is gone.
bool IsDeviceLost(CUresult result);

/// Ok, or an error that says what failed: "<device>: could not <doing>: <result>".
Status CallStatus(const Driver& driver, std::string_view device, CUresult result, std::string_view doing);

}  // namespace acutance::cuda
