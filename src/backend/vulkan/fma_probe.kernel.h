// Fused operations as kernels use them, with signs that a compiler moves into them. fma_probe.cc knows the results.
#include "backend/vulkan/fma_probe_args.h"

struct FmaProbeShared {
  uint32_t unused;
};

KERNEL_USES(FmaProbeArgs, FmaProbeShared)

#include "kernel/fused.kernel.h"

KERNEL_MAIN() {
  const int32_t i = group_x() * BLOCK_X + local_x();
  if (i < args.count) {
    const float a = args.numbers.data[3 * i];
    const float b = args.numbers.data[3 * i + 1];
    const float c = args.numbers.data[3 * i + 2];
    BUFFER(uint32_t) results = BUFFER_AT(uint32_t, args.results, i * FUSED_TRIAL_RESULTS);
    results.data[0] = float_bits(fused(a, b, c));
    results.data[1] = float_bits(fused(-a, b, c));
    results.data[2] = float_bits(fused(a, b, -(a * b)));
    results.data[3] = float_bits(fused(fused(a, b, c), b, -c));
  }
}
