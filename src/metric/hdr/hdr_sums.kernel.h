// Folds the sums of columns in the order of docs/spec/beyond.md 5.3, or finds the largest: workgroup (sum, strip,
// pair).
#include "kernel/kernel.h"
#include "metric/hdr/hdr_args.h"

struct HdrSumsShared {
  double folded[1024];
};

KERNEL_USES(HdrSumsArgs, HdrSumsShared)

#include "metric/blocks/pairwise_sum.kernel.h"

KERNEL_MAIN() {
  const int64_t strip = int64_t(group_z()) * int64_t(groups_y()) + int64_t(group_y());
  const int64_t word = strip * int64_t(args.sums) + int64_t(group_x());
  const bool is_sum = ((args.largest >> uint32_t(group_x())) & 1u) == 0u;
  CONST_BUFFER(double) columns = CONST_BUFFER_AT(double, args.columns, word* int64_t(args.width));
  const double sum = fold_line(PASS(columns, args.width, is_sum));
  BUFFER(double) words = BUFFER_AT(double, args.words, word);
  if (local_x() == 0) words.data[0] = sum;
}
