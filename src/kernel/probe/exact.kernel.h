// Every exact function once; the tests of all backends compare with math/exact_math.h. PART: EXACT_ARITHMETIC and on.
#include "kernel/probe/exact_args.h"

KERNEL_USES(ExactArgs, int32_t)

#include "kernel/exact_math.kernel.h"
#include "kernel/fused.kernel.h"

FUNCTION(uint64_t) single(float x) { return uint64_t(float_bits(x)); }

FUNCTION(uint64_t) both(float low, float high) { return single(low) | (single(high) << 32); }

FUNCTION(float) scaled(double x, int32_t twos) { return float(x) * bits_float(uint32_t(127 + twos) << 23); }

FUNCTION(float) wide_fused(float a, float b, float c) {
  return float(fused_wide(WIDE_FLOAT(a), WIDE_FLOAT(b), WIDE_FLOAT(c)));
}

FUNCTION(void) store(CONTEXT(BUFFER(uint64_t) r, double x, double y, double z)) {
#if PART == EXACT_ARITHMETIC
  r.data[0] = double_bits(exact_fma(x, y, z));
  r.data[1] = double_bits(exact_divide(x, y));
  r.data[2] = double_bits(exact_sqrt(exact_abs(x)));
  r.data[3] = single(exact_divide_float(float(x), float(y))) | (single(exact_sqrt_float(float(exact_abs(x)))) << 32);
#elif PART == EXACT_POWERS
  r.data[0] = double_bits(exact_exp(args.table, x));
  r.data[1] = double_bits(exact_pow(args.table, exact_abs(x), y));
  r.data[2] = single(exact_powf(args.table, float(exact_abs(x)), float(y)));
  r.data[3] = double_bits(exact_cbrt(x * z));
#elif PART == EXACT_LOGARITHMS
  r.data[0] = double_bits(exact_log(args.table, exact_abs(x)));
  r.data[1] = double_bits(exact_log2(args.table, exact_abs(x)));
  r.data[2] = double_bits(exact_log10(args.table, exact_abs(y * z)));
  r.data[3] = single(exact_log2f(args.table, float(exact_abs(x))));
#elif PART == EXACT_FUSED
  const float a = float(x);
  const float b = float(y);
  const float c = float(z);
  const float product = a * b;
  r.data[0] = both(fused(a, b, c), wide_fused(-b, c, a));
  r.data[1] = both(fused(a, b, -product), wide_fused(a, b, bits_float(float_bits(-product) + 1u)));
  r.data[2] =
      both(fused(scaled(x, 50), scaled(y, 50), scaled(z, 100)), fused(scaled(x, -28), scaled(y, -28), scaled(z, -56)));
  r.data[3] = both(fused(scaled(x, -70), scaled(y, -70), 0.0f),
                   fused(bits_float(float_bits(a) & 0x807fffffu), scaled(y, 90), c));
#else
  r.data[0] = double_bits(exact_sin(args.table, x));
  r.data[1] = double_bits(exact_cos(args.table, z));
  r.data[2] = double_bits(exact_atan2(args.table, x, y));
  r.data[3] = double_bits(exact_cbrt(y));
#endif
}

KERNEL_MAIN() {
  const int32_t i = group_x() * BLOCK_X + local_x();
  if (i < args.count) {
    for (int32_t k = 0; k < args.rounds; ++k) {
      const double x = args.numbers.data[4 * i + 3 * k];
      const double y = args.numbers.data[4 * i + 1];
      const int64_t place = int64_t(2 * i + k) * int64_t(EXACT_RESULTS);
      store(PASS(BUFFER_AT(uint64_t, args.results, place), x, k == 0 ? y : -y, args.numbers.data[4 * i + 2]));
    }
  }
}
