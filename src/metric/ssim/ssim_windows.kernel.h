// Windows of one scale or of several (docs/spec/siblings.md 5): filters, terms, and their sums over strips of 64
// columns. A workgroup has BLOCK_Y * ROWS rows of a strip. One after another, the five maps (the samples of both
// pictures, their squares, their product) are filtered along the rows into shared memory and from there down the
// columns, ROWS windows of a column by each item. Then each sum is taken on its own: terms into shared memory, lanes of
// a strip, strips. PIXEL: uint8_t, uint16_t or (FLOATS) float.
#include "kernel/divide/normal_float.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/ssim/ssim_args.h"
#include "metric/ssim/ssim_math.kernel.h"
#include "metric/ssim/ssim_scale.kernel.h"
#include "metric/ssim/ssim_terms.kernel.h"

#define LOSS 10  // kWindow - 1
#define MAPS 5
#define RUN 8    // neighbouring values that an item filters along a row
#define LANES 8  // kStripLanes
#define ITEMS (BLOCK_X * BLOCK_Y)
#define GROUP_ROWS (BLOCK_Y * ROWS)
#define SAMPLE_ROWS (GROUP_ROWS + LOSS)
#define SAMPLE_COLUMNS (BLOCK_X + LOSS)
// Numbers from row to row; odd: items in neighbouring rows read different banks.
#define SAMPLE_STRIDE (SAMPLE_COLUMNS + 1)
#define ALONG_STRIDE (BLOCK_X + 1)
#define SAMPLES (SAMPLE_ROWS * SAMPLE_STRIDE)
// Terms as doubles take the place of the samples: low words, high words. Four rows of eight lanes read different banks.
#define TERM_STRIDE (BLOCK_X + LANES)
#define TERMS (GROUP_ROWS * TERM_STRIDE)
#define LANE_STRIDE (LANES + 1)
#define LANE_SUMS (GROUP_ROWS * LANE_STRIDE)

#if BLOCK_X != 64
#error "a workgroup has a strip of kStripColumns columns"
#endif
#if TERMS > SAMPLES || 2 * LANE_SUMS > SAMPLE_ROWS * ALONG_STRIDE
#error "terms do not fit the memory of the samples"
#endif

struct SsimWindowsShared {
  uint32_t samples[2 * SAMPLES];  // patterns of floats
  uint32_t along[SAMPLE_ROWS * ALONG_STRIDE];
};

KERNEL_USES(SsimWindowsArgs, SsimWindowsShared)

struct SsimColumn {
  float at[ROWS];
};

struct SsimTermColumn {
  double at[ROWS];
};

// Where a workgroup is.
struct SsimPlace {
  int32_t first_row, strip;
};

FUNCTION(float) sample_of(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t i)) {
#if FLOATS
  return picture.data[i];
#else
  return float(int32_t(picture.data[i])) * args.sample_scale;
#endif
}

// Beyond the edges the last sample again: no window that counts has it.
FUNCTION(void) load_samples(CONTEXT(SsimScale scale, SsimPlace place)) {
  const int64_t offset = int64_t(scale.offset);
  const int32_t picture = reference_of(group_z(), args.inverse);
  CONST_BUFFER(PIXEL)
  reference = CONST_BUFFER_AT(PIXEL, args.reference, offset + int64_t(picture) * args.picture_stride);
  CONST_BUFFER(PIXEL)
  distorted = CONST_BUFFER_AT(PIXEL, args.distorted, offset + int64_t(group_z()) * args.picture_stride);
  const int32_t last_row = scale.height + LOSS - 1;
  const int32_t last_column = scale.width + LOSS - 1;
  for (int32_t r = local_y(); r < SAMPLE_ROWS; r += BLOCK_Y) {
    const int32_t row = place.first_row + r;
    const int32_t first = (row < last_row ? row : last_row) * scale.row_stride;
    for (int32_t c = local_x(); c < SAMPLE_COLUMNS; c += BLOCK_X) {
      const int32_t column = place.strip * BLOCK_X + c;
      const int32_t i = first + (column < last_column ? column : last_column);
      group.samples[r * SAMPLE_STRIDE + c] = float_bits(sample_of(PASS(reference, i)));
      group.samples[SAMPLES + r * SAMPLE_STRIDE + c] = float_bits(sample_of(PASS(distorted, i)));
    }
  }
}

