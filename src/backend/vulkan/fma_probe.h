// Probe of whether a device's fma() rounds once. Vulkan promises a product and a sum; most hardware does it in one
// operation. The Fma of kernel/fused.kernel.h is decorated NoContraction, which makes it one operation with the same
// result for the same numbers in all kernels (SPIR-V, GLSL.std.450), so that one trial decides for all of them.
#pragma once

#include <memory>

#include "backend/vulkan/context.h"
#include "exec/kernel_image.h"

namespace acutance::vulkan {

/// Whether the module has a constant that asks for it.
bool AsksForFused(std::span<const std::byte> spirv);

/// Runs a kernel with the device's fma() over some thousands of numbers. Also false where it cannot be run, or
/// ACUTANCE_VULKAN_FUSED is 0. The context must be set to compile with fma().
bool RoundsFusedOnce(const std::shared_ptr<Context>& context);

}  // namespace acutance::vulkan
