// The three channels of a pixel, of its samples (docs/spec/cvvdp.md 1, 2, 5.2). Included after KERNEL_USES of
// CvvdpChannelsArgs.
#pragma once

#include "metric/blocks/linear_rgb_args.h"
#include "metric/cvvdp/cvvdp_channels_args.h"
#include "metric/cvvdp/cvvdp_math.kernel.h"

// --- Chroma at a sample of luma by the common conversion (docs/spec/cvvdp.md 1.3): the cubic filter of
// docs/spec/beyond.md 1.3.

#define CHROMA_TAPS 4

// ChromaTaps
struct ChromaFilter {
  int32_t first, weight[CHROMA_TAPS];
};

FUNCTION(ChromaFilter) filter_of(int32_t first, int32_t w0, int32_t w1, int32_t w2, int32_t w3) {
  const ChromaFilter taps = {first, {w0, w1, w2, w3}};
  return taps;
}

FUNCTION(ChromaFilter) filter_at(int32_t axis, int32_t position) {
  const int32_t middle = position / 2;
  const bool odd = (position & 1) != 0;
  if (axis == CHROMA_AS_LUMA) return filter_of(position, 1, 0, 0, 0);
  if (axis == CHROMA_DOUBLED_CENTRED && odd) return filter_of(middle - 1, -9, 111, 29, -3);
  if (axis == CHROMA_DOUBLED_CENTRED) return filter_of(middle - 2, -3, 29, 111, -9);
  if (odd) return filter_of(middle - 1, -1, 9, 9, -1);
  return filter_of(middle - 1, 0, 16, 0, 0);
}

FUNCTION(int32_t) inside(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? 0 : i;
  return from_0 < size ? from_0 : size - 1;
}

// At luma's sample (x, y).
FUNCTION(int32_t)
chroma_at(CONTEXT(CONST_BUFFER(PIXEL) plane, ChromaFilter across, ChromaFilter down)) {
  int32_t sum = 0;
  UNROLL for (int32_t j = 0; j < CHROMA_TAPS; ++j) {
    if (down.weight[j] != 0) {
      const int32_t row = inside(down.first + j, args.chroma_height) * args.chroma_row;
      int32_t filtered = 0;
      UNROLL for (int32_t i = 0; i < CHROMA_TAPS; ++i) {
        if (across.weight[i] != 0) {
          filtered += across.weight[i] * int32_t(plane.data[row + inside(across.first + i, args.chroma_width)]);
        }
      }
      sum += down.weight[j] * filtered;
    }
  }
  return sum;
}

// --- Colors

struct CvvdpColor {
  float at[3];
};

// The part of the table that is read once for all frames.
struct CvvdpConversion {
  int32_t across, down, luma_offset, least_luma, most_luma, chroma_offset, most_chroma, intervals;
  float luma_scale, chroma_scale, cr_red, cb_green, cr_green, cb_blue, to_channels[9];
};

FUNCTION(int32_t) word_at(CONTEXT(int32_t i)) { return int32_t(args.table.data[i]); }
FUNCTION(float) number_at(CONTEXT(int32_t i)) { return bits_float(args.table.data[i]); }

FUNCTION(CvvdpConversion) read_conversion(CONTEXT()) {
  CvvdpConversion made;
  made.across = word_at(PASS(CVVDP_ACROSS));
  made.down = word_at(PASS(CVVDP_DOWN));
  made.luma_offset = word_at(PASS(CVVDP_LUMA_OFFSET));
  made.least_luma = word_at(PASS(CVVDP_LEAST_LUMA));
  made.most_luma = word_at(PASS(CVVDP_MOST_LUMA));
  made.chroma_offset = word_at(PASS(CVVDP_CHROMA_OFFSET));
  made.most_chroma = word_at(PASS(CVVDP_MOST_CHROMA));
  made.intervals = word_at(PASS(CVVDP_INTERVALS));
  made.luma_scale = number_at(PASS(CVVDP_LUMA_SCALE));
  made.chroma_scale = number_at(PASS(CVVDP_CHROMA_SCALE));
  made.cr_red = number_at(PASS(CVVDP_CR_RED));
  made.cb_green = number_at(PASS(CVVDP_CB_GREEN));
  made.cr_green = number_at(PASS(CVVDP_CR_GREEN));
  made.cb_blue = number_at(PASS(CVVDP_CB_BLUE));
  UNROLL for (int32_t i = 0; i < 9; ++i) made.to_channels[i] = number_at(PASS(CVVDP_TO_CHANNELS + i));
  return made;
}

