// Every word of the kernel language once, with an answer that the tests of all backends know (language_answers.h).
#include "kernel/probe/language_args.h"

CONSTANT(int32_t, kWeightCount) = 3;
TABLE(int32_t, kWeights, kWeightCount) = {-3, 5, 7};

struct LanguageShared {
  int32_t grid[2][BLOCK_Y][BLOCK_X];
  SAMPLE stored[BLOCK_X * BLOCK_Y];
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(LanguageArgs, LanguageShared)

FUNCTION(int32_t) item() { return local_y() * BLOCK_X + local_x(); }

FUNCTION(void) split(uint32_t value, IN_OUT(uint32_t) high, IN_OUT(uint32_t) low) {
  high = value >> 4;
  low = value & 15u;
}

// Contraction of either line would change the last bit.
FUNCTION(double) ratio(double x, double y) {
  const double quotient = x / (y + DOUBLE(65536.0e-10));
  const double difference = x - quotient * y * DOUBLE(0.1);
  return difference;
}

FUNCTION(int64_t) weighted(CONTEXT(int32_t plane)) {
  int64_t sum = int64_t(0);
  UNROLL for (int32_t k = 0; k < kWeightCount; ++k) {
    sum += int64_t(kWeights[k]) * int64_t(group.grid[plane][local_y()][(local_x() + k) % BLOCK_X]);
  }
  return sum;
}

// The sum over the wave, by exchanges that follow one another: none may see a value of the next.
FUNCTION(uint64_t) exchanged_sum(uint64_t value) {
  uint64_t sum = value;
  for (int32_t mask = 1; mask < wave_size(); mask = mask * 2) sum += wave_xor(sum, mask);
  return sum;
}

// Its promise is 2^-21; the product rounds once more.
FUNCTION(bool) reciprocal_is_near(float x) {
  const float reciprocal = estimate_reciprocal(x);
  const float product = reciprocal * x;
  return product > 1.0f - 5.4e-7f && product < 1.0f + 5.4e-7f;
}

KERNEL_MAIN() {
  const int32_t place =
      (group_z() * groups_y() * groups_x() + group_y() * groups_x() + group_x()) * BLOCK_X * BLOCK_Y + item();
  CONST_BUFFER(SAMPLE) samples = CONST_BUFFER_AT(SAMPLE, args.samples, args.first);
  group.stored[item()] = SAMPLE(0u);
  if (place < args.count) group.stored[item()] = samples.data[place];
  const uint32_t value = uint32_t(group.stored[item()]);
  uint32_t high = 0u;
  uint32_t low = 0u;
  split(value, high, low);
  group.grid[0][local_y()][local_x()] = int32_t(high);
  group.grid[1][local_y()][local_x()] = args.table.data[int32_t(low)];
  group_barrier();
  const int64_t sum = weighted(PASS(0)) + weighted(PASS(1));
  const uint64_t of_wave = wave_sum(uint64_t(value));
  if (wave_lane() == 0) group.wave_sums[wave_index()] = of_wave;
  group_barrier();
  uint64_t of_group = uint64_t(0u);
  for (int32_t i = 0; i < wave_count(); ++i) of_group += group.wave_sums[i];
  const bool agree = exchanged_sum(uint64_t(value)) == of_wave && reciprocal_is_near(float(value + 1u));
  const uint64_t partner = wave_xor(uint64_t(place), args.mask);
  if (place < args.count) {
    args.ratios.data[place] = ratio(double(value), double(high));
    BUFFER(int64_t) mine = BUFFER_AT(int64_t, args.integers, int64_t(4) * int64_t(place));
    mine.data[0] = sum;
    mine.data[1] = int64_t(leading_zeros(value << 3));
    mine.data[2] = int64_t(of_group);
    mine.data[3] = int64_t(partner) * int64_t(agree ? 1 : -1);
  }
}
