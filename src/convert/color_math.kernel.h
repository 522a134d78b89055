// Arithmetic of color changes (convert/color_converter.h), which the host and the kernel share. Weights have at most 37
// bits and samples 16, so that sums fit into 64.
#pragma once

#include "kernel/kernel.h"

FUNCTION(int64_t) color_term(int64_t weight, uint32_t sample_value, uint32_t top) {
  return weight * int64_t(sample_value < top ? sample_value : top);
}

FUNCTION(uint32_t) color_result(int64_t sum, int32_t bits, uint32_t top) {
  const int64_t value = sum >> bits;
  return value < int64_t(0) ? 0u : value > int64_t(top) ? top : uint32_t(value);
}
