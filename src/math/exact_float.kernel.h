// Division and square root of IEEE 754, rounded to nearest even, made of integers and an estimate in floats: no double
// occurs. They serve processors and devices that do not promise these; a prelude whose device does promise one defines
// exact_divide_float or exact_sqrt_float as a macro. Subnormal numbers are numbers like others. What is called
// software_ stays a function in SPIR-V: inlined, one logarithm would be a hundred copies.
//
// The words used here are those of the kernel language (src/kernel/README.md) and, on
// the CPU, of math/exact_words.h. No guard: math/exact_math.cc compiles the source twice.
// "digits" is 53 for double and 24 for float; numbers travel as patterns of 64 or 32 bits.

#define EXACT_SIGN 0x8000000000000000ul
#define EXACT_HIDDEN 0x0010000000000000ul

// mantissa * 2^exponent with 2^52 <= mantissa < 2^53.
struct ExactParts {
  uint64_t mantissa;
  int32_t exponent;
};

// 2^64 high + low.
struct ExactWide {
  uint64_t high, low;
};

FUNCTION(int32_t) leading_zeros_64(uint64_t x) {
  const uint32_t high = uint32_t(x >> 32);
  return high != 0u ? leading_zeros(high) : 32 + leading_zeros(uint32_t(x));
}

FUNCTION(int32_t) exact_bias(int32_t digits) { return digits == 53 ? 1023 : 127; }

FUNCTION(uint64_t) exact_infinity(int32_t digits) { return uint64_t(2 * exact_bias(digits) + 1) << (digits - 1); }

// The magnitude is neither 0 nor infinite.
FUNCTION(ExactParts) exact_parts(uint64_t magnitude, int32_t digits) {
  const uint64_t pattern = magnitude << (53 - digits);
  const int32_t field = int32_t(pattern >> 52);
  ExactParts parts;
  parts.mantissa = pattern & (EXACT_HIDDEN - uint64_t(1u));
  const int32_t shift = field == 0 ? leading_zeros_64(parts.mantissa) - 11 : 0;
  parts.mantissa = field == 0 ? parts.mantissa << shift : parts.mantissa | EXACT_HIDDEN;
  parts.exponent = (field == 0 ? 1 - shift : field) - exact_bias(digits) - 52;
  return parts;
}

// x / 2^n, n >= 0; the last bit is set where others were lost.
FUNCTION(uint64_t) exact_shift(uint64_t x, int32_t n) {
  if (n == 0) return x;
  if (n >= 64) return uint64_t(x != uint64_t(0u) ? 1u : 0u);
  return (x >> n) | uint64_t((x << (64 - n)) != uint64_t(0u) ? 1u : 0u);
}

// The pattern nearest to top * 2^exponent, top >= 2^63; its last bit stands for all beyond.
FUNCTION(uint64_t) exact_round(uint64_t top, int32_t exponent, int32_t digits) {
  const int32_t field = exponent + 63 + exact_bias(digits);
  const uint64_t shifted = field < 1 ? exact_shift(top, 1 - field) : top;
  const int32_t drop = 64 - digits;
  const uint64_t mantissa = shifted >> drop;
  const uint64_t rest = shifted & ((uint64_t(1u) << drop) - uint64_t(1u));
  const uint64_t tie = uint64_t(1u) << (drop - 1);
  const bool up = rest > tie || (rest == tie && (uint32_t(mantissa) & 1u) != 0u);
  const uint64_t infinity = exact_infinity(digits);
  if (field > 2 * exact_bias(digits)) return infinity;
  return (uint64_t(field < 1 ? 0 : field - 1) << (digits - 1)) + mantissa + uint64_t(up ? 1u : 0u);
}

FUNCTION(ExactWide) exact_multiply(uint64_t a, uint64_t b) {
  const uint64_t a_low = uint64_t(uint32_t(a));
  const uint64_t a_high = a >> 32;
  const uint64_t b_low = uint64_t(uint32_t(b));
  const uint64_t b_high = b >> 32;
  const uint64_t low = a_low * b_low;
  const uint64_t cross = a_high * b_low + (low >> 32);
  const uint64_t middle = a_low * b_high + uint64_t(uint32_t(cross));
  const ExactWide product = {a_high * b_high + (cross >> 32) + (middle >> 32),
                             (middle << 32) | uint64_t(uint32_t(low))};
  return product;
}

// a / b, both magnitudes in bits. Each step makes 18 bits of the quotient and may be off by one or
// two, which the next and the last steps fix: remainders fit 64 bits, even where numbers wrap on the way.
FUNCTION(uint64_t) software_quotient(uint64_t a, uint64_t b, int32_t digits) {
  const uint64_t infinity = exact_infinity(digits);
  if (a > infinity || b > infinity || (a == b && (a == uint64_t(0u) || a == infinity))) return infinity + uint64_t(1u);
  if (a == infinity || b == uint64_t(0u)) return infinity;
  if (a == uint64_t(0u) || b == infinity) return uint64_t(0u);
  const ExactParts over = exact_parts(a, digits);
  const ExactParts under = exact_parts(b, digits);
  const float reciprocal = estimate_reciprocal(float(under.mantissa));
  const int32_t steps = digits == 53 ? 3 : 2;
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
  return exact_round(top, over.exponent - under.exponent - 18 * steps - shift, digits);
}

// The root of a positive number. S becomes 2^14 S + digit twice, the remainder m - S^2 with it.
FUNCTION(uint64_t) software_root(uint64_t a, int32_t digits) {
  if (a == uint64_t(0u) || a >= exact_infinity(digits)) return a;
  const ExactParts parts = exact_parts(a, digits);
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
  return exact_round(top, (parts.exponent - odd) / 2 - 28 - shift, digits);
}

#ifndef exact_divide_float
FUNCTION(float) exact_divide_float(float a, float b) {
  const uint32_t sign = (float_bits(a) ^ float_bits(b)) & 0x80000000u;
  const uint64_t size =
      software_quotient(uint64_t(float_bits(a) & 0x7fffffffu), uint64_t(float_bits(b) & 0x7fffffffu), 24);
  return bits_float(sign | uint32_t(size));
}
#endif

#ifndef exact_sqrt_float
FUNCTION(float) exact_sqrt_float(float a) {
  const uint32_t bits = float_bits(a);
  if (bits > 0x80000000u) return bits_float(0x7f800001u);
  return bits_float((bits & 0x80000000u) | uint32_t(software_root(uint64_t(bits & 0x7fffffffu), 24)));
}
#endif
