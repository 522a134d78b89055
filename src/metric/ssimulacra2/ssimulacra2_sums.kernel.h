// Adds up the strips of columns in the order of docs/spec/beyond.md 5.3: by halves of groups of 32, again and again,
// then strip after strip. Workgroup (i, c, pair) makes sum i of component c, BLOCK_Y strips at a time.
#include "metric/ssimulacra2/ssimulacra2_args.h"

#define GROUP 32
#define MOST_GROUPS 1024  // of the widest pictures

struct Ssimulacra2SumsShared {
  double folded[BLOCK_Y][MOST_GROUPS];
};

KERNEL_USES(Ssimulacra2BlurArgs, Ssimulacra2SumsShared)

#include "metric/ssimulacra2/ssimulacra2_fields.kernel.h"

struct FoldGroup {
  double value[GROUP];
};

FUNCTION(double) fold(FoldGroup values) {
  FoldGroup v = values;
  UNROLL for (int32_t i = 0; i < 16; ++i) v.value[i] = v.value[i] + v.value[i + 16];
  UNROLL for (int32_t i = 0; i < 8; ++i) v.value[i] = v.value[i] + v.value[i + 8];
  UNROLL for (int32_t i = 0; i < 4; ++i) v.value[i] = v.value[i] + v.value[i + 4];
  UNROLL for (int32_t i = 0; i < 2; ++i) v.value[i] = v.value[i] + v.value[i + 2];
  return v.value[0] + v.value[1];
}

FUNCTION(void) fold_columns(CONTEXT(int32_t strip, int32_t groups)) {
  CONST_BUFFER(double)
  columns = CONST_BUFFER_AT(double, args.columns, first_column(PASS(group_y(), strip, group_x())));
  for (int32_t g = local_x(); g < groups; g += BLOCK_X) {
    FoldGroup values;
    UNROLL for (int32_t i = 0; i < GROUP; ++i) {
      values.value[i] = DOUBLE(0.0);
      if (g * GROUP + i < args.width) values.value[i] = columns.data[g * GROUP + i];
    }
    group.folded[local_y()][g] = fold(values);
  }
}

// The first `count` of what is folded.
FUNCTION(void) fold_again(CONTEXT(int32_t count)) {
  const int32_t g = local_x();
  FoldGroup values;
  UNROLL for (int32_t i = 0; i < GROUP; ++i) {
    values.value[i] = DOUBLE(0.0);
    if (g * GROUP + i < count) values.value[i] = group.folded[local_y()][g * GROUP + i];
  }
  group_barrier();
  if (g * GROUP < count) group.folded[local_y()][g] = fold(values);
  group_barrier();
}

KERNEL_MAIN() {
  double total = DOUBLE(0.0);
  const int32_t sum = SSIMULACRA2_SUMS * group_y() + group_x();
  if (((args.needs >> sum) & 1) != 0) {
    for (int32_t first = 0; first < args.strips; first += BLOCK_Y) {
      int32_t count = (args.width + GROUP - 1) / GROUP;
      if (first + local_y() < args.strips) fold_columns(PASS(first + local_y(), count));
      group_barrier();
      while (count > 1) {
        fold_again(PASS(count));
        count = (count + GROUP - 1) / GROUP;
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
