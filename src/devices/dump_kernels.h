// Compiled kernels of a plan as files: PTX, cubins, SPIR-V, AMD code objects, and their registers.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/status.h"
#include "exec/kernel_image.h"

namespace acutance {

/// Writes each binary of `kernels` into `folder`, which is made where it is missing: KERNEL.ptx, KERNEL.sm_90.cubin and
/// KERNEL.gfx1100.hsaco hold all variants of a kernel, SYMBOL.spv one. registers.csv has a row for each variant and PTX
/// target with the registers, spilled bytes and shared memory that CUDA's ptxas reports for `family` ("sm_90"; another
/// family counts as sm_90); without ptxas on the PATH it has its heading alone. Returns a sentence that says what was
/// written. Fails where a file cannot be written or ptxas refuses a kernel.
Result<std::string> DumpKernels(std::span<const KernelImage* const> kernels, const std::string& family,
                                const std::filesystem::path& folder);

}  // namespace acutance
