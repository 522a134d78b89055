// The four blurs of a picture's frequencies (docs/spec/beyond.md 4.2, 4.4, 4.7), whose weights are normalised where the
// picture cuts them off, each with what is done to its input and its results. BLUR chooses one.
//
// A workgroup goes down SEGMENT rows of BLOCK_X columns in chunks of CHUNK rows: it reads a chunk, blurs it along the
// rows, then down the columns with the rows blurred before, of which it keeps 2 * RADIUS. Items along the rows have a
// row each, so that a wave's addresses lie in different banks.
#include "kernel/divide/any_float.kernel.h"
#include "metric/butteraugli/butteraugli_args.h"
#include "metric/butteraugli/butteraugli_math.kernel.h"

// PARTS: how many sums of pairs there are.
#if BLUR == BUTTERAUGLI_BLUR_LOW
#define RADIUS 16
#define PARTS 4
#define INSIDE kLowInside
#define CHANNELS 3
#elif BLUR == BUTTERAUGLI_BLUR_HIGH
#define RADIUS 7
#define PARTS 4
#define INSIDE kHighInside
#define CHANNELS 3
#elif BLUR == BUTTERAUGLI_BLUR_HIGHEST
#define RADIUS 3
#define PARTS 3
#define INSIDE kHighestInside
#define CHANNELS 2
#else
#define RADIUS 6
#define PARTS 4
#define INSIDE kMaskInside
#define CHANNELS 1
#endif

#define SEGMENT 128
#define CHUNK 32
#define AT_ONCE 4
#define RUN 8  // results of an item: BLOCK_X * CHUNK / (BLOCK_X * BLOCK_Y)
#define READ_COLUMNS (BLOCK_X + 2 * RADIUS)
#define WINDOW (RUN + 2 * RADIUS)

struct ButteraugliBlurShared {
  float samples[CHUNK][READ_COLUMNS + 1], rows[CHUNK + 2 * RADIUS][BLOCK_X + 1];
};

KERNEL_USES(ButteraugliBlurArgs, ButteraugliBlurShared)

FUNCTION(int32_t) channel() { return group_z() % CHANNELS; }

FUNCTION(int64_t) first_of(CONTEXT(int32_t place)) {
  return int64_t(group_z() / CHANNELS * BUTTERAUGLI_PLANES + place) * args.plane;
}

FUNCTION(float) sample_at(CONTEXT(int32_t place, int32_t x, int32_t y)) {
  CONST_BUFFER(float) plane = CONST_BUFFER_AT(float, args.from, first_of(PASS(place)));
  return plane.data[y * args.row + x];
}

FUNCTION(void) store(CONTEXT(int32_t place, int32_t x, int32_t y, float value)) {
  BUFFER(float) plane = BUFFER_AT(float, args.to, first_of(PASS(place)));
  plane.data[y * args.row + x] = value;
}

