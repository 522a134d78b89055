// Fused multiply-add, division and square root of doubles, rounded to nearest even, made of integers:
// see exact_float.kernel.h, which comes first. A prelude whose device promises one defines exact_fma,
// exact_divide or exact_sqrt as a macro.

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
FUNCTION(double) software_fma(double a, double b, double c) {
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
  ExactWide product = {(unaligned.high << 21) | (unaligned.low >> 43), unaligned.low << 21};
  int32_t exponent = a_parts.exponent + b_parts.exponent - 21;
  if (c_size == uint64_t(0u)) return bits_double(sign | exact_round_wide(product, exponent));
  const ExactParts c_parts = exact_parts(c_size, 53);
  ExactWide addend = {c_parts.mantissa << 10, uint64_t(0u)};
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

#ifndef exact_fma
FUNCTION(double) exact_fma(double a, double b, double c) { return software_fma(a, b, c); }
#endif

#ifndef exact_divide
FUNCTION(double) exact_divide(double a, double b) {
  const uint64_t sign = (double_bits(a) ^ double_bits(b)) & EXACT_SIGN;
  return bits_double(sign | software_quotient(double_bits(a) & ~EXACT_SIGN, double_bits(b) & ~EXACT_SIGN, 53));
}
#endif

#ifndef exact_sqrt
FUNCTION(double) exact_sqrt(double a) {
  const uint64_t bits = double_bits(a);
  if (bits > EXACT_SIGN) return bits_double(exact_infinity(53) + uint64_t(1u));
  return bits_double((bits & EXACT_SIGN) | software_root(bits & ~EXACT_SIGN, 53));
}
#endif
