// Images of scale 0 as floats, for float_vif_any: an item makes a sample of both. PIXEL: uint8_t or uint16_t.
#include "kernel/divide/float_via_double.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/float_vif/float_vif_samples_args.h"

struct FloatVifSamplesShared {
  int32_t unused;
};

KERNEL_USES(FloatVifSamplesArgs, FloatVifSamplesShared)

FUNCTION(float) sample_at(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t x, int32_t y)) {
  return float(int32_t(picture.data[y * args.row_stride + x])) * args.sample_scale - 128.0f;
}

FUNCTION(float) resized_at(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t x, int32_t y)) {
  float sum = 0.0f;
  float weights = 0.0f;
  for (int32_t k = 0; k < args.taps; ++k) {
    for (int32_t l = 0; l < args.taps; ++l) {
      const int32_t down = y * args.taps + k;
      const int32_t across = x * args.taps + l;
      const float weight = args.down_weight.data[down] * args.across_weight.data[across];
      sum = sum + weight * sample_at(PASS(picture, args.across_index.data[across], args.down_index.data[down]));
      weights = weights + weight;
    }
  }
  return args.is_divided != 0 ? exact_divide_float(sum, weights) : sum;
}

FUNCTION(float) value_at(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t x, int32_t y)) {
  if (args.taps == 0) return sample_at(PASS(picture, x, y));
  return resized_at(PASS(picture, x, y));
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  const int64_t reference = int64_t(reference_of(group_z(), args.inverse)) * args.picture_stride;
  const int64_t made = int64_t(group_z()) * args.made_stride;
  if (x < args.width && y < args.height) {
    const int32_t i = y * args.made_row + x;
    BUFFER(float) made_reference = BUFFER_AT(float, args.made_reference, made);
    BUFFER(float) made_distorted = BUFFER_AT(float, args.made_distorted, made);
    made_reference.data[i] = value_at(PASS(CONST_BUFFER_AT(PIXEL, args.reference, reference), x, y));
    made_distorted.data[i] =
        value_at(PASS(CONST_BUFFER_AT(PIXEL, args.distorted, int64_t(group_z()) * args.picture_stride), x, y));
  }
}
