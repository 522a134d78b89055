// Adds up the column sums of a strip and channel (docs/spec/cvvdp.md 5.6). Workgroup (strip, channel, z) has pair z;
// from the number of pairs on, pair z - pairs as an image, or 0 where there is none.
#include "kernel/kernel.h"
#include "metric/cvvdp/cvvdp_args.h"

struct CvvdpSumsShared {
  double folded[1024];
};

KERNEL_USES(CvvdpSumsArgs, CvvdpSumsShared)

#include "metric/blocks/pairwise_sum.kernel.h"

FUNCTION(int32_t) scale_word(CONTEXT(int32_t scale, int32_t word)) {
  return args.scales.data[scale * CVVDP_SCALE_WORDS + word];
}

// A strip's columns; of the base, which is summed up, one.
struct StripColumns {
  int32_t first, width;
};

FUNCTION(StripColumns) strip_columns(CONTEXT()) {
  int32_t s = 0;
  while (s < args.scale && group_x() >= scale_word(PASS(s + 1, CVVDP_SCALE_STRIP))) ++s;
  const int32_t strip = group_x() - scale_word(PASS(s, CVVDP_SCALE_STRIP));
  StripColumns columns;
  columns.width = s == args.scale ? 1 : scale_word(PASS(s, CVVDP_SCALE_WIDTH));
  columns.first = scale_word(PASS(s, CVVDP_SCALE_SUMS)) + (strip * 4 + group_y()) * columns.width;
  return columns;
}

KERNEL_MAIN() {
  const bool is_image = group_z() >= args.pairs;
  const int32_t pair = is_image ? group_z() - args.pairs : group_z();
  const bool is_made = !is_image || (pair < args.videos && args.frames_before_start.data[0] == args.history);
  const int32_t unit = group_x() * 4 + group_y();
  const int32_t units = 4 * (args.strips + 1);
  double sum = DOUBLE(0.0);
  if (is_made) {
    const StripColumns strip = strip_columns(PASS());
    const int64_t item = int64_t(group_z()) * int64_t(args.item_columns);
    CONST_BUFFER(double) columns = CONST_BUFFER_AT(double, args.columns, item + int64_t(strip.first));
    sum = fold_line(PASS(columns, strip.width, true));
  }
  BUFFER(double) words = BUFFER_AT(double, args.words, int64_t(pair) * int64_t(args.pair_words));
  if (local_x() == 0) words.data[(is_image ? units : 0) + unit] = sum;
}
