// Squared differences of PU21's luminance, red, green and blue, added up in double: an item goes down a column of a
// strip.
#include "kernel/divide/float_via_fma.kernel.h"
#include "metric/hdr/hdr_args.h"

KERNEL_USES(HdrStripsArgs, int32_t)

#include "metric/hdr/hdr_strips.kernel.h"

#define SUMS 4

FUNCTION(double) squared_pu(float reference, float distorted) {
  const double difference = double(pu_encoded(reference) - pu_encoded(distorted));
  return difference * difference;
}

KERNEL_MAIN() {
  StripWork work = strip_work(PASS());
  const bool is_inside = work.x < args.width;
  // Beyond the last column, too: Intel's OpenCL for CPUs (2026.22) adds up other bits in a loop that some items skip.
  if (!is_inside) work.x = args.width - 1;
  double sums[SUMS];
  UNROLL for (int32_t i = 0; i < SUMS; ++i) sums[i] = DOUBLE(0.0);
  for (int32_t i = 0; i < work.rows; ++i) {
    const HdrColor r = reference_light(PASS(work, work.y + i));
    const HdrColor t = distorted_light(PASS(work, work.y + i));
    sums[0] = sums[0] + squared_pu(hdr_weighted(r, args.of_red, args.of_green, args.of_blue),
                                   hdr_weighted(t, args.of_red, args.of_green, args.of_blue));
    sums[1] = sums[1] + squared_pu(r.red, t.red);
    sums[2] = sums[2] + squared_pu(r.green, t.green);
    sums[3] = sums[3] + squared_pu(r.blue, t.blue);
  }
  if (is_inside) {
    UNROLL for (int32_t i = 0; i < SUMS; ++i) store_column(PASS(work, SUMS, i, sums[i]));
  }
}
