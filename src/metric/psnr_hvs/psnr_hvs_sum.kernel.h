// The running float sum of a plane's terms, from the first to the last. A workgroup has a plane.
//
// Between two powers of two, floats are whole steps, and what a term adds to a running sum is a number of steps that
// does not depend on the sum, but where the term lies in the middle of two: the sum's last bit then decides. Two
// running sums, from the power of two and from the float behind it, thus show how many steps a block adds to
// any even or odd sum. Each item has a block; a scan joins what they add. A block on whose way the next power of two is
// reached adds its terms one by one, and the blocks behind it start again with longer steps: a few dozen times in a
// plane, since terms are not negative.
#include "metric/psnr_hvs/psnr_hvs_sum_args.h"

#define SAMPLES 64
#define AT_ONCE 16          // terms that are read before they are added
#define BINADE 0x00800000u  // steps from a power of two to the next

// By how many steps a sum grows.
struct HvsSteps {
  uint32_t from_even, from_odd;
};

struct HvsSumShared {
  HvsSteps steps[2][BLOCK_X];  // the scan reads one and writes the other
  uint32_t sum;                // pattern
  int32_t next;                // block
};

KERNEL_USES(HvsSumArgs, HvsSumShared)

FUNCTION(uint32_t) at_most_a_binade(uint32_t steps) { return steps < BINADE ? steps : BINADE; }

FUNCTION(HvsSteps) join_steps(HvsSteps before, HvsSteps after) {
  const bool even_stays = (before.from_even & 1u) == 0u;
  const bool odd_stays = (before.from_odd & 1u) == 0u;
  const HvsSteps steps = {at_most_a_binade(before.from_even + (even_stays ? after.from_even : after.from_odd)),
                          at_most_a_binade(before.from_odd + (odd_stays ? after.from_odd : after.from_even))};
  return steps;
}

// Where a plane's block begins.
FUNCTION(int32_t) first_term(int32_t block) { return block / HVS_GROUP * (HVS_GROUP * SAMPLES) + block % HVS_GROUP; }

FUNCTION(HvsSteps) block_steps(CONST_BUFFER(float) terms, int32_t block, uint32_t sum) {
  const uint32_t power = sum & ~(BINADE - 1u);
  const uint32_t behind = sum == 0u ? 0u : power + 1u;
  float even = bits_float(power);
  float odd = bits_float(behind);
  CONST_BUFFER(float) own = CONST_BUFFER_AT(float, terms, int64_t(first_term(block)));
  for (int32_t c = 0; c < SAMPLES; c += AT_ONCE) {
    UNROLL for (int32_t i = 0; i < AT_ONCE; ++i) {
      const float term = own.data[(c + i) * HVS_GROUP];
      even = even + term;
      odd = odd + term;
    }
  }
  const HvsSteps steps = {at_most_a_binade(float_bits(even) - power), at_most_a_binade(float_bits(odd) - behind)};
  return steps;
}

FUNCTION(uint32_t) add_block(CONST_BUFFER(float) terms, int32_t block, uint32_t sum) {
  float running = bits_float(sum);
  CONST_BUFFER(float) own = CONST_BUFFER_AT(float, terms, int64_t(first_term(block)));
  for (int32_t c = 0; c < SAMPLES; c += AT_ONCE) {
    UNROLL for (int32_t i = 0; i < AT_ONCE; ++i) running = running + own.data[(c + i) * HVS_GROUP];
  }
  return float_bits(running);
}

// The steps of the item's block and all before it. Leaves the steps of all items in group.steps[result].
FUNCTION(int32_t) scan_steps(CONTEXT(HvsSteps own)) {
  const int32_t item = local_x();
  int32_t at = 0;
  group.steps[0][item] = own;
  group_barrier();
  for (int32_t reach = 1; reach < BLOCK_X; reach += reach) {
    HvsSteps steps = group.steps[at][item];
    if (item >= reach) steps = join_steps(group.steps[at][item - reach], steps);
    group.steps[1 - at][item] = steps;
    at = 1 - at;
    group_barrier();
  }
  return at;
}

// The sum from an item's block on, and where the next turn begins: one item knows.
FUNCTION(void) advance(CONTEXT(CONST_BUFFER(float) terms, int32_t first, int32_t scan, uint32_t sum)) {
  const int32_t item = local_x();
  const bool is_odd = (sum & 1u) != 0u;
  const uint32_t start = sum & (BINADE - 1u);
  uint32_t before = start;
  if (item > 0) {
    before += is_odd ? group.steps[scan][item - 1].from_odd : group.steps[scan][item - 1].from_even;
  }
  const uint32_t after = start + (is_odd ? group.steps[scan][item].from_odd : group.steps[scan][item].from_even);
  if (before < BINADE && (after >= BINADE || item == BLOCK_X - 1)) {
    uint32_t result = sum - start + after;
    if (after >= BINADE) result = add_block(terms, first + item, sum - start + before);
    group.sum = result;
    group.next = first + item + 1;
  }
}

KERNEL_MAIN() {
  const int32_t plane = group_x();
  const int32_t blocks = plane == 0 ? args.luma_blocks : args.chroma_blocks;
  const int32_t offset = plane == 0 ? 0 : args.luma_terms + (plane - 1) * args.chroma_terms;
  CONST_BUFFER(float)
  terms = CONST_BUFFER_AT(float, args.terms, int64_t(group_z()) * args.pair_terms + int64_t(offset));
  uint32_t sum = 0u;
  int32_t first = 0;
  while (first < blocks) {
    HvsSteps own = {0u, 0u};
    if (first + local_x() < blocks) own = block_steps(terms, first + local_x(), sum);
    const int32_t scan = scan_steps(PASS(own));
    advance(PASS(terms, first, scan, sum));
    group_barrier();
    sum = group.sum;
    first = group.next;
    group_barrier();
  }
  if (local_x() == 0) {
    const int32_t word = 3 * group_z() + plane;
    args.words.data[2 * word] = sum;
    args.words.data[2 * word + 1] = 0u;
  }
}
