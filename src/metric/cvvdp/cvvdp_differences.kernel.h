// Sums of the differences of a strip, by columns (docs/spec/cvvdp.md 4.2 to 4.5, 5.4 to 5.6). A workgroup goes down a
// strip, an item down a column: a row of contrasts becomes maskers, blurred across, and differences; six rows later
// maskers are blurred down and the difference is added up. Items at either end make maskers alone. All scales are
// done together.
#include "kernel/divide/float_via_double.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/cvvdp/cvvdp_args.h"
#include "metric/cvvdp/cvvdp_math.kernel.h"

#define CHANNELS 4
#define STRIP 64
#define RADIUS CVVDP_BLUR_RADIUS
#define WINDOW (2 * RADIUS + 1)
#define BETWEEN (BLOCK_X / 2 + 2)  // columns of the smaller scale

struct CvvdpDifferencesShared {
  float between[2 * CHANNELS][BETWEEN];      // a row of the smaller scale, expanded down
  float masker[CHANNELS][BLOCK_X];           // a row
  float blurred[WINDOW][CHANNELS][BLOCK_X];  // rows, blurred across: an item has a column
  float nodes[CHANNELS * CVVDP_NODES];
};

KERNEL_USES(CvvdpDifferencesArgs, CvvdpDifferencesShared)

#include "metric/cvvdp/cvvdp_seen.kernel.h"

// What a workgroup has.
struct StripWork {
  CvvdpScale scale;
  CvvdpScale smaller;
  int64_t reference;  // where the pictures' planes of this scale begin
  int64_t distorted;
  int32_t columns;  // where the sums of its columns begin
  int32_t y, rows;
  int32_t first;  // the column of the first item, which makes maskers alone; even
  int32_t blurs;
};

// A column's differences in a row and the six before it, the newest last; or its maskers.
struct ColumnRows {
  float at[CHANNELS][RADIUS + 1];
};

struct ColumnSums {
  double at[CHANNELS];
};

struct PixelPair {
  float reference[CHANNELS], distorted[CHANNELS];
};

FUNCTION(StripWork) strip_work(CONTEXT()) {
  int32_t s = 0;
  while (s + 1 < args.scale && group_x() >= scale_word(PASS(s + 1, CVVDP_SCALE_GROUP))) ++s;
  const int32_t unit = group_x() - scale_word(PASS(s, CVVDP_SCALE_GROUP));
  const int32_t across = scale_word(PASS(s, CVVDP_SCALE_ACROSS));
  const int32_t strip = unit / across;
  StripWork work;
  work.scale = scale_of(PASS(s));
  work.smaller = scale_of(PASS(s + 1));
  work.reference = int64_t(reference_of(group_z(), args.inverse)) * args.picture;
  work.distorted = int64_t(args.references + group_z()) * args.picture;
  work.columns = scale_word(PASS(s, CVVDP_SCALE_SUMS)) + strip * CHANNELS * work.scale.width;
  work.y = strip * STRIP;
  work.rows = work.scale.height - work.y < STRIP ? work.scale.height - work.y : STRIP;
  work.first = (unit - strip * across) * (BLOCK_X - 2 * RADIUS) - RADIUS;
  work.blurs = work.scale.width > CVVDP_BLUR_BEYOND && work.scale.height > CVVDP_BLUR_BEYOND ? 1 : 0;
  for (int32_t i = local_x(); i < CHANNELS * CVVDP_NODES; i += BLOCK_X) {
    group.nodes[i] = args.nodes.data[s * CVVDP_SCALE_NODES + i];
  }
  return work;
}

