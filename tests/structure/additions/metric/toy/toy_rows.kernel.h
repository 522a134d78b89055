// The sums of rows and the artifact, an item a row: a running sum of floats cannot be split.
#include "metric/toy/toy_rows_args.h"

struct ToyRowsShared {
  uint32_t unused;
};

KERNEL_USES(ToyRowsArgs, ToyRowsShared)

#include "metric/blocks/reference_of.kernel.h"
#include "metric/toy/toy_math.kernel.h"

KERNEL_MAIN() {
  const int32_t pair = group_z();
  const int64_t distorted_picture = int64_t(pair) * args.picture_stride;
  const int64_t reference_picture = int64_t(reference_of(pair, args.inverse)) * args.picture_stride;
  CONST_BUFFER(float) reference = CONST_BUFFER_AT(float, args.reference, reference_picture);
  CONST_BUFFER(float) distorted = CONST_BUFFER_AT(float, args.distorted, distorted_picture);
  CONST_BUFFER(float) earlier_reference = CONST_BUFFER_AT(float, args.earlier_reference, reference_picture);
  CONST_BUFFER(float) earlier_distorted = CONST_BUFFER_AT(float, args.earlier_distorted, distorted_picture);
  BUFFER(float) error = BUFFER_AT(float, args.error, int64_t(pair) * args.error_stride);
  const int32_t y = group_x() * BLOCK_X + local_x();
  if (y < args.height) {
    float own = 0.0f;
    float change = 0.0f;
    for (int32_t x = 0; x < args.width; ++x) {
      const int32_t i = y * args.row_stride + x;
      const float e = distorted.data[i] - reference.data[i];
      const float earlier = earlier_distorted.data[i] - earlier_reference.data[i];
      own = own + absolute(e);
      change = change + absolute(e - earlier);
      error.data[y * args.error_row + x] = absolute(e);
    }
    const int32_t word = 4 * (pair * args.height + y);
    args.words.data[word] = own;
    args.words.data[word + 1] = 0.0f;
    args.words.data[word + 2] = change;
    args.words.data[word + 3] = 0.0f;
  }
}
