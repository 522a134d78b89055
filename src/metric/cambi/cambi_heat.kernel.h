// A heatmap of a scale.
#include "metric/cambi/cambi_args.h"
#include "metric/cambi/cambi_heat_math.kernel.h"

KERNEL_USES(CambiHeatArgs, int32_t)

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  CONST_BUFFER(float) contrasts = CONST_BUFFER_AT(float, args.contrasts, int64_t(group_z()) * args.pair_stride);
  BUFFER(uint16_t) heat = BUFFER_AT(uint16_t, args.heat, int64_t(group_z()) * args.heat_stride);
  if (x < args.width && y < args.height) {
    heat.data[y * args.heat_row + x] = uint16_t(heat_of(contrasts.data[y * args.contrast_row + x], args.scale));
  }
}