FUNCTION(float) window_tap(int32_t k) { return kWindowTaps[k < 6 ? k : LOSS - k]; }

FUNCTION(float) anchor_of(int32_t map) { return map < 2 ? kMeanAnchor : kProductAnchor; }

// Rows of samples, by turns: neighbouring items have neighbouring rows.
FUNCTION(void) filter_along(CONTEXT(int32_t map)) {
  const int32_t first = map == 1 || map == 3 ? SAMPLES : 0;
  const int32_t second = map == 3 || map == 4 ? SAMPLES : 0;
  const float anchor = anchor_of(map);
  for (int32_t i = local_y() * BLOCK_X + local_x(); i < SAMPLE_ROWS * (BLOCK_X / RUN); i += ITEMS) {
    const int32_t run = i / SAMPLE_ROWS;
    const int32_t row = i - run * SAMPLE_ROWS;
    const int32_t begin = row * SAMPLE_STRIDE + run * RUN;
    float values[RUN + LOSS];
    UNROLL for (int32_t k = 0; k < RUN + LOSS; ++k) values[k] = bits_float(group.samples[first + begin + k]);
    if (map >= 2) {
      UNROLL for (int32_t k = 0; k < RUN + LOSS; ++k) {
        values[k] = values[k] * bits_float(group.samples[second + begin + k]);
      }
    }
    UNROLL for (int32_t x = 0; x < RUN; ++x) {
      SplitSum sum = {anchor, 0.0f};
      UNROLL for (int32_t k = 0; k < kWindow; ++k) sum = split_add(sum, values[x + k] * window_tap(k));
      group.along[row * ALONG_STRIDE + run * RUN + x] = float_bits(split_total(sum, anchor));
    }
  }
}

FUNCTION(SsimColumn) filter_down(CONTEXT(int32_t map)) {
  const int32_t begin = local_y() * ROWS * ALONG_STRIDE + local_x();
  const float anchor = anchor_of(map);
  float values[ROWS + LOSS];
  UNROLL for (int32_t k = 0; k < ROWS + LOSS; ++k) values[k] = bits_float(group.along[begin + k * ALONG_STRIDE]);
  SsimColumn column;
  UNROLL for (int32_t y = 0; y < ROWS; ++y) {
    SplitSum sum = {anchor, 0.0f};
    UNROLL for (int32_t k = 0; k < kWindow; ++k) sum = split_add(sum, values[y + k] * window_tap(k));
    column.at[y] = split_total(sum, anchor);
  }
  return column;
}

FUNCTION(double) term_at(CONTEXT(int32_t i)) {
  return bits_double(uint64_t(group.samples[i]) | (uint64_t(group.samples[TERMS + i]) << 32));
}

FUNCTION(double) lane_sum_at(CONTEXT(int32_t i)) {
  return bits_double(uint64_t(group.along[i]) | (uint64_t(group.along[LANE_SUMS + i]) << 32));
}

