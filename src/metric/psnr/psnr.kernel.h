// Squared error of one plane. An item adds up a column of ROWS words; samples of a row's last
// word beyond the width are padding. SAMPLE_BITS: 8 or 16.
#define PIXEL uint32_t  // four 8-bit or two 16-bit samples

#include "metric/blocks/pair_sum_args.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/blocks/wave_sums.kernel.h"
#include "metric/psnr/psnr_math.kernel.h"

#define SAMPLES (32 / SAMPLE_BITS)  // of a word

KERNEL_USES(PairSumArgs, WaveSums)

#include "metric/blocks/partial_sums.kernel.h"

FUNCTION(uint32_t) sample_of(uint32_t word, int32_t i) {
  return (word >> (i * SAMPLE_BITS)) & ((1u << SAMPLE_BITS) - 1u);
}

FUNCTION(uint64_t) squared_errors(uint32_t reference, uint32_t distorted, int32_t samples) {
  uint64_t sum = uint64_t(0u);
  UNROLL for (int32_t i = 0; i < SAMPLES; ++i) {
    const uint32_t error = squared_error(sample_of(reference, i), sample_of(distorted, i));
    if (i < samples) sum += uint64_t(error);
  }
  return sum;
}

KERNEL_MAIN() {
  CONST_BUFFER(PIXEL) reference = SHARED_PLANE(PIXEL, args.reference);
  CONST_BUFFER(PIXEL) distorted = OWN_PLANE(PIXEL, args.distorted);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y * ROWS + local_y();
  const int32_t samples = args.plane.width - x * SAMPLES;
  uint64_t sum = uint64_t(0u);
  if (samples > 0) {
    UNROLL for (int32_t r = 0; r < ROWS; ++r) {
      const int32_t y = first_row + r * BLOCK_Y;
      if (y < args.plane.height) {
        const int32_t i = y * args.plane.row_stride + x;
        sum += squared_errors(reference.data[i], distorted.data[i], samples);
      }
    }
  }
  store_partial_sum(PASS(sum));
}