// Row y of the smaller scale's planes, expanded down; an item has a column of either video.
FUNCTION(void) expand_column(CONTEXT(StripWork work, int32_t y, int32_t i)) {
  const int32_t video = local_x() / (BLOCK_X / 2);
  const int64_t picture = video == 0 ? work.reference : work.distorted;
  const int32_t x = clamped(work.first / 2 - 1 + i, work.smaller.width);
  const int32_t j = y / 2;
  const int32_t above = clamped(j - 1, work.smaller.height) * work.smaller.row + x;
  const int32_t middle = clamped(j, work.smaller.height) * work.smaller.row + x;
  const int32_t below = clamped(j + 1, work.smaller.height) * work.smaller.row + x;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    CONST_BUFFER(float) plane = plane_of(PASS(picture, work.smaller, c));
    float value = 0.0f;
    if ((y & 1) != 0) {
      value = cvvdp_expanded_between(plane.data[middle], plane.data[below]);
    } else {
      value = cvvdp_expanded(plane.data[above], plane.data[middle], plane.data[below]);
    }
    group.between[video * CHANNELS + c][i] = value;
  }
}

FUNCTION(void) expand_row(CONTEXT(StripWork work, int32_t y)) {
  const int32_t i = local_x() & (BLOCK_X / 2 - 1);
  expand_column(PASS(work, y, i));
  if (i < BETWEEN - BLOCK_X / 2) expand_column(PASS(work, y, BLOCK_X / 2 + i));
}

FUNCTION(float) expanded_at(CONTEXT(int32_t plane, int32_t i, bool odd)) {
  const float left = group.between[plane][i];
  const float centre = group.between[plane][i + 1];
  const float right = group.between[plane][i + 2];
  return odd ? cvvdp_expanded_between(centre, right) : cvvdp_expanded(left, centre, right);
}

FUNCTION(PixelPair) load_pixel(CONTEXT(StripWork work, int32_t x, int32_t y)) {
  const int32_t place = y * work.scale.row + x;
  PixelPair pixel;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    pixel.reference[c] = plane_of(PASS(work.reference, work.scale, c)).data[place];
    pixel.distorted[c] = plane_of(PASS(work.distorted, work.scale, c)).data[place];
  }
  return pixel;
}

// The pixel in column x of the row for which the smaller scale is expanded down.
FUNCTION(ColumnRows) see_pixel(CONTEXT(ColumnRows before, StripWork work, PixelPair pixel, int32_t x)) {
  ColumnRows differences = before;
  const int32_t i = x / 2 - work.first / 2;
  const bool odd = (x & 1) != 0;
  const float reference_light = expanded_at(PASS(0, i, odd));
  const float distorted_light = expanded_at(PASS(CHANNELS, i, odd));
  const float node = cvvdp_node(reference_light);
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    const float sensitivity = sensitivity_at(PASS(c, node));
    const float background = c == 0 ? reference_light : expanded_at(PASS(c, i, odd));
    const float other_background = c == 0 ? distorted_light : expanded_at(PASS(CHANNELS + c, i, odd));
    const float r = cvvdp_contrast(pixel.reference[c], background, reference_light) * sensitivity;
    const float t = cvvdp_contrast(pixel.distorted[c], other_background, distorted_light) * sensitivity;
    group.masker[c][local_x()] = cvvdp_masker(t, r);
    UNROLL for (int32_t k = 0; k < RADIUS; ++k) differences.at[c][k] = differences.at[c][k + 1];
    differences.at[c][RADIUS] = t < r ? r - t : t - r;
  }
  return differences;
}

FUNCTION(void) blur_across(CONTEXT(StripWork work, int32_t slot)) {
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    float sum = 0.0f;
    if (work.blurs != 0) {
      sum = group.masker[c][local_x()] * bits_float(kCvvdpBlurAcross[0]);
      UNROLL for (int32_t k = 1; k <= RADIUS; ++k) {
        sum = sum + (group.masker[c][local_x() - k] + group.masker[c][local_x() + k]) * bits_float(kCvvdpBlurAcross[k]);
      }
    } else {
      sum = group.masker[c][local_x()] * bits_float(kCvvdpUnblurred);
    }
    group.blurred[slot][c][local_x()] = sum;
  }
}