FUNCTION(int32_t) at_most(int32_t value, int32_t most) { return value < most ? value : most; }

FUNCTION(int32_t) between(int32_t value, int32_t least, int32_t most) {
  return at_most(value > least ? value : least, most);
}

// Where the reader finds the chroma of a pixel: samples that count three times and once, or one sample alone.
struct ReaderPlaces {
  int32_t column, beside, row, below;
};

FUNCTION(int32_t) beside(int32_t position, int32_t size) {
  return inside((position & 1) != 0 ? position / 2 + 1 : position / 2 - 1, size);
}

FUNCTION(ReaderPlaces) reader_places(CONTEXT(CvvdpConversion conversion, int32_t x, int32_t y)) {
  const bool across = conversion.across != 0;
  const bool down = conversion.down != 0;
  ReaderPlaces places;
  places.column = inside(across ? x / 2 : x, args.chroma_width);
  places.beside = across ? beside(x, args.chroma_width) : places.column;
  places.row = inside(down ? y / 2 : y, args.chroma_height) * args.chroma_row;
  places.below = down ? beside(y, args.chroma_height) * args.chroma_row : places.row;
  return places;
}

FUNCTION(int32_t) chroma_level(CvvdpConversion conversion, int32_t value) {
  return between(value - conversion.chroma_offset, -conversion.most_chroma, conversion.most_chroma);
}

FUNCTION(int32_t)
reader_row(CvvdpConversion conversion, CONST_BUFFER(PIXEL) plane, int32_t row, ReaderPlaces places) {
  const int32_t near = chroma_level(conversion, int32_t(plane.data[row + places.column]));
  if (conversion.across == 0) return near;
  return 3 * near + chroma_level(conversion, int32_t(plane.data[row + places.beside]));
}

FUNCTION(int32_t) reader_chroma(CvvdpConversion conversion, CONST_BUFFER(PIXEL) plane, ReaderPlaces places) {
  const int32_t near = reader_row(conversion, plane, places.row, places);
  if (conversion.down == 0) return near;
  return 3 * near + reader_row(conversion, plane, places.below, places);
}

FUNCTION(int32_t)
common_chroma(CONTEXT(CvvdpConversion conversion, CONST_BUFFER(PIXEL) plane, int32_t x, int32_t y)) {
  const ChromaFilter across = filter_at(conversion.across, x);
  const ChromaFilter down = filter_at(conversion.down, y);
  return chroma_at(PASS(plane, across, down)) - conversion.chroma_offset;
}

// Encoded red, green and blue of picture `picture`, counted from the oldest one on.
FUNCTION(CvvdpColor)
encoded_color(CONTEXT(CvvdpConversion conversion, int32_t picture, int32_t x, int32_t y, ReaderPlaces places)) {
  const int64_t chroma = int64_t(picture) * (int64_t(args.chroma_picture) * int64_t(32));
  CONST_BUFFER(PIXEL)
  lumas = CONST_BUFFER_AT(PIXEL, args.luma, int64_t(picture) * (int64_t(args.luma_picture) * int64_t(32)));
  const int32_t luma = int32_t(lumas.data[y * args.luma_row + x]) - conversion.luma_offset;
  int32_t cb = 0;
  int32_t cr = 0;
  if (args.chroma_width > 0) {
    CONST_BUFFER(PIXEL) cbs = CONST_BUFFER_AT(PIXEL, args.cb, chroma);
    CONST_BUFFER(PIXEL) crs = CONST_BUFFER_AT(PIXEL, args.cr, chroma);
    if (word_at(PASS(CVVDP_IS_COMMON)) != 0) {
      cb = common_chroma(PASS(conversion, cbs, x, y));
      cr = common_chroma(PASS(conversion, crs, x, y));
    } else {
      cb = reader_chroma(conversion, cbs, places);
      cr = reader_chroma(conversion, crs, places);
    }
  }
  const float light = float(between(luma, conversion.least_luma, conversion.most_luma)) * conversion.luma_scale;
  const float u = float(cb) * conversion.chroma_scale;
  const float v = float(cr) * conversion.chroma_scale;
  CvvdpColor color;
  color.at[0] = light + conversion.cr_red * v;
  color.at[1] = (light - conversion.cb_green * u) - conversion.cr_green * v;
  color.at[2] = light + conversion.cb_blue * u;
  return color;
}

