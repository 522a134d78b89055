// A plane of half the size (docs/spec/cvvdp.md 4.1): a workgroup has BLOCK_X columns and BLOCK_Y rows of it. It blurs
// down first, all columns that it needs, then across. Workgroup (x, y, z) has channel z % 4 of picture z / 4.
#include "kernel/exact_float.kernel.h"
#include "metric/cvvdp/cvvdp_args.h"
#include "metric/cvvdp/cvvdp_math.kernel.h"

#define COLUMNS (2 * BLOCK_X + 3)

struct CvvdpReduceShared {
  float column[BLOCK_Y][COLUMNS + 1];
};

KERNEL_USES(CvvdpReduceArgs, CvvdpReduceShared)

FUNCTION(int32_t) mirrored(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? -1 - i : i;
  return from_0 < size ? from_0 : 2 * size - 1 - from_0;
}

FUNCTION(float) blurred_down(CONTEXT(CONST_BUFFER(float) plane, int32_t x, int32_t centre)) {
  float at[5];
  UNROLL for (int32_t i = 0; i < 5; ++i) at[i] = plane.data[mirrored(centre + i - 2, args.height) * args.row + x];
  return cvvdp_reduced(at[0], at[1], at[2], at[3], at[4]);
}

// What the last centre has beyond itself follows the parity of the plane's rows.
FUNCTION(float) blurred_across(CONTEXT(int32_t first, int32_t place)) {
  const int32_t row = local_y();
  float next = group.column[row][place + 1];
  float next_but_one = group.column[row][place + 2];
  if (first + place + 2 >= args.width) {
    const float last = group.column[row][args.width - 1 - first];
    const bool odd_rows = (args.height & 1) != 0;
    if ((args.width & 1) != 0) {
      next = odd_rows ? last : 0.0f;
    } else {
      next = odd_rows ? last + last : last;
    }
    next_but_one = odd_rows ? group.column[row][args.width - 2 - first] : last;
  }
  return cvvdp_reduced(group.column[row][place - 2], group.column[row][place - 1], group.column[row][place], next,
                       next_but_one);
}

KERNEL_MAIN() {
  const int32_t picture = group_z() / 4;
  const int32_t channel = group_z() - 4 * picture;
  const bool is_image = picture < args.references ? picture >= args.image : picture >= args.of_distorted;
  if (!is_image || args.frames_before_start.data[0] == args.history) {
    const int64_t start = int64_t(picture) * args.picture;
    CONST_BUFFER(float)
    from = CONST_BUFFER_AT(float, args.from, start + int64_t(channel * args.row) * int64_t(args.height));
    const int32_t x = group_x() * BLOCK_X + local_x();
    const int32_t y = group_y() * BLOCK_Y + local_y();
    const int32_t first = 2 * group_x() * BLOCK_X - 2;  // the column that stands first in shared memory
    if (2 * y < args.height) {
      for (int32_t i = local_x(); i < COLUMNS; i += BLOCK_X) {
        const int32_t column = first + i < 0 ? -1 - (first + i) : first + i;
        if (column < args.width) group.column[local_y()][i] = blurred_down(PASS(from, column, 2 * y));
      }
    }
    group_barrier();
    if (2 * x < args.width && 2 * y < args.height) {
      const int32_t rows = (args.height + 1) / 2;
      BUFFER(float) to = BUFFER_AT(float, args.to, start + int64_t(channel * args.to_row) * int64_t(rows));
      to.data[y * args.to_row + x] = blurred_across(PASS(first, 2 * local_x() + 2));
    }
  }
}
