// The meaning of the runtime's result codes.
#pragma once

#include <string>
#include <string_view>

#include "backend/hip/driver.h"
#include "base/status.h"

namespace acutance::hip {

/// "hipErrorLaunchFailure: unspecified launch failure".
std::string ResultText(const Driver& driver, hipError_t result);

/// True when no later call on the device can succeed either: its context is corrupt, or the device is gone.
bool IsDeviceLost(hipError_t result);

/// Ok, or an error that says what failed: "<device>: could not <doing>: <result>".
Status CallStatus(const Driver& driver, std::string_view device, hipError_t result, std::string_view doing);

}  // namespace acutance::hip
