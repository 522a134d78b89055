// The cost of starting work on a device. Each batch of a session pays it, however few its
// pictures.
#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Prints a Markdown table: microseconds for a recording, for a copy of so many bytes, and for both as a batch has
/// them, with one batch in flight and with four.
Status PrintStartTimes(Device& device, std::span<const size_t> copy_bytes, int repeats);

}  // namespace acutance
