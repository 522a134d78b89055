// The variances and entropies of blocks (docs/spec/siblings.md 2.6), an item for each block.
// The order matters.
// clang-format off
#include "kernel/divide/any_float.kernel.h"
#include "kernel/exact_math.kernel.h"
// clang-format on
#include "metric/speed/speed_args.h"
#include "metric/speed/speed_math.kernel.h"
#include "metric/speed/speed_states.kernel.h"

#define SIDE 5    // kSpeedSide
#define ORDER 25  // kSpeedValues

struct SpeedBlocksShared {
  float solution[ORDER][BLOCK_X];
};

KERNEL_USES(SpeedBlocksArgs, SpeedBlocksShared)

// The logarithm to base 2 of a normal number, off by less than 2^-44: exact_log2's series without its second digits.
FUNCTION(double) near_log2(CONST_BUFFER(uint64_t) t, double x) {
  const ExactSplit split = exact_split(int64_t(double_bits(x)), int64_t(0x3fe6000000000000ul), 6);
  const int32_t i = EXACT_LOG2_TABLE + 2 * split.index;
  const double r = split.z * exact_number(t, i) - DOUBLE(1.0);
  const double r2 = r * r;
  const double p = (exact_number(t, EXACT_LOG2_A) + r * exact_number(t, EXACT_LOG2_A + 1)) +
                   r2 * (exact_number(t, EXACT_LOG2_A + 2) + r * exact_number(t, EXACT_LOG2_A + 3));
  const double q = exact_number(t, EXACT_LOG2_A + 4) + r * exact_number(t, EXACT_LOG2_A + 5);
  return (split.k + exact_number(t, i + 1)) + (r * exact_number(t, EXACT_LOG2_E) + r2 * (p + r2 * r2 * q));
}

// Value i of a block.
FUNCTION(float) block_value(CONTEXT(int32_t block, int32_t i)) {
  CONST_BUFFER(float)
  sharp = CONST_BUFFER_AT(float, args.sharp, int64_t(group_z()) * int64_t(args.columns * args.rows));
  const int32_t y = block / args.blocks_across * SIDE + i / SIDE;
  const int32_t x = block % args.blocks_across * SIDE + i % SIDE;
  return sharp.data[y * args.columns + x];
}

// The solution of the equations, then the variance.
FUNCTION(float) solve_block(CONTEXT(int32_t block)) {
  const int32_t item = local_x();
  const int64_t first = int64_t(group_z()) * int64_t(2 * ORDER * ORDER);
  CONST_BUFFER(float) orthogonal = CONST_BUFFER_AT(float, args.equations, first);
  CONST_BUFFER(float) triangular = CONST_BUFFER_AT(float, args.equations, first + int64_t(ORDER * ORDER));
  for (int32_t i = 0; i < ORDER; ++i) group.solution[i][item] = 0.0f;
  for (int32_t k = 0; k < ORDER; ++k) {
    const float value = block_value(PASS(block, k));
    for (int32_t i = 0; i < ORDER; ++i) {
      group.solution[i][item] = add_product(group.solution[i][item], orthogonal.data[i * ORDER + k], value);
    }
  }
  for (int32_t i = ORDER - 1; i >= 0; --i) {
    float rest = group.solution[i][item];
    for (int32_t k = i + 1; k < ORDER; ++k) rest = rest - group.solution[k][item] * triangular.data[i * ORDER + k];
    group.solution[i][item] = exact_divide_float(rest, triangular.data[i * ORDER + i]);
  }
  float variance = 0.0f;
  for (int32_t i = 0; i < ORDER; ++i) {
    variance = variance + exact_divide_float(group.solution[i][item] * block_value(PASS(block, i)), 25.0f);
  }
  return variance;
}

// An entropy and one more term, rounded from double to float.
FUNCTION(float) add_information(CONTEXT(float entropy, float argument)) {
#ifndef exact_fma
  // The logarithm's fused operations would be made of integers here. A near one does where both ends of what the sum
  // may be round to the same float, which one in 10,000 does not: near_log2, the exact one's error and three roundings
  // of numbers below 1024 are off by 2^-40 in all.
  const uint32_t bits = float_bits(argument);
  if (bits >= 0x00800000u && bits < 0x7f800000u) {
    const double sum = double(entropy) + (near_log2(args.exact_table, double(argument)) + args.entropy_of_one);
    const float low = float(sum - DOUBLE(3.637978807091713e-12));  // 2^-38
    const float high = float(sum + DOUBLE(3.637978807091713e-12));
    if (low == high && magnitude(low) < 1024.0f) return low;
  }
#endif
  return float(double(entropy) + (exact_log2(args.exact_table, double(argument)) + args.entropy_of_one));
}

FUNCTION(float) entropy_of(CONTEXT(float variance)) {
  float entropy = 0.0f;
  for (int32_t i = 0; i < ORDER; ++i) {
    const float eigenvalue = args.eigenvalues.data[group_z() * ORDER + i];
    const float argument = (eigenvalue < 0.0f ? 0.0f : eigenvalue) * variance + args.sigma_nn;
    entropy = add_information(PASS(entropy, argument));
  }
  return entropy;
}

// Stores the result of each pair that has the picture: pictures come with all frames of a reference before all
// pairs' distorted ones, again and again.
FUNCTION(void) store_word(CONTEXT(int32_t place, uint64_t word)) {
  const int32_t pairs = args.frames * args.videos;
  const int32_t turn = group_z() / (args.frames + pairs);
  const int32_t index = group_z() - turn * (args.frames + pairs);
  const bool is_reference = index < args.frames;
  const int32_t first = is_reference ? index * args.videos : index - args.frames;
  const int32_t count = is_reference ? args.videos : 1;
  const int32_t picture = 2 * turn + (is_reference ? 0 : 1);
  for (int32_t i = 0; i < count; ++i) {
    args.words.data[((first + i) * args.pictures + picture) * (args.blocks + 1) + place] = word;
  }
}

KERNEL_MAIN() {
  const int32_t block = group_x() * BLOCK_X + local_x();
  const bool is_singular =
      args.states.data[2 * group_z()] != SPEED_REGULAR || args.states.data[2 * group_z() + 1] == SPEED_SINGULAR;
  const bool is_undefined = args.states.data[2 * group_z() + 1] == SPEED_UNDEFINED && !is_singular;
  if (block < args.blocks) {
    float variance = 0.0f;
    if (!is_singular) variance = solve_block(PASS(block));
    uint32_t of_variance = float_bits(variance);
    uint32_t of_entropy = float_bits(entropy_of(PASS(variance)));
    if (is_undefined) {
      of_variance = 0x7fc00000u;
      of_entropy = 0x7fc00000u;
    }
    store_word(PASS(block, (uint64_t(of_entropy) << 32) | uint64_t(of_variance)));
  }
  if (block == 0) store_word(PASS(args.blocks, uint64_t(is_singular ? 1u : 0u)));
}
