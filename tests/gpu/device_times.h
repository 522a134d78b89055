// What a GPU needs for a frame pair, beside what its memory and its link to the host allow.
#pragma once

#include <span>
#include <utility>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Prints a Markdown table: every metric with a plan, and the whole model vmaf_v0.6.1, for 8-bit 4:2:0 pictures.
Status PrintDeviceTimes(Device& device, std::span<const std::pair<int, int>> sizes);

}  // namespace acutance