// The argument is always clipped.
FUNCTION(float) curve_at(CONTEXT(int32_t intervals, float value)) {
  const float v = cvvdp_clamp(value, 0.0f, 1.0f) * float(intervals);
  const int32_t i = at_most(int32_t(v), intervals - 1);
  const int32_t place = CVVDP_TAPS + 4 * (args.reach + 1) + 2 * i;
  return number_at(PASS(place)) + (v - float(i)) * number_at(PASS(place + 1));
}

FUNCTION(CvvdpColor) hlg_light(CONTEXT(CvvdpColor scene)) {
  const float least = bits_float(0x21800000u);  // 2^-60
  const FloatExponent gamma = {number_at(PASS(CVVDP_GAMMA)), number_at(PASS(CVVDP_GAMMA + 1)),
                               number_at(PASS(CVVDP_GAMMA + 2))};
  const float luminance = cvvdp_channel(scene.at[0], scene.at[1], scene.at[2], 0.2627f, 0.6780f, 0.0593f);
  const float power = float_power(luminance < least ? least : luminance, gamma);
  const float factor = luminance < least ? 0.0f : power;
  CvvdpColor shown;
  UNROLL for (int32_t c = 0; c < 3; ++c) {
    float value = factor * scene.at[c];
    if (word_at(PASS(CVVDP_IS_EXPOSED)) != 0) {
      value = cvvdp_clamp(value * number_at(PASS(CVVDP_EXPOSURE)), 0.0f, 1.0f);
    }
    shown.at[c] = value * number_at(PASS(CVVDP_RANGE)) + number_at(PASS(CVVDP_BLACK));
  }
  return shown;
}

FUNCTION(float) linear_light(CONTEXT(float value)) {
  const float v = word_at(PASS(CVVDP_CLIPS)) != 0 ? cvvdp_clamp(value, 0.0f, 1.0f) : value;
  const float light = v * number_at(PASS(CVVDP_EXPOSURE));
  return cvvdp_clamp(light, number_at(PASS(CVVDP_LEAST)), number_at(PASS(CVVDP_MOST))) + number_at(PASS(CVVDP_ADDED));
}

FUNCTION(CvvdpColor) shown_light(CONTEXT(int32_t intervals, CvvdpColor encoded)) {
  CvvdpColor light;
  if (intervals != 0) {
    UNROLL for (int32_t c = 0; c < 3; ++c) light.at[c] = curve_at(PASS(intervals, encoded.at[c]));
    if (word_at(PASS(CVVDP_IS_HLG)) != 0) light = hlg_light(PASS(light));
  } else {
    UNROLL for (int32_t c = 0; c < 3; ++c) light.at[c] = linear_light(PASS(encoded.at[c]));
  }
  return light;
}

FUNCTION(CvvdpColor)
channels_of(CONTEXT(CvvdpConversion conversion, int32_t picture, int32_t x, int32_t y, ReaderPlaces places)) {
  const CvvdpColor encoded = encoded_color(PASS(conversion, picture, x, y, places));
  const CvvdpColor light = shown_light(PASS(conversion.intervals, encoded));
  CvvdpColor channels;
  UNROLL for (int32_t c = 0; c < 3; ++c) {
    channels.at[c] = cvvdp_channel(light.at[0], light.at[1], light.at[2], conversion.to_channels[3 * c],
                                   conversion.to_channels[3 * c + 1], conversion.to_channels[3 * c + 2]);
  }
  return channels;
}
