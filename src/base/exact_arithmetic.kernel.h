// Fused multiply-add, division and square root of IEEE 754, rounded to nearest even, made of
// integers. They serve processors and devices that do not promise them; a prelude whose device
// does promise one defines exact_fma, exact_divide, exact_sqrt, exact_divide_float or
// exact_sqrt_float as a macro. Subnormal numbers are numbers like others.
//
// The words that these texts use are those of the kernel language (src/kernel/README.md) and, on
// the CPU, of base/exact_words.h. No guard: base/exact_math.cc compiles the text twice.
// "precision" is 53 for double and 24 for float; numbers travel as patterns of 64 or 32 bits.

#define EXACT_SIGN 0x8000000000000000ul
#define EXACT_HIDDEN 0x0010000000000000ul

// mantissa * 2^exponent with 2^52 <= mantissa < 2^53.
struct ExactParts {
  uint64_t mantissa;
  int32_t exponent;
};

// 2^64 high + low.
struct ExactWide {
  uint64_t high;
  uint64_t low;
};

FUNCTION(int32_t) leading_zeros_64(uint64_t x) {
  const uint32_t high = uint32_t(x >> 32);
  return high != 0u ? leading_zeros(high) : 32 + leading_zeros(uint32_t(x));
}

FUNCTION(int32_t) exact_bias(int32_t precision) { return precision == 53 ? 1023 : 127; }

FUNCTION(uint64_t) exact_infinity(int32_t precision) {
  return uint64_t(2 * exact_bias(precision) + 1) << (precision - 1);
}

// The magnitude is neither 0 nor infinite.
FUNCTION(ExactParts) exact_parts(uint64_t magnitude, int32_t precision) {
  const uint64_t pattern = magnitude << (53 - precision);
  const int32_t field = int32_t(pattern >> 52);
  ExactParts parts;
  parts.mantissa = pattern & (EXACT_HIDDEN - uint64_t(1u));
  const int32_t shift = field == 0 ? leading_zeros_64(parts.mantissa) - 11 : 0;
  parts.mantissa = field == 0 ? parts.mantissa << shift : parts.mantissa | EXACT_HIDDEN;
  parts.exponent = (field == 0 ? 1 - shift : field) - exact_bias(precision) - 52;
  return parts;
}

// x / 2^n, n >= 0; the last bit is set where others were lost.
FUNCTION(uint64_t) exact_shift(uint64_t x, int32_t n) {
  if (n == 0) return x;
  if (n >= 64) return uint64_t(x != uint64_t(0u) ? 1u : 0u);
  return (x >> n) | uint64_t((x << (64 - n)) != uint64_t(0u) ? 1u : 0u);
}

FUNCTION(ExactWide) exact_shift_wide(ExactWide x, int32_t n) {
  ExactWide result = x;
  if (n >= 64) {
    result.low = exact_shift(x.high, n - 64) | uint64_t(x.low != uint64_t(0u) ? 1u : 0u);
    result.high = uint64_t(0u);
  } else if (n > 0) {
    result.low = exact_shift(x.low, n) | (x.high << (64 - n));
    result.high = x.high >> n;
  }
  return result;
}

// The pattern nearest to top * 2^exponent, top >= 2^63; its last bit stands for all beyond.
FUNCTION(uint64_t) exact_round(uint64_t top, int32_t exponent, int32_t precision) {
  const int32_t field = exponent + 63 + exact_bias(precision);
  const uint64_t shifted = field < 1 ? exact_shift(top, 1 - field) : top;
  const int32_t drop = 64 - precision;
  const uint64_t mantissa = shifted >> drop;
  const uint64_t rest = shifted & ((uint64_t(1u) << drop) - uint64_t(1u));
  const uint64_t half = uint64_t(1u) << (drop - 1);
  const bool up = rest > half || (rest == half && (uint32_t(mantissa) & 1u) != 0u);
  const uint64_t infinity = exact_infinity(precision);
  if (field > 2 * exact_bias(precision)) return infinity;
  return (uint64_t(field < 1 ? 0 : field - 1) << (precision - 1)) + mantissa + uint64_t(up ? 1u : 0u);
}

FUNCTION(ExactWide) exact_multiply(uint64_t a, uint64_t b) {
  const uint64_t a_low = uint64_t(uint32_t(a));
  const uint64_t a_high = a >> 32;
  const uint64_t b_low = uint64_t(uint32_t(b));
  const uint64_t b_high = b >> 32;
  const uint64_t low = a_low * b_low;
  const uint64_t cross = a_high * b_low + (low >> 32);
  const uint64_t middle = a_low * b_high + uint64_t(uint32_t(cross));
  ExactWide product;
  product.high = a_high * b_high + (cross >> 32) + (middle >> 32);
  product.low = (middle << 32) | uint64_t(uint32_t(low));
  return product;
}

