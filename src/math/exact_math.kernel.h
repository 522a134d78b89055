// exp, log, log2, log10, pow, powf and log2f with one and the same last bit on every processor and device: that of
// glibc 2.36 on x86-64 with FMA, where the scores of libvmaf were recorded. Tables and coefficients are Arm's
// (math/exact_tables.h); the order of operations is part of the definition (docs/spec/math.md 2 to 7): an exact_fma
// rounds once, all other operations round by themselves. There is no include guard, because math/exact_math.cc compiles
// the source twice. `t` is the table of exact_tables.h.

FUNCTION(double) exact_number(CONST_BUFFER(uint64_t) t, int32_t i) { return bits_double(t.data[i]); }

// c1 x + c0, the coefficients from t[c] on.
FUNCTION(double) exact_line(CONST_BUFFER(uint64_t) t, int32_t c, double x) {
  return exact_fma(x, exact_number(t, c + 1), exact_number(t, c));
}

#define EXACT_INFINITY bits_double(0x7ff0000000000000ul)
#define EXACT_NAN bits_double(0x7ff8000000000000ul)

FUNCTION(bool) exact_is_nan(double x) { return (double_bits(x) & ~EXACT_SIGN) > exact_infinity(53); }

FUNCTION(double) exact_abs(double x) { return bits_double(double_bits(x) & ~EXACT_SIGN); }

// x's pattern where x is positive and finite; a subnormal number's exponent continues below 0.
FUNCTION(int64_t) exact_pattern(double x) {
  const uint64_t bits = double_bits(x);
  if (bits >= EXACT_HIDDEN) return int64_t(bits);
  const int32_t shift = leading_zeros_64(bits) - 11;
  return int64_t((bits << shift) - (uint64_t(uint32_t(shift)) << 52));
}

// 2^k z, the exponent counted from where `offset` begins, and the index of z in a table.
struct ExactSplit {
  double k, z;
  int32_t index;
};

FUNCTION(ExactSplit) exact_split(int64_t pattern, int64_t offset, int32_t index_bits) {
  const int64_t from = pattern - offset;
  const int64_t k = from >> 52;
  const ExactSplit split = {double(int32_t(k)), bits_double(uint64_t(pattern) - (uint64_t(k) << 52)),
                            int32_t(from >> (52 - index_bits)) & ((1 << index_bits) - 1)};
  return split;
}

// Neither positive and finite; the answers of all logarithms.
FUNCTION(bool) exact_log_special(double x, IN_OUT(double) result) {
  const uint64_t bits = double_bits(x);
  result = EXACT_NAN;
  if ((bits & ~EXACT_SIGN) == uint64_t(0u)) result = -EXACT_INFINITY;
  if (bits == exact_infinity(53)) result = EXACT_INFINITY;
  return bits - uint64_t(1u) >= exact_infinity(53) - uint64_t(1u);
}

