// cbrt, sin, cos and atan2: not glibc's bits but own ones, the same on every processor and device, and nearer to the
// correctly rounded value than 0.501 units in the last place. The leading terms are sums of two doubles, the others
// doubles. No guard: math/exact_math.cc compiles the source twice. `t` is the table of exact_tables.h.

// high + low, |low| at most half a last place of high.
struct ExactPair {
  double high, low;
};

FUNCTION(ExactPair) exact_pair(double high, double low) {
  const ExactPair pair = {high, low};
  return pair;
}

FUNCTION(ExactPair) exact_pair_at(CONST_BUFFER(uint64_t) t, int32_t i) {
  return exact_pair(exact_number(t, i), exact_number(t, i + 1));
}

// a + b without an error.
FUNCTION(ExactPair) exact_two_sum(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  return exact_pair(sum, (a - (sum - from_b)) + (b - from_b));
}

// a * b without an error.
FUNCTION(ExactPair) exact_two_product(double a, double b) {
  const double product = a * b;
  return exact_pair(product, exact_fma(a, b, -product));
}

FUNCTION(ExactPair) exact_pair_sum(ExactPair a, ExactPair b) {
  const ExactPair sum = exact_two_sum(a.high, b.high);
  const double low = sum.low + (a.low + b.low);
  const double high = sum.high + low;
  return exact_pair(high, low - (high - sum.high));
}

FUNCTION(ExactPair) exact_pair_product(ExactPair a, ExactPair b) {
  const ExactPair product = exact_two_product(a.high, b.high);
  return exact_pair(product.high, product.low + (a.high * b.low + a.low * b.high));
}

FUNCTION(ExactPair) exact_negative(ExactPair a) { return exact_pair(-a.high, -a.low); }

// x^(-1/3) from its exponent and the linear guess between, to 3.5 %, by two steps of fourth order;
// then x^(1/3) with one correction whose remainder x - y^3 is known to 100 bits. No division.
FUNCTION(double) exact_cbrt(double x) {
  const uint64_t sign = double_bits(x) & EXACT_SIGN;
  const uint64_t bits = double_bits(x) & ~EXACT_SIGN;
  if (bits == uint64_t(0u) || bits >= exact_infinity(53)) return x;
  const int32_t exponent = int32_t(exact_pattern(bits_double(bits)) >> 52) - 1023;
  const int32_t third = (exponent + 1500) / 3 - 500;
  const uint64_t fraction = uint64_t(exact_pattern(bits_double(bits))) & (EXACT_HIDDEN - uint64_t(1u));
  const double m = bits_double(fraction | (uint64_t(uint32_t(1023 + exponent - 3 * third)) << 52));  // in [1, 8)
  double r = bits_double(uint64_t(0x553ef0ffu - uint32_t(double_bits(m) >> 32) / 3u) << 32);
  for (int32_t i = 0; i < 2; ++i) {
    const double h = DOUBLE(1.0) - m * (r * r * r);
    const double p = DOUBLE(0.2222222222222222) + h * DOUBLE(0.1728395061728395);
    r = r + r * (h * (DOUBLE(0.3333333333333333) + h * p));
  }
  const double y = m * (r * r);
  const ExactPair square = exact_two_product(y, y);
  const ExactPair cube = exact_two_product(square.high, y);
  const double rest = ((m - cube.high) - cube.low) - square.low * y;
  const double root = y + rest * (r * r) * DOUBLE(0.3333333333333333);
  return bits_double(sign | (double_bits(root) + (uint64_t(int64_t(third)) << 52)));
}

// c[0] + x (c[1] + x (c[2] + ...)): three coefficients of two parts, then six of one.
FUNCTION(ExactPair) exact_series(CONST_BUFFER(uint64_t) t, int32_t c, ExactPair x) {
  double tail = exact_number(t, c + 11);
  for (int32_t i = 10; i >= 6; --i) tail = exact_number(t, c + i) + x.high * tail;
  ExactPair sum = exact_pair(tail, DOUBLE(0.0));
  for (int32_t i = 4; i >= 0; i -= 2) sum = exact_pair_sum(exact_pair_at(t, c + i), exact_pair_product(x, sum));
  return sum;
}

