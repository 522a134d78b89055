// Measurements of gpu_check: device times, start times and memory in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "backend/cuda/driver.h"
#include "base/status.h"
#include "exec/device.h"
#include "metric/metric.h"

namespace acutance {

/// Prints a Markdown table of the time that a device needs for a frame pair, next to the limits of its memory and its
/// link to the host: the metrics on 8-bit 4:2:0 pictures, and after several of them whole models. batch 0: as the
/// tuning table says.
Status PrintDeviceTimes(Device& device, std::span<const Metric* const> metrics,
                        std::span<const std::pair<int, int>> sizes, int batch);

/// Rows of that table: each metric on the smallest pictures of tests.
Status PrintSmallestTimes(Device& device, std::span<const Metric* const> metrics);

/// The same for pictures that the device scales, luma alone.
Status PrintScalingTimes(Device& device, std::span<const std::pair<int, int>> sizes);

/// Prints a Markdown table of the cost of starting work, which each batch of a session pays, however few its pictures:
/// microseconds for a recording, for a copy of each of these sizes, and for both, with one batch in flight and with
/// four.
Status PrintStartTimes(Device& device, std::span<const size_t> copy_bytes, int repeats);

/// Resident memory of this process, for finding leaks.
int64_t HostKib();

/// Memory in use on CUDA device 0, which hip's stand-in uses too. The object holds the device's
/// context, so that only memory that other users leave behind shows.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  int64_t UsedKib() const;  // 0 without a CUDA device

 private:
  const cuda::Driver* driver_ = nullptr;
  cuda::CUcontext context_ = nullptr;
};

}  // namespace acutance
