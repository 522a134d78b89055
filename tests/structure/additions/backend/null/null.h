#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kNullBackend;

}  // namespace acutance
