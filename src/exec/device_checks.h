// Checks that every backend makes, of device numbers, of kernels and of commands.
#pragma once

#include <fmt/ranges.h>

#include <climits>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Refuses a device number beyond those of this machine. api: "CUDA".
inline Status CheckIndex(std::string_view api, int index, size_t count) {
  if (index >= 0 && static_cast<size_t>(index) < count) return {};
  return Error(StatusCode::kInvalidArgument, "there is no {} device {}: this machine has {}, counted from 0", api,
               index, count);
}

/// The devices that can be used, and why the others cannot: `describe(index)` returns a Result<DeviceInfo>.
template <class Describe>
BackendProbe ProbeDevices(const Result<int>& count, Describe describe) {
  if (!count.ok()) return {{}, count.status().message()};
  BackendProbe probe;
  for (int index = 0; index < *count; ++index) {
    Result<DeviceInfo> info = describe(index);
    if (info.ok()) probe.devices.push_back(*std::move(info));
    else probe.refused.push_back(info.status().message());
  }
  if (probe.devices.empty()) probe.missing = fmt::format("{}", fmt::join(probe.refused, "; "));
  return probe;
}

inline Status CheckSharedMemory(const KernelImage& image, const DeviceInfo& info) {
  if (image.shared_bytes <= info.shared_bytes) return {};
  return Error(StatusCode::kUnsupported, "kernel {} needs {} bytes of shared memory, {} has {} a workgroup",
               image.symbol, image.shared_bytes, info.name, info.shared_bytes);
}

/// most: work items of a workgroup.
inline Status CheckWorkgroup(const KernelImage& image, const DeviceInfo& info, size_t most) {
  if (static_cast<size_t>(image.group_x) * image.group_y <= most) return {};
  return Error(StatusCode::kUnsupported, "kernel {} has workgroups of {}x{} work items, {} runs at most {} of it",
               image.symbol, image.group_x, image.group_y, info.name, most);
}

/// Refuses empty and too large grids, and arguments of another kernel.
inline Status CheckLaunch(const LaunchCommand& launch, std::string_view symbol, uint32_t args_bytes,
                          const Grid& most = {INT_MAX, INT_MAX, INT_MAX}) {
  const Grid& grid = launch.grid;
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.x > most.x || grid.y > most.y || grid.z > most.z)
    return Error(StatusCode::kInvalidArgument,
                 "kernel {} cannot be launched on {}x{}x{} workgroups: from 1 to {}x{}x{}", symbol, grid.x, grid.y,
                 grid.z, most.x, most.y, most.z);
  if (launch.args.size() == args_bytes) return {};
  return Error(StatusCode::kInvalidArgument, "kernel {} takes {} bytes of arguments, not {}", symbol, args_bytes,
               launch.args.size());
}

/// Refuses a copy that leaves its buffers or whose rows overlap.
inline Status CheckCopy(const CopyCommand& copy) {
  const auto fits = [](const Buffer& buffer, size_t offset, size_t extent) {
    return offset <= buffer.bytes() && extent <= buffer.bytes() - offset;
  };
  if (copy.rows > 1 && (copy.from_stride < copy.bytes || copy.to_stride < copy.bytes))
    return Error(StatusCode::kInvalidArgument, "a copy of rows of {} bytes has strides of {} and {}", copy.bytes,
                 copy.from_stride, copy.to_stride);
  if (fits(*copy.from, copy.from_offset, copy.from_extent()) && fits(*copy.to, copy.to_offset, copy.to_extent()))
    return {};
  return Error(StatusCode::kInvalidArgument,
               "a copy of {} bytes ({} rows) reads at {} of a buffer of {} bytes and writes at {} of one of {}",
               copy.bytes, copy.rows, copy.from_offset, copy.from->bytes(), copy.to_offset, copy.to->bytes());
}

}  // namespace acutance
