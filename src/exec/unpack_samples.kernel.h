// Makes a plane of samples from one in which they stand `step` apart, `shift` bits above the
// lowest.
#include "exec/unpack_samples_args.h"

struct UnpackSamplesShared {
  uint32_t unused;
};

KERNEL_USES(UnpackSamplesArgs, UnpackSamplesShared)

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    const uint32_t value = uint32_t(args.from.data[y * args.from_stride + x * args.step]);
    args.to.data[y * args.to_stride + x] = SAMPLE(value >> args.shift);
  }
}