// e^(h + l), or its negative where sign is EXACT_SIGN.
FUNCTION(double) exact_exp_sum(CONST_BUFFER(uint64_t) t, double h, double l, uint64_t sign) {
  const int32_t size = int32_t(double_bits(h) >> 52) & 2047;  // |h| is at least 2^(size - 1023)
  if (size < 1023 - 54) return bits_double(sign | double_bits(DOUBLE(1.0)));
  if (size >= 1023 + 10) return bits_double(h > DOUBLE(0.0) ? sign | exact_infinity(53) : sign);
  const double shift = exact_number(t, EXACT_EXP + 3);
  const double whole = exact_fma(h, exact_number(t, EXACT_EXP), shift) - shift;
  const int32_t k = int32_t(whole);
  const int32_t i = EXACT_EXP_TABLE + 2 * (k & 127);
  const double r =
      exact_fma(whole, exact_number(t, EXACT_EXP + 2), exact_fma(whole, exact_number(t, EXACT_EXP + 1), h)) + l;
  const uint64_t scale = (t.data[i + 1] + (uint64_t(int64_t(k)) << 45)) ^ sign;
  const double r2 = r * r;
  const double low = exact_line(t, EXACT_EXP + 4, r);
  const double high = exact_line(t, EXACT_EXP + 6, r);
  const double p = exact_fma(r2 * r2, high, exact_fma(low, r2, r + exact_number(t, i)));
  if (size < 1023 + 9) return exact_fma(bits_double(scale), p, bits_double(scale));
  if (k >= 0) {
    const double s = bits_double(scale - (uint64_t(1009u) << 52));
    return bits_double(uint64_t(1023u + 1009u) << 52) * exact_fma(s, p, s);
  }
  const double s = bits_double(scale + (uint64_t(1022u) << 52));
  const double q = s * p;
  double y = s + q;
  if (exact_abs(y) < DOUBLE(1.0)) {
    const double one = y < DOUBLE(0.0) ? DOUBLE(-1.0) : DOUBLE(1.0);
    const double rest = (s - y) + q;
    const double sum = one + y;
    y = (sum + (((one - sum) + y) + rest)) - one;
    if (y == DOUBLE(0.0)) y = bits_double(sign);
  }
  return y * bits_double(EXACT_HIDDEN);
}

FUNCTION(double) exact_exp(CONST_BUFFER(uint64_t) t, double x) {
  return exact_is_nan(x) ? x : exact_exp_sum(t, x, DOUBLE(0.0), uint64_t(0u));
}

FUNCTION(double) exact_log_near_1(CONST_BUFFER(uint64_t) t, double r) {
  const double b0 = exact_number(t, EXACT_LOG_B);
  const double r2 = r * r;
  const double r3 = r * r2;
  const double p = exact_fma(r2, exact_number(t, EXACT_LOG_B + 3), exact_line(t, EXACT_LOG_B + 1, r));
  const double q = exact_fma(r2, exact_number(t, EXACT_LOG_B + 6), exact_line(t, EXACT_LOG_B + 4, r));
  const double s9 = exact_fma(r2, exact_number(t, EXACT_LOG_B + 9), exact_line(t, EXACT_LOG_B + 7, r));
  const double s = exact_fma(r3, exact_number(t, EXACT_LOG_B + 10), s9);
  const double sum = exact_fma(exact_fma(s, r3, q), r3, p);
  const double w = r * DOUBLE(134217728.0);
  const double r_high = (r + w) - w;
  const double r_low = r - r_high;
  const double square = r_high * r_high;
  const double high = exact_fma(square, b0, r);
  const double low = exact_fma(b0 * r_low, r + r_high, exact_fma(square, b0, r - high));
  return high + exact_fma(sum, r3, low);
}

FUNCTION(double) exact_log(CONST_BUFFER(uint64_t) t, double x) {
  double special = DOUBLE(0.0);
  if (exact_log_special(x, special)) return special;
  const uint64_t bits = double_bits(x);
  if (x == DOUBLE(1.0)) return DOUBLE(0.0);
  if (bits >= 0x3fee000000000000ul && bits < 0x3ff1090000000000ul) return exact_log_near_1(t, x - DOUBLE(1.0));
  const ExactSplit split = exact_split(exact_pattern(x), int64_t(0x3fe6000000000000ul), 7);
  const int32_t i = EXACT_LOG_TABLE + 2 * split.index;
  const double r = exact_fma(split.z, exact_number(t, i), DOUBLE(-1.0));
  const double w = exact_fma(split.k, exact_number(t, EXACT_LN2), exact_number(t, i + 1));
  const double high = w + r;
  const double low = exact_fma(split.k, exact_number(t, EXACT_LN2 + 1), (w - high) + r);
  const double r2 = r * r;
  const double p = exact_fma(exact_line(t, EXACT_LOG_A + 3, r), r2, exact_line(t, EXACT_LOG_A + 1, r));
  return exact_fma(r * r2, p, exact_fma(r2, exact_number(t, EXACT_LOG_A), low)) + high;
}

