// What the backend reads and changes in the SPIR-V of a kernel (the SPIR-V specification, sections 2.3 and 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace acutance::vulkan {

/// Whether it begins like a module.
bool IsSpirv(std::span<const std::byte> spirv);

bool UsesDoubles(std::span<const std::byte> spirv);

std::vector<uint32_t> Words(std::span<const std::byte> spirv);

/// The module with the mode DenormPreserve for floats: without it a driver may take subnormal floats for 0, and
/// NVIDIA's does. A module without an entry point stays as it is.
std::vector<uint32_t> KeepingSubnormals(std::span<const std::byte> spirv);

}  // namespace acutance::vulkan
