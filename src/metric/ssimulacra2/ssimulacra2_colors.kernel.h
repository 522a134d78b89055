// What cones see of linear light (docs/spec/beyond.md 3.3). An item has a pixel.
#include "kernel/divide/float_via_double.kernel.h"
#include "metric/ssimulacra2/ssimulacra2_args.h"
#include "metric/ssimulacra2/ssimulacra2_math.kernel.h"

KERNEL_USES(Ssimulacra2PlanesArgs, int32_t)

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    const int64_t from = int64_t(group_z()) * args.picture_stride;
    const int64_t to = int64_t(group_z()) * int64_t(3) * args.to_plane;
    CONST_BUFFER(float) red = CONST_BUFFER_AT(float, args.red, from);
    CONST_BUFFER(float) green = CONST_BUFFER_AT(float, args.green, from);
    CONST_BUFFER(float) blue = CONST_BUFFER_AT(float, args.blue, from);
    const int32_t source = y * args.row_stride + x;
    const PerceivedColor color = perceived_color(red.data[source], green.data[source], blue.data[source]);
    BUFFER(float) to_x = BUFFER_AT(float, args.to, to);
    BUFFER(float) to_y = BUFFER_AT(float, args.to, to + args.to_plane);
    BUFFER(float) to_b = BUFFER_AT(float, args.to, to + int64_t(2) * args.to_plane);
    const int32_t place = y * args.to_row + x;
    to_x.data[place] = color.x;
    to_y.data[place] = color.y;
    to_b.data[place] = color.b;
  }
}