// What is blurred, and what becomes of it.
#if BLUR == BUTTERAUGLI_BLUR_LOW
FUNCTION(float) source_at(CONTEXT(int32_t x, int32_t y)) {
  return sample_at(PASS(BUTTERAUGLI_COLORS + channel(), x, y));
}
FUNCTION(void) store_blurred(CONTEXT(int32_t x, int32_t y, float low)) {
  store(PASS(BUTTERAUGLI_LOW + channel(), x, y, low));
  store(PASS(BUTTERAUGLI_REST + channel(), x, y, source_at(PASS(x, y)) - low));
}
#elif BLUR == BUTTERAUGLI_BLUR_HIGH
FUNCTION(float) source_at(CONTEXT(int32_t x, int32_t y)) { return sample_at(PASS(BUTTERAUGLI_REST + channel(), x, y)); }
FUNCTION(void) store_blurred(CONTEXT(int32_t x, int32_t y, float middle)) {
  float kept = middle;
  if (channel() == 0) kept = shrunk(0.29f, middle);
  if (channel() == 1) kept = expanded(0.1f, middle);
  store(PASS(BUTTERAUGLI_MIDDLE + channel(), x, y, kept));
  if (channel() < 2) store(PASS(BUTTERAUGLI_FINE + channel(), x, y, source_at(PASS(x, y)) - middle));
}
#elif BLUR == BUTTERAUGLI_BLUR_HIGHEST
FUNCTION(float) source_at(CONTEXT(int32_t x, int32_t y)) {
  const float of_y = sample_at(PASS(BUTTERAUGLI_FINE + 1, x, y));
  if (channel() == 1) return of_y;
  return suppressed_by_y(sample_at(PASS(BUTTERAUGLI_FINE, x, y)), of_y);
}
FUNCTION(void) store_blurred(CONTEXT(int32_t x, int32_t y, float blurred)) {
  const float value = source_at(PASS(x, y));
  ButteraugliHigh bands = high_of_x(value, blurred);
  if (channel() == 1) bands = high_of_y(value, blurred);
  store(PASS(BUTTERAUGLI_HIGH + channel(), x, y, bands.high));
  store(PASS(BUTTERAUGLI_HIGHEST + channel(), x, y, bands.highest));
}
#else
FUNCTION(float) source_at(CONTEXT(int32_t x, int32_t y)) {
  return mask_source(sample_at(PASS(BUTTERAUGLI_HIGHEST, x, y)), sample_at(PASS(BUTTERAUGLI_HIGH, x, y)),
                     sample_at(PASS(BUTTERAUGLI_HIGHEST + 1, x, y)), sample_at(PASS(BUTTERAUGLI_HIGH + 1, x, y)));
}
FUNCTION(void) store_blurred(CONTEXT(int32_t x, int32_t y, float blurred)) {
  store(PASS(BUTTERAUGLI_MASK, x, y, blurred));
}
#endif

struct BlurWindow {
  float value[WINDOW];
};

FUNCTION(float) blurred_inside(BlurWindow window, int32_t first) {
  float parts[PARTS];
  UNROLL for (int32_t j = 0; j < RADIUS; ++j) {
    const float pair = (window.value[first + j] + window.value[first + 2 * RADIUS - j]) * bits_float(INSIDE[j]);
    if (j < PARTS) {
      parts[j] = pair;
    } else {
      parts[j % PARTS] = parts[j % PARTS] + pair;
    }
  }
  float sum = window.value[first + RADIUS] * bits_float(INSIDE[RADIUS]);
  UNROLL for (int32_t j = 0; j < PARTS; ++j) sum = sum + parts[j];
  return sum;
}

FUNCTION(bool) is_inside(int32_t i, int32_t size) { return i >= RADIUS && i < size - RADIUS; }

// The first and the last sample that the picture has of those around sample `i`.
FUNCTION(int32_t) first_around(int32_t i) { return i < RADIUS ? 0 : i - RADIUS; }
FUNCTION(int32_t) last_around(int32_t i, int32_t size) { return i + RADIUS < size ? i + RADIUS : size - 1; }

// Rows of the picture from `first_y` on; of the chunk from `first` on, several at a time, so that they are under way
// together. What is read beyond the picture counts nothing.
FUNCTION(void) read_chunk(CONTEXT(int32_t first_x, int32_t first_y, int32_t first)) {
  for (int32_t c = local_x(); c < READ_COLUMNS; c += BLOCK_X) {
    const int32_t x = nearest(first_x - RADIUS + c, args.width);
    for (int32_t r = first + local_y(); r < CHUNK; r += AT_ONCE * BLOCK_Y) {
      float value[AT_ONCE];
      UNROLL for (int32_t k = 0; k < AT_ONCE; ++k) {
        value[k] = source_at(PASS(x, nearest(first_y + r + k * BLOCK_Y, args.height)));
      }
      UNROLL for (int32_t k = 0; k < AT_ONCE; ++k) {
        if (r + k * BLOCK_Y < CHUNK) group.samples[r + k * BLOCK_Y][c] = value[k];
      }
    }
  }
}

FUNCTION(float) row_at_border(CONTEXT(int32_t r, int32_t first_x, int32_t x)) {
  float sum = 0.0f;
  const int32_t last = last_around(x, args.width);
  for (int32_t i = first_around(x); i <= last; ++i) {
    sum = sum + group.samples[r][i - first_x + RADIUS] * args.weights.data[i - x + RADIUS];
  }
  return sum * args.weights.data[2 * RADIUS + 1 + x];
}

