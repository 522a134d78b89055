// Null device: memory of zeros, and no work. It measures what the engine costs, and is the template for new backends.
#pragma once

#include <memory>

#include "exec/device.h"

namespace acutance {

/// Not in devices/backends.inc: its self-test refuses it.
extern const Backend kNullBackend;

/// is_reference: the engine trusts it without a self-test.
std::unique_ptr<Device> MakeNullDevice(bool is_reference);

}  // namespace acutance
