// Compiled kernel variants of this build: one source, compiled for every backend (src/kernel/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace acutance {

/// Machine code or byte code for one family of devices. PTX, cubins and AMD code objects hold all variants of a kernel:
/// its images share them, so a device may cache loaded modules by code.data(). SPIR-V holds one variant, entry "main".
struct KernelBinary {
  std::string_view backend;  // "cuda", "hip", "vulkan"
  std::string_view target;   // "ptx", "sm_90", "gfx1100", "spirv"
  std::span<const std::byte>
      code;  // at a multiple of 16 bytes; a zero byte follows, as the CUDA driver needs after PTX
};

/// Runs one workgroup item's body on the CPU (backend/emu). `args` and `shared` point to the kernel's own structs.
using EmuEntry = void (*)(const void* args, void* shared);

struct KernelImage {
  std::string_view kernel;       // "motion_sad"
  std::string_view variant;      // "u8_32x8": sample type and block shape
  std::string_view symbol;       // entry point in the binaries: "motion_sad_u8_32x8"
  int group_x = 1, group_y = 1;  // work items of a workgroup; their product is a multiple of 64
  int rows = 1;                  // that a work item computes, where the kernel's source reads ROWS
  uint32_t args_bytes = 0;       // of the argument struct
  uint32_t buffer_args = 0;      // the number of its first members that are buffers, eight bytes each
  uint32_t shared_bytes = 0;     // of the shared struct
  std::span<const KernelBinary> binaries;
  /// A whole SYCL translation unit in a namespace of its own, so that several may be joined into one bundle. -D
  /// ACU_WAVE_SIZE=n asks for a sub-group size. Compile with -ffp-contract=off. Empty: not built.
  std::string_view sycl_source;
  EmuEntry emu = nullptr;
};

/// All kernel variants of this build, in the order of their names; generated.
std::span<const KernelImage> KernelImages();

/// A hash of the kernels' sources and variants and of the compilers. Kernels in files next to the program are used
/// where it is the same; generated.
std::string_view KernelsIdentity();

/// Null when there is none.
const KernelImage* FindKernelImage(std::string_view kernel, std::string_view variant);

}  // namespace acutance
