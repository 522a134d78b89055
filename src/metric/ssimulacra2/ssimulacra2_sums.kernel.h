// Adds up the strips of columns in the order of docs/spec/beyond.md 5.3: by halves of groups of 32, again and again,
// then strip after strip. Workgroup (i, 0, pair) makes sum i of the component.
#include "metric/ssimulacra2/ssimulacra2_args.h"

#define GROUP 32
#define MOST_GROUPS 1024  // of the widest pictures
#define SUMS 6

struct Ssimulacra2SumsShared {
  double folded[MOST_GROUPS];
};

KERNEL_USES(Ssimulacra2BlurArgs, Ssimulacra2SumsShared)

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
  const int32_t first = (group_z() * args.strips + strip) * SUMS + group_x();
  CONST_BUFFER(double) columns = CONST_BUFFER_AT(double, args.columns, int64_t(first) * int64_t(args.width));
  for (int32_t g = local_x(); g < groups; g += BLOCK_X) {
    FoldGroup values;
    UNROLL for (int32_t i = 0; i < GROUP; ++i) {
      values.value[i] = DOUBLE(0.0);
      if (g * GROUP + i < args.width) values.value[i] = columns.data[g * GROUP + i];
    }
    group.folded[g] = fold(values);
  }
}

// The first `count` of what is folded.
FUNCTION(void) fold_again(CONTEXT(int32_t count)) {
  const int32_t g = local_x();
  FoldGroup values;
  UNROLL for (int32_t i = 0; i < GROUP; ++i) {
    values.value[i] = DOUBLE(0.0);
    if (g * GROUP + i < count) values.value[i] = group.folded[g * GROUP + i];
  }
  group_barrier();
  if (g * GROUP < count) group.folded[g] = fold(values);
  group_barrier();
}

KERNEL_MAIN() {
  double total = DOUBLE(0.0);
  if (((args.needs >> group_x()) & 1) != 0) {
    for (int32_t strip = 0; strip < args.strips; ++strip) {
      int32_t count = (args.width + GROUP - 1) / GROUP;
      fold_columns(PASS(strip, count));
      group_barrier();
      while (count > 1) {
        fold_again(PASS(count));
        count = (count + GROUP - 1) / GROUP;
      }
      total = total + group.folded[0];
      group_barrier();
    }
  }
  BUFFER(double) words = BUFFER_AT(double, args.words, int64_t(group_z()) * int64_t(args.pair_words));
  if (local_x() == 0) words.data[group_x()] = total;
}