// What masks in a row, of rows whose newest stands in `slot`.
FUNCTION(CvvdpChannels) maskers_at(CONTEXT(StripWork work, int32_t slot)) {
  const int32_t centre = slot >= RADIUS ? slot - RADIUS : slot + WINDOW - RADIUS;
  CvvdpChannels maskers;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) maskers.at[c] = group.blurred[centre][c][local_x()];
  if (work.blurs != 0) {
    UNROLL for (int32_t c = 0; c < CHANNELS; ++c) maskers.at[c] = maskers.at[c] * bits_float(kCvvdpBlurDown[0]);
    UNROLL for (int32_t k = 1; k <= RADIUS; ++k) {
      const int32_t above = centre >= k ? centre - k : centre + WINDOW - k;
      const int32_t below = centre + k < WINDOW ? centre + k : centre + k - WINDOW;
      UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
        maskers.at[c] = maskers.at[c] + (group.blurred[above][c][local_x()] + group.blurred[below][c][local_x()]) *
                                            bits_float(kCvvdpBlurDown[k]);
      }
    }
  }
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    maskers.at[c] = cvvdp_soft_pow(maskers.at[c], cvvdp_masking_exponent(c));
  }
  return maskers;
}

FUNCTION(CvvdpChannels) differences_at(CvvdpChannels maskers, ColumnRows rows) {
  CvvdpChannels differences;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    float masking = maskers.at[0] * bits_float(kCvvdpCrossMasking[c]);
    UNROLL for (int32_t j = 1; j < CHANNELS; ++j) {
      masking = masking + maskers.at[j] * bits_float(kCvvdpCrossMasking[4 * j + c]);
    }
    differences.at[c] = cvvdp_difference(rows.at[c][0], 0.0f, masking, cvvdp_difference_exponent());
  }
  return differences;
}

FUNCTION(void) store_columns(CONTEXT(StripWork work, ColumnSums sums, int32_t x)) {
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    const int64_t first = int64_t(group_z()) * int64_t(args.item_columns) + int64_t(work.columns);
    BUFFER(double) columns = BUFFER_AT(double, args.columns, first + int64_t(c * work.scale.width));
    columns.data[x] = sums.at[c];
  }
}

FUNCTION(void) sum_strip(CONTEXT(StripWork work)) {
  const int32_t x = work.first + local_x();
  const int32_t inner_x = mirrored(x, work.scale.width);
  const int32_t seen_x = inner_x < work.first ? work.first : inner_x;  // of items without a column: anything
  const bool has_column = local_x() >= RADIUS && local_x() < BLOCK_X - RADIUS && x < work.scale.width;
  ColumnRows rows;
  ColumnSums sums;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    sums.at[c] = DOUBLE(0.0);
    UNROLL for (int32_t k = 0; k <= RADIUS; ++k) rows.at[c][k] = 0.0f;
  }
  PixelPair pixel = load_pixel(PASS(work, seen_x, mirrored(work.y - RADIUS, work.scale.height)));
  int32_t slot = 0;
  for (int32_t i = 0; i < work.rows + 2 * RADIUS; ++i) {
    const int32_t y = mirrored(work.y - RADIUS + i, work.scale.height);
    expand_row(PASS(work, y));
    group_barrier();
    rows = see_pixel(PASS(rows, work, pixel, seen_x));
    // The next row's, which come while this one is added up.
    pixel = load_pixel(PASS(work, seen_x, mirrored(work.y - RADIUS + i + 1, work.scale.height)));
    group_barrier();
    if (has_column) {
      blur_across(PASS(work, slot));
      if (i >= 2 * RADIUS) {
        const CvvdpChannels differences = differences_at(maskers_at(PASS(work, slot)), rows);
        UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
          sums.at[c] = sums.at[c] + double(cvvdp_square(differences.at[c]));
        }
        if (args.draws != 0 && group_z() < args.pairs) {
          draw_heat(PASS(differences, work.scale, 0, x, work.y + i - 2 * RADIUS));
        }
      }
    }
    slot = slot == WINDOW - 1 ? 0 : slot + 1;
  }
  if (has_column) store_columns(PASS(work, sums, x));
}

KERNEL_MAIN() {
  if (group_z() < args.pairs || args.frames_before_start.data[0] == args.history) {
    const StripWork work = strip_work(PASS());
    sum_strip(PASS(work));
  }
}
