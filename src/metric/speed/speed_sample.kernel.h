// Rows of the small pictures, before they are sharpened (docs/spec/siblings.md 2.3, 2.7).
//
// A row of items has the taps of some samples of the small picture, one after another: each item filters down a column,
// then the first ones add up along the row. PIXEL: uint8_t or uint16_t; RESIZED: 1 where the pictures are resized
// first.
#include "kernel/divide/any_float.kernel.h"
#include "metric/blocks/border.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/speed/speed_math.kernel.h"
#include "metric/speed/speed_sample_args.h"

#define STEP 16  // kSpeedStep

struct SpeedSampleShared {
  float filtered[BLOCK_Y][BLOCK_X];
};

KERNEL_USES(SpeedSampleArgs, SpeedSampleShared)

// A sample, less the middle of its range or less another one: exact.
FUNCTION(float) source_value(CONTEXT(int32_t x, int32_t y)) {
  const int64_t picture = int64_t(group_z()) * args.picture_stride;
  const int32_t i = y * args.row_stride + x;
  const float value = float(int32_t(CONST_BUFFER_AT(PIXEL, args.samples, picture).data[i])) * args.scale;
  if (args.has_less == 0) return value - 128.0f;
  const int64_t other = int64_t(reference_of(group_z(), args.inverse)) * args.picture_stride;
  return value - float(int32_t(CONST_BUFFER_AT(PIXEL, args.less, other).data[i])) * args.scale;
}

// A sample after resizing. place: of the tap among those of the row.
#if RESIZED
FUNCTION(float) value_at(CONTEXT(int32_t place, int32_t y)) {
  float sum = 0.0f;
  float weights = 0.0f;
  for (int32_t k = 0; k < args.resize_taps; ++k) {
    for (int32_t l = 0; l < args.resize_taps; ++l) {
      const int32_t down = y * args.resize_taps + k;
      const int32_t across = l * args.packed_count + place;
      const float weight = args.down_weight.data[down] * args.across_weight.data[across];
      sum = add_product(sum, weight, source_value(PASS(args.across_index.data[across], args.down_index.data[down])));
      weights = weights + weight;
    }
  }
  return args.is_divided != 0 ? exact_divide_float(sum, weights) : sum;
}
#else
FUNCTION(float) value_at(CONTEXT(int32_t place, int32_t y)) {
  const int32_t column = place / args.tap_count;
  const int32_t tap = place - column * args.tap_count;
  return source_value(PASS(mirror_index(column * STEP + tap - args.tap_count / 2, args.width), y));
}
#endif

FUNCTION(float) filter_column(CONTEXT(int32_t place, int32_t row)) {
  float sum = 0.0f;
  for (int32_t k = 0; k < args.tap_count; ++k) {
    const int32_t y = mirror_index(row * STEP + k - args.tap_count / 2, args.height);
    sum = add_product(sum, args.taps.data[k], value_at(PASS(place, y)));
  }
  return sum;
}

KERNEL_MAIN() {
  const int32_t group_columns = BLOCK_X / args.tap_count;
  const int32_t first_column = group_x() * group_columns;
  const int32_t row = group_y() * BLOCK_Y + local_y();
  const int32_t place = first_column * args.tap_count + local_x();
  if (local_x() < group_columns * args.tap_count && place < args.columns * args.tap_count && row < args.rows) {
    group.filtered[local_y()][local_x()] = filter_column(PASS(place, row));
  }
  group_barrier();
  const int32_t column = first_column + local_x();
  if (local_x() < group_columns && column < args.columns && row < args.rows) {
    float sum = 0.0f;
    for (int32_t l = 0; l < args.tap_count; ++l) {
      sum = add_product(sum, args.taps.data[l], group.filtered[local_y()][local_x() * args.tap_count + l]);
    }
    BUFFER(float) made = BUFFER_AT(float, args.made, int64_t(group_z()) * int64_t(args.columns * args.rows));
    made.data[row * args.columns + column] = sum;
  }
}
