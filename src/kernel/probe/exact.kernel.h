// Every exact function once; the tests of all backends compare with base/exact_math.h. PART: EXACT_ARITHMETIC and on.
#include "kernel/probe/exact_args.h"

struct ExactShared {
  int32_t unused;
};

KERNEL_USES(ExactArgs, ExactShared)

#include "kernel/exact_math.kernel.h"

FUNCTION(uint64_t) single(float x) { return uint64_t(float_bits(x)); }

KERNEL_MAIN() {
  const int32_t i = group_x() * BLOCK_X + local_x();
  if (i < args.count) {
    const double x = args.numbers.data[3 * i];
    const double y = args.numbers.data[3 * i + 1];
    const double z = args.numbers.data[3 * i + 2];
    const double size = exact_abs(x);
    BUFFER(uint64_t) r = BUFFER_AT(uint64_t, args.results, int64_t(i) * int64_t(EXACT_RESULTS));
#if PART == EXACT_ARITHMETIC
    r.data[0] = double_bits(exact_fma(x, y, z));
    r.data[1] = double_bits(exact_divide(x, y));
    r.data[2] = double_bits(exact_sqrt(size));
    r.data[3] = single(exact_divide_float(float(x), float(y)));
    r.data[4] = single(exact_sqrt_float(float(size)));
#elif PART == EXACT_POWERS
    r.data[0] = double_bits(exact_exp(args.table, x));
    r.data[1] = double_bits(exact_pow(args.table, size, y));
    r.data[2] = single(exact_powf(args.table, float(size), float(y)));
    r.data[3] = double_bits(exact_cbrt(x));
    r.data[4] = double_bits(exact_cbrt(z));
#elif PART == EXACT_LOGARITHMS
    r.data[0] = double_bits(exact_log(args.table, size));
    r.data[1] = double_bits(exact_log2(args.table, size));
    r.data[2] = double_bits(exact_log10(args.table, size));
    r.data[3] = single(exact_log2f(args.table, float(size)));
    r.data[4] = double_bits(exact_log10(args.table, exact_abs(y * z)));
#else
    r.data[0] = double_bits(exact_sin(args.table, x));
    r.data[1] = double_bits(exact_cos(args.table, x));
    r.data[2] = double_bits(exact_atan2(args.table, x, y));
    r.data[3] = double_bits(exact_atan2(args.table, z, size));
    r.data[4] = double_bits(exact_sin(args.table, y));
#endif
  }
}
