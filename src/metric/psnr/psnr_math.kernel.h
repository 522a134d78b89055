// Arithmetic of psnr, which the kernel shares with the reference implementation.
#pragma once

#include "kernel/kernel.h"

// Samples have at most 16 bits: the square fits 32 bits, where the difference may wrap.
FUNCTION(uint32_t) squared_error(uint32_t reference, uint32_t distorted) {
  const uint32_t error = reference - distorted;
  return error * error;
}
