// Light of a column of both videos. Comes after KERNEL_USES of HdrStripsArgs.
#pragma once

#include "metric/blocks/reference_of.kernel.h"
#include "metric/hdr/hdr_args.h"
#include "metric/hdr/hdr_math.kernel.h"

// Where the planes of a workgroup's pair begin.
struct StripWork {
  int64_t reference, distorted;
  int32_t x, y, rows;
};

FUNCTION(StripWork) strip_work(CONTEXT()) {
  StripWork work;
  work.reference = int64_t(reference_of(group_z(), args.inverse)) * args.picture;
  work.distorted = int64_t(group_z()) * args.picture;
  work.x = group_x() * BLOCK_X + local_x();
  work.y = group_y() * HDR_STRIP;
  work.rows = args.height - work.y < HDR_STRIP ? args.height - work.y : HDR_STRIP;
  return work;
}

FUNCTION(HdrColor) reference_light(CONTEXT(StripWork work, int32_t y)) {
  const int32_t place = y * args.row + work.x;
  const HdrColor light = {CONST_BUFFER_AT(float, args.reference_red, work.reference).data[place],
                          CONST_BUFFER_AT(float, args.reference_green, work.reference).data[place],
                          CONST_BUFFER_AT(float, args.reference_blue, work.reference).data[place]};
  return light;
}

FUNCTION(HdrColor) distorted_light(CONTEXT(StripWork work, int32_t y)) {
  const int32_t place = y * args.row + work.x;
  const HdrColor light = {CONST_BUFFER_AT(float, args.distorted_red, work.distorted).data[place],
                          CONST_BUFFER_AT(float, args.distorted_green, work.distorted).data[place],
                          CONST_BUFFER_AT(float, args.distorted_blue, work.distorted).data[place]};
  return light;
}

// Sum `sum` of `sums` of the column.
FUNCTION(void) store_column(CONTEXT(StripWork work, int32_t sums, int32_t sum, double value)) {
  const int64_t strip = int64_t(group_z()) * int64_t(groups_y()) + int64_t(group_y());
  BUFFER(double)
  columns = BUFFER_AT(double, args.columns, (strip * int64_t(sums) + int64_t(sum)) * int64_t(args.width));
  columns.data[work.x] = value;
}
