// Arithmetic of butteraugli's pixels, in floats (docs/spec/beyond.md 4.3 to 4.8).
#pragma once

#include "kernel/fused.kernel.h"
#include "kernel/kernel.h"

struct ButteraugliColor {
  float x, y, b;
};

FUNCTION(float) magnitude(float v) { return v < 0.0f ? -v : v; }
FUNCTION(float) larger(float a, float b) { return a > b ? a : b; }
FUNCTION(float) smaller(float a, float b) { return a < b ? a : b; }

// Where a line of `size` samples has the one that is nearest to place `i`.
FUNCTION(int32_t) nearest(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? 0 : i;
  return from_0 < size ? from_0 : size - 1;
}

// Half the size: of 2x2 pixels, or of two where an odd width lacks the others. Rows that an odd height lacks count as
// 0, and what is left counts twice.
FUNCTION(float) halved(float p00, float p01, float p10, float p11, bool has_below) {
  const float share = has_below ? 0.25f : 0.0f;
  const float mean = ((p00 * 0.25f + p01 * 0.25f) + p10 * share) + p11 * share;
  return has_below ? mean : mean * 2.0f;
}
FUNCTION(float) halved_at_right(float above, float below, bool has_below) {
  const float mean = (above * 0.25f + below * (has_below ? 0.25f : 0.0f)) * 2.0f;
  return has_below ? mean : mean * 2.0f;
}
FUNCTION(float) with_half_map(float own, float of_half) { return own * 0.85f + 0.5f * of_half; }

// The weights inside of a picture, from the outside to the middle one, of ButteraugliBlur, which a test compares.
TABLE(uint32_t, kAroundInside, 3) = {0x3daf5e59u, 0x3e787ddbu, 0x3eafd2f9u};
TABLE(uint32_t, kHighestInside, 4) = {0x3d29e978u, 0x3dec078bu, 0x3e59defeu, 0x3e85a2dcu};
TABLE(uint32_t, kMaskInside, 7) = {0x3c5029d0u, 0x3cdd534cu, 0x3d4d27f0u, 0x3da5cab8u,
                                   0x3de99d1au, 0x3e0f7e16u, 0x3e19adfbu};
TABLE(uint32_t, kHighInside, 8) = {0x3c44035bu, 0x3cb719c3u, 0x3d1b5bd0u, 0x3d6f7869u,
                                   0x3da7a3f7u, 0x3dd531e7u, 0x3df645b9u, 0x3e013369u};
TABLE(uint32_t, kLowInside, 17) = {0x3b993a7eu, 0x3bcf64e4u, 0x3c09a3a5u, 0x3c332887u, 0x3c64b11au, 0x3c8f232du,
                                   0x3cafb69au, 0x3cd3880fu, 0x3cf9b9eeu, 0x3d108ee0u, 0x3d241f7fu, 0x3d36bb7fu,
                                   0x3d47846bu, 0x3d55a189u, 0x3d6051cau, 0x3d66fcd2u, 0x3d694109u};

// What the three kinds of cones absorb of a color.
FUNCTION(float) absorbed_by_l(float red, float green, float blue) {
  return fused(0.29956550340058319f, red,
               fused(0.63373087833825936f, green, fused(0.077705617820981968f, blue, 1.7557483643287353f)));
}
FUNCTION(float) absorbed_by_m(float red, float green, float blue) {
  return fused(0.22158691104574774f, red,
               fused(0.69391388044116142f, green, fused(0.0987313588422f, blue, 1.7557483643287353f)));
}
FUNCTION(float) absorbed_by_s(float red, float green, float blue) {
  return fused(0.02f, red, fused(0.02f, green, fused(0.20480129041026129f, blue, 12.226454707163354f)));
}

// The binary logarithm within 3e-6, an error that belongs to the definition.
FUNCTION(float) near_log2(float z) {
  const int32_t bits = int32_t(float_bits(z));
  const int32_t exponent = (bits - 0x3f2aaaab) >> 23;
  const float f = bits_float(uint32_t(bits) - (uint32_t(exponent) << 23)) - 1.0f;
  const float above = fused(fused(7.4245873327820566e-1f, f, 1.4287160470083755f), f, -1.8503833400518310e-6f);
  const float below = fused(fused(1.7409343003366853e-1f, f, 1.0096718572241148f), f, 9.9032814277590719e-1f);
  return exact_divide_moderate(above, below) + float(exponent);
}

// How much a cone makes of what it absorbs, by what it absorbs around the pixel; `least` is what it absorbs of black.
FUNCTION(float) cone_sensitivity(float around, float least) {
  const float m = larger(larger(around, least), 1e-4f);
  const float gain = fused(bits_float(0x41556f1du), near_log2(m + 9.9710635769299145f), -23.16046239805755f);
  return larger(exact_divide_moderate(gain, m), 1e-4f);
}

// The color of a pixel by its light and the light around it, both in nits.
FUNCTION(ButteraugliColor)
butteraugli_color(float red, float green, float blue, float around_red, float around_green, float around_blue) {
  const float least = 1.7557483643287353f;
  const float least_blue = 12.226454707163354f;
  const float l = larger(
      absorbed_by_l(red, green, blue) * cone_sensitivity(absorbed_by_l(around_red, around_green, around_blue), least),
      least);
  const float m = larger(
      absorbed_by_m(red, green, blue) * cone_sensitivity(absorbed_by_m(around_red, around_green, around_blue), least),
      least);
  const ButteraugliColor color = {
      l - m, l + m,
      larger(absorbed_by_s(red, green, blue) *
                 cone_sensitivity(absorbed_by_s(around_red, around_green, around_blue), least_blue),
             least_blue)};
  return color;
}

