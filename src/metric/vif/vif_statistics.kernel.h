// What a pixel's variances add to the sums of a scale (docs/spec/core.md 1.5), and the sums of a
// workgroup. The kernel's shared memory has `log_table` and two `wave_sums` per wave.
#pragma once

#include "metric/vif/vif_gain.kernel.h"

// The sums of at most 2047 pixels; num_log < 2^16 and den_log < 2^15 for each.
struct VifSums {
  uint32_t num_log;
  uint32_t den_log;
  uint32_t flat_count;
  uint64_t flat_num;
};

FUNCTION(VifSums) no_sums() {
  VifSums sums;
  sums.num_log = 0u;
  sums.den_log = 0u;
  sums.flat_count = 0u;
  sums.flat_num = uint64_t(0u);
  return sums;
}

// Fills the table, which all items see after the next barrier.
FUNCTION(void) load_log_table(CONTEXT()) {
  for (int32_t i = local_x(); i < 2 * kLogParts; i += BLOCK_X) group.log_table[i] = args.log_table.data[i];
}

// 2048 log2(x) of the 16 leading bits of x >= 2^16, as VifLogTable() has it (vif_math.h).
FUNCTION(uint32_t) log_2048(CONTEXT(uint32_t x)) {
  const int32_t zeros = leading_zeros(x);
  const uint32_t fraction = (x << zeros) << 1;
  const int32_t part = int32_t(fraction >> 27);
  const uint32_t t = (fraction >> 17) & 1023u;
  const uint32_t fit = group.log_table[kLogParts + part];
  return 2048u * uint32_t(31 - zeros) + fitted_log(group.log_table[part], fit >> 8, fit & 255u, t);
}

FUNCTION(void) add_pixel(CONTEXT(int32_t s1, int32_t s2, int32_t s12, IN_OUT(VifSums) sums)) {
  if (s1 < kNoise) {
    sums.flat_num += uint64_t(s2 < 0 ? 0 : s2);
    sums.flat_count += 1u;
    return;
  }
  sums.den_log += log_2048(PASS(uint32_t(s1 + kNoise))) - kNoiseLog;
  if (s12 > 0 && s2 > 0) {
    const VifGain gain = find_gain(uint32_t(s1), uint32_t(s2), uint32_t(s12), args.limit);
    sums.num_log += log_2048(PASS(gain.n2_high)) + 2048u * gain.n2_shift - log_2048(PASS(gain.n1));
  }
}

// Called by all items: sums over the workgroup, four partial sums of it. The first three share a word: 27 bits for
// num_log, 26 for den_log, 11 for flat_count.
FUNCTION(void) store_sums(CONTEXT(VifSums sums)) {
  const uint64_t counts = uint64_t(sums.num_log) | (uint64_t(sums.den_log) << 27) | (uint64_t(sums.flat_count) << 53);
  const uint64_t counts_of_wave = wave_sum(counts);
  const uint64_t flat_of_wave = wave_sum(sums.flat_num);
  if (wave_lane() == 0) {
    group.wave_sums[2 * wave_index()] = counts_of_wave;
    group.wave_sums[2 * wave_index() + 1] = flat_of_wave;
  }
  group_barrier();
  if (local_x() != 0) return;
  uint64_t all = uint64_t(0u);
  uint64_t penalty = uint64_t(0u);
  for (int32_t i = 0; i < wave_count(); ++i) {
    all += group.wave_sums[2 * i];
    penalty += group.wave_sums[2 * i + 1];
  }
  const int32_t groups = groups_x() * groups_y();
  const int32_t place = group_z() * args.partials_per_frame + args.first_partial + group_y() * groups_x() + group_x();
  args.partials.data[place] = all & uint64_t((1u << 27) - 1u);
  args.partials.data[place + groups] = (all >> 27) & uint64_t((1u << 26) - 1u);
  args.partials.data[place + 2 * groups] = penalty;
  args.partials.data[place + 3 * groups] = all >> 53;
}
