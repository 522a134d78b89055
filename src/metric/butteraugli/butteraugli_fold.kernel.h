// Folds the columns of a strip into its partial results (docs/spec/beyond.md 5.3). Workgroup (word, strip, pair).
#include "metric/butteraugli/butteraugli_args.h"

struct ButteraugliFoldShared {
  double folded[1024];
};

KERNEL_USES(ButteraugliSumsArgs, ButteraugliFoldShared)

#include "metric/blocks/pairwise_sum.kernel.h"

KERNEL_MAIN() {
  const int32_t line = (group_z() * args.strips + group_y()) * BUTTERAUGLI_WORDS + group_x();
  CONST_BUFFER(double) columns = CONST_BUFFER_AT(double, args.columns, int64_t(line) * int64_t(args.width));
  const double word = fold_line(PASS(columns, args.width, group_x() != 0));
  if (local_x() == 0) args.words.data[line] = word;
}