// sin(x + quarter pi/2). The multiples of the three parts of pi/2 are exact: |k| < 2^20.
FUNCTION(double) exact_circle(CONST_BUFFER(uint64_t) t, double x, int32_t quarter) {
  const double size = exact_abs(x);
  if (size < DOUBLE(7.450580596923828e-9)) return quarter == 0 ? x : DOUBLE(1.0);
  if (double_bits(size) > double_bits(DOUBLE(1048576.0))) return EXACT_NAN;
  ExactPair r = exact_pair(x, DOUBLE(0.0));
  int32_t k = 0;
  if (size > DOUBLE(0.7853981633974483)) {
    const double shift = exact_number(t, EXACT_HALF_PI + 1);
    const double turns = (x * exact_number(t, EXACT_HALF_PI) + shift) - shift;
    k = int32_t(turns);
    const double first = x - turns * exact_number(t, EXACT_HALF_PI + 2);
    const ExactPair second = exact_two_sum(first, -(turns * exact_number(t, EXACT_HALF_PI + 3)));
    const ExactPair last = exact_two_sum(second.high, -(turns * exact_number(t, EXACT_HALF_PI + 4)));
    r = exact_pair_sum(last, exact_pair(second.low, -(turns * exact_number(t, EXACT_HALF_PI + 5))));
  }
  const ExactPair r2 = exact_pair_product(r, r);
  const bool odd = ((k + quarter) & 1) != 0;
  const ExactPair series = exact_pair_product(r2, exact_series(t, odd ? EXACT_COS : EXACT_SIN, r2));
  ExactPair result = exact_pair_sum(exact_pair(DOUBLE(1.0), DOUBLE(0.0)), series);
  if (!odd) result = exact_pair_sum(r, exact_pair_product(r, series));
  const double value = result.high + result.low;
  return ((k + quarter) & 2) != 0 ? -value : value;
}

FUNCTION(double) exact_sin(CONST_BUFFER(uint64_t) t, double x) { return exact_circle(t, x, 0); }
FUNCTION(double) exact_cos(CONST_BUFFER(uint64_t) t, double x) { return exact_circle(t, x, 1); }

// The angle of (d, n), 0 <= n <= d, not tiny: that of (32, i) and that of the point rotated back by it.
FUNCTION(ExactPair) exact_angle(CONST_BUFFER(uint64_t) t, double n, double d) {
  const int32_t i = int32_t(exact_divide(n, d) * DOUBLE(32.0) + DOUBLE(0.5));
  const double c = double(i) * DOUBLE(0.03125);
  const ExactPair over = exact_pair_sum(exact_pair(n, DOUBLE(0.0)), exact_negative(exact_two_product(c, d)));
  const ExactPair under = exact_pair_sum(exact_pair(d, DOUBLE(0.0)), exact_two_product(c, n));
  const double high = exact_divide(over.high, under.high);
  const double rest = (exact_fma(-high, under.high, over.high) + over.low) - high * under.low;
  const double low = exact_divide(rest, under.high);
  const double z = high * high;
  double series = exact_number(t, EXACT_ATAN + 5);
  for (int32_t k = 4; k >= 0; --k) series = exact_number(t, EXACT_ATAN + k) + z * series;
  return exact_pair_sum(exact_pair_at(t, EXACT_ATAN_TABLE + 2 * i), exact_pair(high, low + high * (z * series)));
}

FUNCTION(double) exact_atan2(CONST_BUFFER(uint64_t) t, double y, double x) {
  if (exact_is_nan(x) || exact_is_nan(y)) return EXACT_NAN;
  const uint64_t y_size = double_bits(y) & ~EXACT_SIGN;
  const uint64_t x_size = double_bits(x) & ~EXACT_SIGN;
  const bool steep = y_size > x_size;
  double n = bits_double(steep ? x_size : y_size);
  double d = bits_double(steep ? y_size : x_size);
  if (double_bits(d) == exact_infinity(53)) {
    n = double_bits(n) == exact_infinity(53) ? DOUBLE(1.0) : DOUBLE(0.0);
    d = DOUBLE(1.0);
  }
  const int32_t field = int32_t(double_bits(d) >> 52);
  ExactPair angle = exact_pair(DOUBLE(0.0), DOUBLE(0.0));
  if (field - int32_t(double_bits(n) >> 52) > 60) {
    angle.high = exact_divide(n, d);
  } else if (double_bits(n) != uint64_t(0u)) {
    const uint64_t power = field < 523 ? uint64_t(1623u) : field > 1523 ? uint64_t(423u) : uint64_t(1023u);
    const double scale = bits_double(power << 52);
    angle = exact_angle(t, n * scale, d * scale);
  }
  if (steep) angle = exact_pair_sum(exact_pair_at(t, EXACT_HALF_TURN), exact_negative(angle));
  if ((double_bits(x) & EXACT_SIGN) != uint64_t(0u))
    angle = exact_pair_sum(exact_pair_at(t, EXACT_HALF_TURN + 2), exact_negative(angle));
  return bits_double((double_bits(y) & EXACT_SIGN) | double_bits(angle.high + angle.low));
}