FUNCTION(double) exact_log2_near_1(CONST_BUFFER(uint64_t) t, double r) {
  const double e = exact_number(t, EXACT_LOG2_E);
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double high = r * e;
  const double rest = exact_fma(r, exact_number(t, EXACT_LOG2_E + 1), exact_fma(r, e, -high));
  const double q = exact_line(t, EXACT_LOG2_B, r);
  const double y = exact_fma(q, r2, high);
  const double low = exact_fma(q, r2, high - y) + rest;
  const double p = exact_fma(exact_line(t, EXACT_LOG2_B + 4, r), r2, exact_line(t, EXACT_LOG2_B + 2, r));
  const double s = exact_fma(exact_line(t, EXACT_LOG2_B + 8, r), r2, exact_line(t, EXACT_LOG2_B + 6, r));
  return y + exact_fma(exact_fma(s, r4, p), r4, low);
}

FUNCTION(double) exact_log2(CONST_BUFFER(uint64_t) t, double x) {
  double special = DOUBLE(0.0);
  if (exact_log_special(x, special)) return special;
  const uint64_t bits = double_bits(x);
  if (x == DOUBLE(1.0)) return DOUBLE(0.0);
  if (bits >= 0x3feea4af00000000ul && bits < 0x3ff0b55900000000ul) return exact_log2_near_1(t, x - DOUBLE(1.0));
  const ExactSplit split = exact_split(exact_pattern(x), int64_t(0x3fe6000000000000ul), 6);
  const int32_t i = EXACT_LOG2_TABLE + 2 * split.index;
  const double e = exact_number(t, EXACT_LOG2_E);
  const double r = exact_fma(split.z, exact_number(t, i), DOUBLE(-1.0));
  const double t1 = r * e;
  const double t2 = exact_fma(r, exact_number(t, EXACT_LOG2_E + 1), exact_fma(r, e, -t1));
  const double t3 = split.k + exact_number(t, i + 1);
  const double high = t3 + t1;
  const double low = ((t3 - high) + t1) + t2;
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double p = exact_fma(exact_line(t, EXACT_LOG2_A + 2, r), r2, exact_line(t, EXACT_LOG2_A, r));
  const double q = exact_line(t, EXACT_LOG2_A + 4, r);
  return exact_fma(r2, exact_fma(q, r4, p), low) + high;
}

// Three rounded products, two rounded sums.
FUNCTION(double) exact_log10(CONST_BUFFER(uint64_t) t, double x) {
  double special = DOUBLE(0.0);
  if (exact_log_special(x, special)) return special;
  const int64_t pattern = exact_pattern(x);
  const int32_t exponent = int32_t(pattern >> 52) - 1023;
  const int32_t below = exponent < 0 ? 1 : 0;
  const double f = double(exponent + below);
  const uint64_t fraction = uint64_t(pattern) & (EXACT_HIDDEN - uint64_t(1u));
  const double m = bits_double(fraction | (uint64_t(uint32_t(1023 - below)) << 52));
  const double sum = f * exact_number(t, EXACT_LOG10 + 2) + exact_number(t, EXACT_LOG10) * exact_log(t, m);
  return sum + f * exact_number(t, EXACT_LOG10 + 1);
}

// 0: y is no integer, 1: odd, 2: even; y finite.
FUNCTION(int32_t) exact_parity(double y) {
  const uint64_t bits = double_bits(y) & ~EXACT_SIGN;
  const int32_t places = 1023 + 52 - int32_t(bits >> 52);  // behind the binary point
  if (places < 0 || bits == uint64_t(0u)) return 2;
  if (places > 52) return 0;
  const uint64_t mantissa = (bits & (EXACT_HIDDEN - uint64_t(1u))) | EXACT_HIDDEN;
  if ((mantissa & ((uint64_t(1u) << places) - uint64_t(1u))) != uint64_t(0u)) return 0;
  return ((mantissa >> places) & uint64_t(1u)) != uint64_t(0u) ? 1 : 2;
}