// x * 2^exponent, not 0, rounded to a double's magnitude.
FUNCTION(uint64_t) exact_round_wide(ExactWide x, int32_t exponent) {
  const bool narrow = x.high == uint64_t(0u);
  uint64_t top = narrow ? x.low : x.high;
  uint64_t rest = narrow ? uint64_t(0u) : x.low;
  const int32_t shift = leading_zeros_64(top);
  if (shift > 0) {
    top = (top << shift) | (rest >> (64 - shift));
    rest = rest << shift;
  }
  top = top | uint64_t(rest != uint64_t(0u) ? 1u : 0u);
  return exact_round(top, exponent - shift + (narrow ? 0 : 64), 53);
}

#ifndef exact_fma
// |a| - |b| and its sign, which `negative` becomes where b is greater.
FUNCTION(ExactWide) exact_difference(ExactWide a, ExactWide b, IN_OUT(bool) negative) {
  negative = a.high < b.high || (a.high == b.high && a.low < b.low);
  ExactWide more = a;
  ExactWide less = b;
  if (negative) {
    more = b;
    less = a;
  }
  ExactWide result;
  result.low = more.low - less.low;
  result.high = more.high - less.high - uint64_t(more.low < less.low ? 1u : 0u);
  return result;
}

FUNCTION(ExactWide) exact_sum(ExactWide a, ExactWide b) {
  ExactWide result;
  result.low = a.low + b.low;
  result.high = a.high + b.high + uint64_t(result.low < a.low ? 1u : 0u);
  return result;
}

// a * b + c in one rounding. Bit 126 of both is the highest that product and c may have.
FUNCTION(double) exact_fma(double a, double b, double c) {
  const uint64_t infinity = exact_infinity(53);
  const uint64_t a_size = double_bits(a) & ~EXACT_SIGN;
  const uint64_t b_size = double_bits(b) & ~EXACT_SIGN;
  const uint64_t c_size = double_bits(c) & ~EXACT_SIGN;
  if (a_size >= infinity || b_size >= infinity) return a * b + c;
  if (c_size >= infinity) return c;
  if (a_size == uint64_t(0u) || b_size == uint64_t(0u)) return a * b + c;
  const uint64_t sign = (double_bits(a) ^ double_bits(b)) & EXACT_SIGN;
  const bool differ = (sign ^ (double_bits(c) & EXACT_SIGN)) != uint64_t(0u);
  const ExactParts a_parts = exact_parts(a_size, 53);
  const ExactParts b_parts = exact_parts(b_size, 53);
  const ExactWide unaligned = exact_multiply(a_parts.mantissa, b_parts.mantissa);
  ExactWide product;
  product.high = (unaligned.high << 21) | (unaligned.low >> 43);
  product.low = unaligned.low << 21;
  int32_t exponent = a_parts.exponent + b_parts.exponent - 21;
  if (c_size == uint64_t(0u)) return bits_double(sign | exact_round_wide(product, exponent));
  const ExactParts c_parts = exact_parts(c_size, 53);
  ExactWide addend;
  addend.high = c_parts.mantissa << 10;
  addend.low = uint64_t(0u);
  const int32_t distance = exponent - (c_parts.exponent - 74);
  if (distance >= 0) {
    addend = exact_shift_wide(addend, distance);
  } else {
    product = exact_shift_wide(product, -distance);
    exponent -= distance;
  }
  if (!differ) return bits_double(sign | exact_round_wide(exact_sum(product, addend), exponent));
  bool negative = false;
  const ExactWide difference = exact_difference(product, addend, negative);
  if ((difference.high | difference.low) == uint64_t(0u)) return bits_double(uint64_t(0u));
  const uint64_t magnitude = exact_round_wide(difference, exponent);
  return bits_double((negative ? sign ^ EXACT_SIGN : sign) | magnitude);
}
#endif

