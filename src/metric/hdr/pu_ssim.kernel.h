// 1 - SSIM between planes of PU21, added up in double. A workgroup goes down a strip, an item down a column: a row of
// each field is blurred across, and the last 11 of such rows are blurred down. Items at either end only read.
#include "kernel/divide/normal_float.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/hdr/hdr_args.h"
#include "metric/hdr/pu_ssim_math.kernel.h"

#define FIELDS 4
#define RADIUS PU_BLUR_RADIUS
#define WINDOW (2 * RADIUS + 1)

struct PuSsimShared {
  float row[FIELDS][BLOCK_X];  // the reference, the difference, its square, the sum of both squares
};

KERNEL_USES(PuSsimArgs, PuSsimShared)

// A column's rows, blurred across; the newest last.
struct BlurredRows {
  float at[FIELDS][WINDOW];
};

FUNCTION(int32_t) clamped(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? 0 : i;
  return from_0 < size ? from_0 : size - 1;
}

FUNCTION(void) read_row(CONTEXT(int32_t x, int32_t y)) {
  const int32_t place = y * args.row + x;
  const int64_t reference = int64_t(reference_of(group_z(), args.inverse)) * args.picture;
  const float r = CONST_BUFFER_AT(float, args.reference, reference).data[place];
  const float t = CONST_BUFFER_AT(float, args.distorted, int64_t(group_z()) * args.picture).data[place];
  const float difference = r - t;
  group.row[0][local_x()] = r;
  group.row[1][local_x()] = difference;
  group.row[2][local_x()] = difference * difference;
  group.row[3][local_x()] = r * r + t * t;
}

FUNCTION(float) blurred_across(CONTEXT(int32_t field)) {
  float sum = group.row[field][local_x()] * bits_float(kPuBlur[0]);
  UNROLL for (int32_t k = 1; k <= RADIUS; ++k) {
    sum = sum + (group.row[field][local_x() - k] + group.row[field][local_x() + k]) * bits_float(kPuBlur[k]);
  }
  return sum;
}

FUNCTION(float) blurred_down(BlurredRows rows, int32_t field) {
  float sum = rows.at[field][RADIUS] * bits_float(kPuBlur[0]);
  UNROLL for (int32_t k = 1; k <= RADIUS; ++k) {
    sum = sum + (rows.at[field][RADIUS - k] + rows.at[field][RADIUS + k]) * bits_float(kPuBlur[k]);
  }
  return sum;
}

FUNCTION(BlurredRows) with_row(CONTEXT(BlurredRows before)) {
  BlurredRows rows = before;
  UNROLL for (int32_t f = 0; f < FIELDS; ++f) {
    UNROLL for (int32_t k = 0; k + 1 < WINDOW; ++k) rows.at[f][k] = rows.at[f][k + 1];
    rows.at[f][WINDOW - 1] = blurred_across(PASS(f));
  }
  return rows;
}

KERNEL_MAIN() {
  const int32_t x = group_x() * (BLOCK_X - 2 * RADIUS) - RADIUS + local_x();
  const int32_t first = group_y() * HDR_STRIP;
  const int32_t count = args.height - first < HDR_STRIP ? args.height - first : HDR_STRIP;
  const bool has_column = local_x() >= RADIUS && local_x() < BLOCK_X - RADIUS && x < args.width;
  const int32_t inner_x = clamped(x, args.width);
  BlurredRows rows;
  UNROLL for (int32_t f = 0; f < FIELDS; ++f) { UNROLL for (int32_t k = 0; k < WINDOW; ++k) rows.at[f][k] = 0.0f; }
  double sum = DOUBLE(0.0);
  for (int32_t i = 0; i < count + 2 * RADIUS; ++i) {
    read_row(PASS(inner_x, clamped(first - RADIUS + i, args.height)));
    group_barrier();
    if (has_column) {
      rows = with_row(PASS(rows));
      if (i >= 2 * RADIUS) {
        const PuBlurs blurs = {blurred_down(rows, 0), blurred_down(rows, 1), blurred_down(rows, 2),
                               blurred_down(rows, 3)};
        sum = sum + double(pu_dissimilarity(blurs));
      }
    }
    group_barrier();
  }
  if (has_column) {
    const int64_t strip = int64_t(group_z()) * int64_t(groups_y()) + int64_t(group_y());
    BUFFER(double) columns = BUFFER_AT(double, args.columns, strip* int64_t(args.width));
    columns.data[x] = sum;
  }
}
