// Reads the metadata of kernels in an AMD code object (ELF note "AMDGPU", MessagePack: LLVM's
// AMDGPU usage guide, code object version 3 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace acutance::hip {

struct CodeObjectKernel {
  std::string name;
  int wave_size = 0;
  int max_work_items = 0;  // of a workgroup
  int args_bytes = 0;      // of the explicit arguments
  int shared_bytes = 0;
  int private_bytes = 0;  // of a work item: arrays that did not fit registers
  int spilled_vector_registers = 0;
  int spilled_scalar_registers = 0;
  int vector_registers = 0;
};

struct CodeObject {
  std::string target;  // "amdgcn-amd-amdhsa--gfx90a"
  std::vector<CodeObjectKernel> kernels;
};

Result<CodeObject> ReadCodeObject(std::span<const std::byte> code);

}  // namespace acutance::hip