// Low frequencies, weighed.
FUNCTION(ButteraugliColor) weighed_low(ButteraugliColor low) {
  ButteraugliColor weighed;
  weighed.b = fused(-0.362267051518f, low.y, low.b) * 49.87984651440f;
  weighed.x = low.x * 33.832837186260f;
  weighed.y = low.y * 14.458268100570f;
  return weighed;
}

// Values below `width` vanish, or are doubled; others come nearer to 0, or go away from it.
FUNCTION(float) shrunk(float width, float v) { return v > width ? v - width : v < -width ? v + width : 0.0f; }
FUNCTION(float) expanded(float width, float v) { return v > width ? v + width : v < -width ? v - width : v + v; }
FUNCTION(float) soft_clipped(float limit, float v) {
  const float slope = 0.724216145665f;
  return v >= limit ? fused(v - limit, slope, limit) : v < -limit ? fused(v + limit, slope, -limit) : v;
}

// High frequencies of x are less visible where y has some.
FUNCTION(float) suppressed_by_y(float x, float y) {
  return fused(exact_divide_moderate(46.0f, fused(y, y, 46.0f)), 0.346979443743f, 0.653020556257f) * x;
}

struct ButteraugliHigh {
  float high, highest;
};

// From high frequencies and their blur.
FUNCTION(ButteraugliHigh) high_of_x(float value, float blurred) {
  ButteraugliHigh bands;
  bands.highest = shrunk(0.04f, value - blurred);
  bands.high = shrunk(1.5f, blurred);
  return bands;
}
FUNCTION(ButteraugliHigh) high_of_y(float value, float blurred) {
  const float clipped = soft_clipped(28.4691806922f, blurred);
  ButteraugliHigh bands;
  bands.highest = soft_clipped(5.19175294647f, value - clipped) * 2.69313763794f;
  bands.high = expanded(0.132f, clipped * 2.155f);
  return bands;
}

// Where the second value, seen with the sign of the first, is below 0.55 or above 1.05 of it, that part counts more.
struct MaltaWeights {
  float norm, both, one_sided;
};

FUNCTION(float) malta_difference(float a, float b, MaltaWeights w) {
  const float around = w.norm + 0.5f * (magnitude(a) + magnitude(b));
  const float difference = exact_divide_moderate(w.both, around) * (a - b);
  const float side = exact_divide_moderate(w.one_sided, around);
  const float size = magnitude(a);
  const float other = a < 0.0f ? -b : b;
  const float small = 0.55f * size;
  const float big = 1.05f * size;
  const float more = other < small ? side * (small - other) : other > big ? -(side * (other - big)) : 0.0f;
  return difference + (a < 0.0f ? -more : more);
}

// Squared sums along lines.
FUNCTION(WIDE_FLOAT) squared_line(float sum) { return WIDE_FLOAT(sum * sum); }
FUNCTION(WIDE_FLOAT) with_line(float sum, WIDE_FLOAT squares) {
  return fused_wide(WIDE_FLOAT(sum), WIDE_FLOAT(sum), squares);
}

// acc + the squared difference, more of it where the second value is smaller, or lies beyond the first.
FUNCTION(float) asymmetric_square(float a, float b, float weight, float weight_of_side, float acc) {
  const float difference = a - b;
  const float total = fused(difference * difference, weight, acc);
  const float size = magnitude(a);
  const float other = a < 0.0f ? -b : b;
  const float small = 0.4f * size;
  const float beyond = other < small ? small - other : other > size ? other - size : 0.0f;
  return fused(weight_of_side, beyond * beyond, total);
}

FUNCTION(float) mask_source(float highest_x, float high_x, float highest_y, float high_y) {
  const float scale = 6.19424080439f;
  const float bias = scale * 12.61050594197f;
  const float x = (highest_x + high_x) * 2.5f;
  const float y = highest_y * 0.4f + high_y * 0.4f;
  return exact_sqrt_moderate(scale * exact_sqrt_moderate(x * x + y * y) + bias) - exact_sqrt_moderate(bias);
}

// The three smallest of a pixel's masks.
struct SmallestThree {
  float first, second, third;
};

FUNCTION(SmallestThree) with_value(SmallestThree s, float v) {
  SmallestThree result;
  result.first = smaller(s.first, v);
  const float rest = larger(s.first, v);
  result.second = smaller(s.second, rest);
  result.third = smaller(s.third, larger(s.second, rest));
  return result;
}

FUNCTION(float) eroded(SmallestThree s) { return 0.45f * s.first + 0.3f * s.second + 0.25f * s.third; }

// What a mask leaves of differences, of low frequencies and of others.
FUNCTION(float) mask_gain(float mask, float above, float factor, float offset) {
  const float gain = bits_float(0x3d913faeu) * (1.0f + exact_divide_moderate(above, factor * mask + offset));
  return gain * gain;
}

// The sum of all differences: those of low frequencies, and others.
FUNCTION(float) butteraugli_difference(ButteraugliColor low, ButteraugliColor other, float mask) {
  const float gain = mask_gain(mask, 2.5485944793f, 0.451936922203f, 0.829591754942f);
  const float low_gain = mask_gain(mask, 0.505054525019f, 3.87449418804f, 0.20025578522f);
  const float of_low = (low.x * low_gain + low.y * low_gain) + low.b * low_gain;
  const float of_other = (other.x * gain + other.y * gain) + other.b * gain;
  return exact_sqrt_moderate(of_low + of_other);
}