// The powers that no logarithm makes; else only the result's sign.
FUNCTION(bool) exact_pow_special(double x, double y, IN_OUT(double) result, IN_OUT(uint64_t) sign) {
  const double size = exact_abs(x);
  result = DOUBLE(1.0);
  sign = uint64_t(0u);
  if (y == DOUBLE(0.0) || x == DOUBLE(1.0)) return true;
  result = EXACT_NAN;
  if (exact_is_nan(x) || exact_is_nan(y)) return true;
  if (exact_abs(y) == EXACT_INFINITY) {
    result = (size < DOUBLE(1.0)) == (y > DOUBLE(0.0)) ? DOUBLE(0.0) : EXACT_INFINITY;
    if (size == DOUBLE(1.0)) result = DOUBLE(1.0);
    return true;
  }
  const bool negative = (double_bits(x) & EXACT_SIGN) != uint64_t(0u);
  const int32_t parity = negative ? exact_parity(y) : 2;
  if (parity == 1) sign = EXACT_SIGN;
  if (size == DOUBLE(0.0) || size == EXACT_INFINITY) {
    const bool grows = (size == DOUBLE(0.0)) == (y < DOUBLE(0.0));
    result = bits_double(sign | (grows ? exact_infinity(53) : uint64_t(0u)));
    return true;
  }
  return parity == 0;
}

FUNCTION(double) exact_pow(CONST_BUFFER(uint64_t) t, double x, double y) {
  double special = DOUBLE(0.0);
  uint64_t sign = uint64_t(0u);
  if (exact_pow_special(x, y, special, sign)) return special;
  const double size = exact_abs(x);
  const int32_t y_size = int32_t(double_bits(y) >> 52) & 2047;
  if (y_size < 1023 - 65 || (y_size >= 1023 + 63 && size == DOUBLE(1.0))) return DOUBLE(1.0);
  if (y_size >= 1023 + 63) return (size > DOUBLE(1.0)) == (y > DOUBLE(0.0)) ? EXACT_INFINITY : DOUBLE(0.0);
  const ExactSplit split = exact_split(exact_pattern(size), int64_t(0x3fe6955500000000ul), 7);
  const int32_t i = EXACT_POW_TABLE + 3 * split.index;
  const double r = exact_fma(split.z, exact_number(t, i), DOUBLE(-1.0));
  const double t1 = exact_fma(split.k, exact_number(t, EXACT_LN2), exact_number(t, i + 1));
  const double t2 = t1 + r;
  const double l1 = exact_fma(split.k, exact_number(t, EXACT_LN2 + 1), exact_number(t, i + 2));
  const double l2 = (t1 - t2) + r;
  const double ar = exact_number(t, EXACT_POW_A) * r;
  const double ar2 = r * ar;
  const double ar3 = r * ar2;
  const double high = t2 + ar2;
  const double l3 = exact_fma(ar, r, -ar2);
  const double l4 = (t2 - high) + ar2;
  const double p56 = exact_line(t, EXACT_POW_A + 5, r);
  const double p34 = exact_line(t, EXACT_POW_A + 3, r);
  const double p12 = exact_line(t, EXACT_POW_A + 1, r);
  const double p = exact_fma(ar2, exact_fma(p56, ar2, p34), p12);
  const double low = exact_fma(ar3, p, ((l1 + l2) + l3) + l4);
  const double log_high = high + low;
  const double log_low = (high - log_high) + low;
  const double e = y * log_high;
  return exact_exp_sum(t, e, exact_fma(y, log_low, exact_fma(y, log_high, -e)), sign);
}

