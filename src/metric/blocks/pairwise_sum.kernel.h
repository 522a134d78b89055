// One number of a line of doubles, in the order of docs/spec/beyond.md 5.3: by halves of groups of 32, again and again.
// All items of a workgroup of at least 32 call fold_line. The kernel's shared memory has `double folded[1024]`,
// a number for each group of the widest pictures; where it folds a line for each row of items, FOLDED is that row's.
#pragma once

#define FOLD_GROUP 32

#ifndef FOLDED
#define FOLDED group.folded
#endif

struct FoldGroup {
  double value[FOLD_GROUP];
};

// The sum of two numbers, or the larger one.
FUNCTION(double) folded_pair(double a, double b, bool is_sum) {
  if (is_sum) return a + b;
  return a < b ? b : a;
}

FUNCTION(double) folded_group(FoldGroup values, bool is_sum) {
  FoldGroup v = values;
  UNROLL for (int32_t i = 0; i < 16; ++i) v.value[i] = folded_pair(v.value[i], v.value[i + 16], is_sum);
  UNROLL for (int32_t i = 0; i < 8; ++i) v.value[i] = folded_pair(v.value[i], v.value[i + 8], is_sum);
  UNROLL for (int32_t i = 0; i < 4; ++i) v.value[i] = folded_pair(v.value[i], v.value[i + 4], is_sum);
  UNROLL for (int32_t i = 0; i < 2; ++i) v.value[i] = folded_pair(v.value[i], v.value[i + 2], is_sum);
  return folded_pair(v.value[0], v.value[1], is_sum);
}

FUNCTION(void) fold_buffer(CONTEXT(CONST_BUFFER(double) line, int32_t count, bool is_sum)) {
  for (int32_t g = local_x(); g * FOLD_GROUP < count; g += BLOCK_X) {
    FoldGroup values;
    UNROLL for (int32_t i = 0; i < FOLD_GROUP; ++i) {
      values.value[i] = DOUBLE(0.0);
      if (g * FOLD_GROUP + i < count) values.value[i] = line.data[g * FOLD_GROUP + i];
    }
    FOLDED[g] = folded_group(values, is_sum);
  }
}

// The first `count` of what is folded.
FUNCTION(void) fold_again(CONTEXT(int32_t count, bool is_sum)) {
  const int32_t g = local_x();
  FoldGroup values;
  UNROLL for (int32_t i = 0; i < FOLD_GROUP; ++i) {
    values.value[i] = DOUBLE(0.0);
    if (g * FOLD_GROUP + i < count) values.value[i] = FOLDED[g * FOLD_GROUP + i];
  }
  group_barrier();
  if (g * FOLD_GROUP < count) FOLDED[g] = folded_group(values, is_sum);
  group_barrier();
}

// Folds `count` numbers, with zeros behind them.
FUNCTION(double) fold_line(CONTEXT(CONST_BUFFER(double) line, int32_t count, bool is_sum)) {
  fold_buffer(PASS(line, count, is_sum));
  group_barrier();
  for (int32_t groups = (count + FOLD_GROUP - 1) / FOLD_GROUP; groups > 1;
       groups = (groups + FOLD_GROUP - 1) / FOLD_GROUP) {
    fold_again(PASS(groups, is_sum));
  }
  const double result = FOLDED[0];
  group_barrier();
  return result;
}