FUNCTION(void) blur_rows(CONTEXT(int32_t first_x, int32_t first)) {
  const int32_t item = local_y() * BLOCK_X + local_x();
  const int32_t r = item & (CHUNK - 1);
  const int32_t column = item / CHUNK * RUN;
  if (r >= first) {
    BlurWindow window;
    UNROLL for (int32_t i = 0; i < WINDOW; ++i) window.value[i] = group.samples[r][column + i];
    UNROLL for (int32_t k = 0; k < RUN; ++k) { group.rows[2 * RADIUS + r][column + k] = blurred_inside(window, k); }
    const int32_t x = first_x + column;
    if (!is_inside(x, args.width) || !is_inside(x + RUN - 1, args.width)) {
      const int32_t last = x + RUN - 1 < args.width ? x + RUN - 1 : args.width - 1;
      for (int32_t i = x; i <= last; ++i) {
        if (!is_inside(i, args.width)) group.rows[2 * RADIUS + r][i - first_x] = row_at_border(PASS(r, first_x, i));
      }
    }
  }
}

// `top`: the picture's row of the first row in shared memory.
FUNCTION(float) column_at_border(CONTEXT(int32_t y, int32_t top)) {
  float sum = 0.0f;
  const int32_t last = last_around(y, args.height);
  for (int32_t i = first_around(y); i <= last; ++i) {
    sum = sum + group.rows[i - top][local_x()] * args.weights.data[i - y + RADIUS];
  }
  return sum * args.weights.data[2 * RADIUS + 1 + args.width + y];
}

FUNCTION(float) column_inside(CONTEXT(int32_t r)) {
  BlurWindow window;
  UNROLL for (int32_t i = 0; i <= 2 * RADIUS; ++i) window.value[i] = group.rows[r + i][local_x()];
  return blurred_inside(window, 0);
}

FUNCTION(void) blur_columns(CONTEXT(int32_t first_x, int32_t first_y)) {
  const int32_t x = first_x + local_x();
  const int32_t r = local_y() * RUN;
  const int32_t y = first_y + r;
  if (x < args.width && is_inside(y, args.height) && is_inside(y + RUN - 1, args.height)) {
    BlurWindow window;
    UNROLL for (int32_t i = 0; i < WINDOW; ++i) window.value[i] = group.rows[r + i][local_x()];
    UNROLL for (int32_t k = 0; k < RUN; ++k) store_blurred(PASS(x, y + k, blurred_inside(window, k)));
  } else if (x < args.width) {
    const int32_t last = y + RUN - 1 < args.height ? y + RUN - 1 : args.height - 1;
    for (int32_t i = y; i <= last; ++i) {
      float value = 0.0f;
      if (is_inside(i, args.height)) {
        value = column_inside(PASS(i - first_y));
      } else {
        value = column_at_border(PASS(i, first_y - RADIUS));
      }
      store_blurred(PASS(x, i, value));
    }
  }
}

// The last rows of a chunk are the first ones of the next.
FUNCTION(void) keep_rows(CONTEXT()) {
  for (int32_t r = local_y(); r < 2 * RADIUS; r += BLOCK_Y) {
    group.rows[r][local_x()] = group.rows[CHUNK + r][local_x()];
  }
}

KERNEL_MAIN() {
  const int32_t first_x = group_x() * BLOCK_X;
  const int32_t top = group_y() * SEGMENT;
  const int32_t end = top + SEGMENT < args.height ? top + SEGMENT : args.height;
  for (int32_t y = top - CHUNK; y < end; y += CHUNK) {
    // Before the first results only those rows are needed that they read above.
    const int32_t first = y < top ? CHUNK - 2 * RADIUS : 0;
    read_chunk(PASS(first_x, y + RADIUS, first));
    group_barrier();
    blur_rows(PASS(first_x, first));
    group_barrier();
    if (y >= top) blur_columns(PASS(first_x, y));
    group_barrier();
    keep_rows(PASS());
  }
}
