// Adds up the strips of columns in the order of docs/spec/beyond.md 5.3: by halves of groups of 32, again and again,
// then strip after strip. Workgroup (i, c, pair) makes sum i of component c, BLOCK_Y strips at a time.
#include "metric/ssimulacra2/ssimulacra2_args.h"

#define MOST_GROUPS 1024  // of the widest pictures

struct Ssimulacra2SumsShared {
  double folded[BLOCK_Y][MOST_GROUPS];
};

KERNEL_USES(Ssimulacra2BlurArgs, Ssimulacra2SumsShared)

#include "metric/ssimulacra2/ssimulacra2_fields.kernel.h"

#define FOLDED group.folded[local_y()]
#include "metric/blocks/pairwise_sum.kernel.h"

FUNCTION(void) fold_columns(CONTEXT(int32_t strip)) {
  CONST_BUFFER(double)
  columns = CONST_BUFFER_AT(double, args.columns, first_column(PASS(group_y(), strip, group_x())));
  fold_buffer(PASS(columns, args.width, true));
}

KERNEL_MAIN() {
  double total = DOUBLE(0.0);
  const int32_t sum = SSIMULACRA2_SUMS * group_y() + group_x();
  if (((args.needs >> sum) & 1) != 0) {
    for (int32_t first = 0; first < args.strips; first += BLOCK_Y) {
      int32_t count = (args.width + FOLD_GROUP - 1) / FOLD_GROUP;
      if (first + local_y() < args.strips) fold_columns(PASS(first + local_y()));
      group_barrier();
      while (count > 1) {
        fold_again(PASS(count, true));
        count = (count + FOLD_GROUP - 1) / FOLD_GROUP;
      }
      for (int32_t i = 0; i < BLOCK_Y; ++i) {
        if (first + i < args.strips) total = total + group.folded[i][0];
      }
      group_barrier();
    }
  }
  BUFFER(double) words = BUFFER_AT(double, args.words, int64_t(group_z()) * int64_t(args.pair_words));
  if (local_x() == 0 && local_y() == 0) words.data[sum] = total;
}
