// A display's luminance, encoded by PU21: an item has a pixel.
#include "kernel/divide/float_via_fma.kernel.h"
#include "metric/hdr/hdr_args.h"
#include "metric/hdr/hdr_math.kernel.h"

KERNEL_USES(PuLuminanceArgs, int32_t)

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    const int64_t first = int64_t(group_z()) * args.picture;
    const int32_t place = y * args.row + x;
    const HdrColor light = {CONST_BUFFER_AT(float, args.red, first).data[place],
                            CONST_BUFFER_AT(float, args.green, first).data[place],
                            CONST_BUFFER_AT(float, args.blue, first).data[place]};
    BUFFER(float) to = BUFFER_AT(float, args.to, int64_t(group_z()) * args.to_picture);
    to.data[y * args.to_row + x] = pu_encoded(hdr_weighted(light, args.of_red, args.of_green, args.of_blue));
  }
}
