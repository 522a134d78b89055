// Squared error of one plane. An item adds up a column of ROWS words; samples of a row's last
// word beyond the width are padding. SAMPLE_BITS: 8 or 16.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/psnr/psnr_math.kernel.h"

#define SAMPLES (32 / SAMPLE_BITS)  // of a word

struct PsnrSseShared {
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(PsnrSseArgs, PsnrSseShared)

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
  CONST_BUFFER(uint32_t)
  reference =
      CONST_BUFFER_AT(uint32_t, args.reference, int64_t(reference_of(group_z(), args.inverse)) * args.picture_words);
  CONST_BUFFER(uint32_t) distorted = CONST_BUFFER_AT(uint32_t, args.distorted, int64_t(group_z()) * args.picture_words);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y * ROWS + local_y();
  const int32_t samples = args.width - x * SAMPLES;
  uint64_t sum = uint64_t(0u);
  if (samples > 0) {
    UNROLL for (int32_t r = 0; r < ROWS; ++r) {
      const int32_t y = first_row + r * BLOCK_Y;
      if (y < args.height) {
        const int32_t i = y * args.row_words + x;
        sum += squared_errors(reference.data[i], distorted.data[i], samples);
      }
    }
  }
  store_partial_sum(PASS(sum));
}