// A positive finite float as 2^k z; the table has 16 entries.
FUNCTION(ExactSplit) exact_split_float(float x) {
  uint32_t bits = float_bits(x);
  if (bits < 0x00800000u) {
    const int32_t shift = leading_zeros(bits) - 8;
    bits = (bits << shift) - (uint32_t(shift) << 23);
  }
  const int32_t from = int32_t(bits - 0x3f330000u);
  const ExactSplit split = {double(from >> 23), double(bits_float(bits - (uint32_t(from >> 23) << 23))),
                            EXACT_LOGF_TABLE + 2 * ((from >> 19) & 15)};
  return split;
}

FUNCTION(float) exact_abs_float(float x) { return bits_float(float_bits(x) & 0x7fffffffu); }

// x positive, both finite.
FUNCTION(double) exact_powf_unrounded(CONST_BUFFER(uint64_t) t, float x, float y) {
  const ExactSplit split = exact_split_float(x);
  const double r = exact_fma(split.z, exact_number(t, split.index), DOUBLE(-1.0));
  const double r2 = r * r;
  const double r34 = exact_fma(r, exact_number(t, EXACT_POWF_A + 4), exact_number(t, split.index + 1) + split.k);
  const double r12 = exact_fma(r, exact_number(t, EXACT_POWF_A + 2), exact_number(t, EXACT_POWF_A + 3));
  const double r01 = exact_fma(r, exact_number(t, EXACT_POWF_A), exact_number(t, EXACT_POWF_A + 1));
  const double e = double(y) * exact_fma(r01, r2 * r2, exact_fma(r2, r12, r34));
  if (e > bits_double(0x405fffffffd1d571ul)) return bits_double(0x7ff0000000000000ul);
  if (e <= DOUBLE(-150.0)) return DOUBLE(0.0);
  const double shift = exact_number(t, EXACT_POWF_EXP);
  const double whole = (e + shift) - shift;
  const int32_t n = int32_t(whole * DOUBLE(32.0));
  const double f = e - whole;
  const uint64_t scale = t.data[EXACT_POWF_EXP_TABLE + (n & 31)] + (uint64_t(int64_t(n)) << 47);
  const double low = exact_fma(f, exact_number(t, EXACT_POWF_EXP + 3), DOUBLE(1.0));
  const double high = exact_fma(f, exact_number(t, EXACT_POWF_EXP + 1), exact_number(t, EXACT_POWF_EXP + 2));
  return exact_fma(high, f * f, low) * bits_double(scale);
}

FUNCTION(float) exact_powf_positive(CONST_BUFFER(uint64_t) t, float x, float y) {
  return float(exact_powf_unrounded(t, x, y));
}

FUNCTION(float) exact_powf(CONST_BUFFER(uint64_t) t, float x, float y) {
  double special = DOUBLE(0.0);
  uint64_t sign = uint64_t(0u);
  if (exact_pow_special(double(x), double(y), special, sign)) return float(special);
  return bits_float(float_bits(exact_powf_positive(t, exact_abs_float(x), y)) | uint32_t(sign >> 32));
}

FUNCTION(float) exact_log2f(CONST_BUFFER(uint64_t) t, float x) {
  double special = DOUBLE(0.0);
  if (exact_log_special(double(x), special)) return float(special);
  if (x == 1.0f) return 0.0f;
  const ExactSplit split = exact_split_float(x);
  const double r = exact_fma(split.z, exact_number(t, split.index), DOUBLE(-1.0));
  const double r2 = r * r;
  const double r12 = exact_fma(r, exact_number(t, EXACT_LOG2F_A + 1), exact_number(t, EXACT_LOG2F_A + 2));
  const double r3 = exact_fma(r, exact_number(t, EXACT_LOG2F_A + 3), exact_number(t, split.index + 1) + split.k);
  return float(exact_fma(r2, exact_fma(r2, exact_number(t, EXACT_LOG2F_A), r12), r3));
}
