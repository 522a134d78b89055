// A launch of one kernel that reads one buffer and writes another, for self-tests of kernels that move samples.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// A kernel, its grid from its workgroup, and its arguments from the addresses of the two buffers.
struct KernelRun {
  std::string_view kernel, variant;
  std::function<Grid(const KernelImage&)> grid;
  std::function<std::vector<std::byte>(uint64_t from, uint64_t to)> args;
};

/// The `to_bytes` bytes that the kernel makes of `from`.
Result<std::vector<std::byte>> RunKernel(Device& device, const KernelRun& run, std::span<const std::byte> from,
                                         size_t to_bytes);

}  // namespace acutance
