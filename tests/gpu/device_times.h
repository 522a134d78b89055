// The time that a GPU needs for a frame pair, next to what its memory and its link to the host
// allow.
#pragma once

#include <span>
#include <utility>

#include "base/status.h"
#include "exec/device.h"
#include "metric/metric.h"

namespace acutance {

/// Prints a Markdown table for 8-bit 4:2:0 pictures: the metrics, and after several of them whole
/// models. batch 0: as the tuning table says.
Status PrintDeviceTimes(Device& device, std::span<const Metric* const> metrics,
                        std::span<const std::pair<int, int>> sizes, int batch);

/// Rows of that table: each metric on the smallest pictures of tests.
Status PrintSmallestTimes(Device& device, std::span<const Metric* const> metrics);

/// The same for pictures that the device scales, luma alone.
Status PrintScalingTimes(Device& device, std::span<const std::pair<int, int>> sizes);

}  // namespace acutance
