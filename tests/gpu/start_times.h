// What it costs to start work on a device: a session's batches pay it one by one, however few pictures they have.
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