// a / b, both magnitudes in bits. Each step makes 18 bits of the quotient and may be off by one or
// two, which the next and the last steps mend: remainders fit 64 bits, whatever wraps on the way.
FUNCTION(uint64_t) exact_quotient(uint64_t a, uint64_t b, int32_t precision) {
  const uint64_t infinity = exact_infinity(precision);
  if (a > infinity || b > infinity || (a == b && (a == uint64_t(0u) || a == infinity))) return infinity + uint64_t(1u);
  if (a == infinity || b == uint64_t(0u)) return infinity;
  if (a == uint64_t(0u) || b == infinity) return uint64_t(0u);
  const ExactParts over = exact_parts(a, precision);
  const ExactParts under = exact_parts(b, precision);
  const float reciprocal = estimate_reciprocal(float(under.mantissa));
  const int32_t steps = precision == 53 ? 3 : 2;
  int64_t remainder = int64_t(over.mantissa);
  uint64_t quotient = uint64_t(0u);
  for (int32_t i = 0; i < steps; ++i) {
    const float share = float(remainder) * reciprocal;
    const uint64_t digit = uint64_t(int64_t(int32_t(share * 262144.0f)));
    remainder = int64_t((uint64_t(remainder) << 18) - digit * under.mantissa);
    quotient = (quotient << 18) + digit;
  }
  for (int32_t i = 0; i < 3; ++i) {
    const bool low = remainder < int64_t(0);
    const bool high = remainder >= int64_t(under.mantissa);
    if (low) remainder += int64_t(under.mantissa);
    if (high) remainder -= int64_t(under.mantissa);
    quotient = quotient + uint64_t(high ? 1u : 0u) - uint64_t(low ? 1u : 0u);
  }
  const int32_t shift = leading_zeros_64(quotient);
  const uint64_t top = (quotient << shift) | uint64_t(remainder != int64_t(0) ? 1u : 0u);
  return exact_round(top, over.exponent - under.exponent - 18 * steps - shift, precision);
}

// The root of a positive number. S becomes 2^14 S + digit twice, the remainder m - S^2 with it.
FUNCTION(uint64_t) exact_root(uint64_t a, int32_t precision) {
  if (a == uint64_t(0u) || a >= exact_infinity(precision)) return a;
  const ExactParts parts = exact_parts(a, precision);
  const int32_t odd = parts.exponent & 1;
  const uint64_t m = parts.mantissa << odd;
  uint64_t root = uint64_t(estimate_square_root(float(m)));
  int64_t remainder = int64_t(m - root * root);
  for (int32_t i = 0; i < 2; ++i) {
    const float share = float(remainder) * estimate_reciprocal(float(root));
    const uint64_t digit = uint64_t(int64_t(int32_t(share * 8192.0f)));
    remainder = int64_t((uint64_t(remainder) << 28) - digit * ((root << 15) + digit));
    root = (root << 14) + digit;
  }
  for (int32_t i = 0; i < 3; ++i) {
    if (remainder < int64_t(0)) {
      root -= uint64_t(1u);
      remainder += int64_t(root + root + uint64_t(1u));
    } else if (remainder > int64_t(root + root)) {
      remainder -= int64_t(root + root + uint64_t(1u));
      root += uint64_t(1u);
    }
  }
  const int32_t shift = leading_zeros_64(root);
  const uint64_t top = (root << shift) | uint64_t(remainder != int64_t(0) ? 1u : 0u);
  return exact_round(top, (parts.exponent - odd) / 2 - 28 - shift, precision);
}

#ifndef exact_divide
FUNCTION(double) exact_divide(double a, double b) {
  const uint64_t sign = (double_bits(a) ^ double_bits(b)) & EXACT_SIGN;
  return bits_double(sign | exact_quotient(double_bits(a) & ~EXACT_SIGN, double_bits(b) & ~EXACT_SIGN, 53));
}
#endif

#ifndef exact_sqrt
FUNCTION(double) exact_sqrt(double a) {
  const uint64_t bits = double_bits(a);
  if (bits > EXACT_SIGN) return bits_double(exact_infinity(53) + uint64_t(1u));
  return bits_double((bits & EXACT_SIGN) | exact_root(bits & ~EXACT_SIGN, 53));
}
#endif

#ifndef exact_divide_float
FUNCTION(float) exact_divide_float(float a, float b) {
  const uint32_t sign = (float_bits(a) ^ float_bits(b)) & 0x80000000u;
  const uint64_t size =
      exact_quotient(uint64_t(float_bits(a) & 0x7fffffffu), uint64_t(float_bits(b) & 0x7fffffffu), 24);
  return bits_float(sign | uint32_t(size));
}
#endif

#ifndef exact_sqrt_float
FUNCTION(float) exact_sqrt_float(float a) {
  const uint32_t bits = float_bits(a);
  if (bits > 0x80000000u) return bits_float(0x7f800001u);
  return bits_float((bits & 0x80000000u) | uint32_t(exact_root(uint64_t(bits & 0x7fffffffu), 24)));
}
#endif
