// The kernel language (README.md): picks the prelude of the dialect that a kernel is compiled for.
#pragma once

#if defined(ACU_DIALECT_CUDA)
#include "kernel/prelude_cuda.h"
#elif defined(ACU_DIALECT_HIP)
#include "kernel/prelude_hip.h"
#elif defined(ACU_DIALECT_SYCL)
#include "kernel/prelude_sycl.h"
#elif defined(ACU_DIALECT_GLSL)
#include "kernel/prelude_glsl.h"
#elif defined(ACU_DIALECT_EMU)
#include "kernel/prelude_emu.h"
#else
#include "kernel/prelude_host.h"
#endif

#define MAX_WAVES (BLOCK_X * BLOCK_Y / 4)  // of a workgroup: the smallest waves known have 4 items