// The sums of the strip's rows, of one kind. All items call it; columns beyond the edge are 0.
FUNCTION(void) sum_strip(CONTEXT(SsimScale scale, SsimPlace place, int32_t kind, SsimTermColumn terms)) {
  const bool is_inside = place.strip * BLOCK_X + local_x() < scale.width;
  UNROLL for (int32_t y = 0; y < ROWS; ++y) {
    const int32_t i = (local_y() * ROWS + y) * TERM_STRIDE + local_x();
    const uint64_t bits = is_inside ? double_bits(terms.at[y]) : uint64_t(0u);
    group.samples[i] = uint32_t(bits);
    group.samples[TERMS + i] = uint32_t(bits >> 32);
  }
  group_barrier();
  const int32_t item = local_y() * BLOCK_X + local_x();
  for (int32_t i = item; i < GROUP_ROWS * LANES; i += ITEMS) {
    const int32_t row = i / LANES;
    const int32_t lane = i - row * LANES;
    double sum = DOUBLE(0.0);
    UNROLL for (int32_t k = 0; k < BLOCK_X / LANES; ++k) {
      sum = sum + term_at(PASS(row * TERM_STRIDE + LANES * k + lane));
    }
    group.along[row * LANE_STRIDE + lane] = uint32_t(double_bits(sum));
    group.along[LANE_SUMS + row * LANE_STRIDE + lane] = uint32_t(double_bits(sum) >> 32);
  }
  group_barrier();
  const int32_t row = place.first_row + item;
  if (item < GROUP_ROWS && row < scale.height) {
    const int32_t i = item * LANE_STRIDE;
    BUFFER(double) strips = BUFFER_AT(double, args.strips, int64_t(group_z()) * args.pair_strips);
    strips.data[strip_at(scale, kind, place.strip, row)] = sum_of_lanes(
        lane_sum_at(PASS(i)), lane_sum_at(PASS(i + 1)), lane_sum_at(PASS(i + 2)), lane_sum_at(PASS(i + 3)),
        lane_sum_at(PASS(i + 4)), lane_sum_at(PASS(i + 5)), lane_sum_at(PASS(i + 6)), lane_sum_at(PASS(i + 7)));
  }
}

// The scale that the workgroup belongs to.
FUNCTION(SsimScale) scale_of_group(CONTEXT()) {
  SsimScale scale = read_scale(args.scales, args.first_scale);
  for (int32_t k = 1; k < args.scale_count; ++k) {
    const SsimScale next = read_scale(args.scales, args.first_scale + k);
    if (group_x() >= next.first_group) scale = next;
  }
  return scale;
}

KERNEL_MAIN() {
  const SsimScale scale = scale_of_group(PASS());
  SsimPlace place;
  place.strip = (group_x() - scale.first_group) % scale.strips;
  place.first_row = (group_x() - scale.first_group) / scale.strips * GROUP_ROWS;
  load_samples(PASS(scale, place));
  group_barrier();
  SsimColumn means_r;
  UNROLL for (int32_t y = 0; y < ROWS; ++y) means_r.at[y] = 0.0f;
  SsimColumn means_d = means_r;
  SsimColumn squares_r = means_r;
  SsimColumn squares_d = means_r;
  SsimColumn products = means_r;
  for (int32_t map = 0; map < MAPS; ++map) {  // a loop, which moves them up, is a fifth of the code
    filter_along(PASS(map));
    group_barrier();
    means_r = means_d;
    means_d = squares_r;
    squares_r = squares_d;
    squares_d = products;
    products = filter_down(PASS(map));
    group_barrier();
  }
  SsimColumn structure;
  SsimTermColumn contrast;
  UNROLL for (int32_t y = 0; y < ROWS; ++y) {
    const SsimWindow window = {means_r.at[y], means_d.at[y], squares_r.at[y], squares_d.at[y], products.at[y]};
    const SsimDetail detail = ssim_detail(window);
    structure.at[y] = detail.structure;
    contrast.at[y] = detail.contrast;
  }
  SsimTermColumn terms;
  UNROLL for (int32_t y = 0; y < ROWS; ++y) terms.at[y] = double(structure.at[y]);
  sum_strip(PASS(scale, place, 3, terms));
  sum_strip(PASS(scale, place, 2, contrast));
  if (scale.all) {
    UNROLL for (int32_t y = 0; y < ROWS; ++y) terms.at[y] = ssim_luminance(means_r.at[y], means_d.at[y]);
    sum_strip(PASS(scale, place, 1, terms));
    UNROLL for (int32_t y = 0; y < ROWS; ++y) { terms.at[y] = terms.at[y] * contrast.at[y] * double(structure.at[y]); }
    sum_strip(PASS(scale, place, 0, terms));
  }
}
