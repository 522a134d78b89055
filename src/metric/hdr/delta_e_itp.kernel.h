// Color differences in ICtCp, added up in double, and the largest ones: an item goes down a column of a strip.
#include "kernel/divide/float_via_fma.kernel.h"
#include "kernel/divide/normal_float.kernel.h"
#include "metric/hdr/hdr_args.h"

KERNEL_USES(HdrStripsArgs, int32_t)

#include "metric/hdr/hdr_strips.kernel.h"

#define SUMS 2

KERNEL_MAIN() {
  const StripWork work = strip_work(PASS());
  if (work.x < args.width) {
    BUFFER(float) map = BUFFER_AT(float, args.map, int64_t(group_z()) * args.map_picture);
    double sum = DOUBLE(0.0);
    float most = 0.0f;
    for (int32_t i = 0; i < work.rows; ++i) {
      const HdrColor r = hdr_cones(reference_light(PASS(work, work.y + i)), args.is_bt2020);
      const HdrColor t = hdr_cones(distorted_light(PASS(work, work.y + i)), args.is_bt2020);
      const float difference = exact_sqrt_moderate(hdr_squared_difference(r, t));
      sum = sum + double(difference);
      most = difference > most ? difference : most;
      if (args.draws != 0) map.data[(work.y + i) * args.map_row + work.x] = 720.0f * difference;
    }
    store_column(PASS(work, SUMS, 0, sum));
    store_column(PASS(work, SUMS, 1, double(most)));
  }
}
