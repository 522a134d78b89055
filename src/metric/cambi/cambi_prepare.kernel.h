// From samples to words: 10-bit codes, the mask as bit 15 (docs/spec/siblings.md 1.3, 1.4).
//
// A workgroup makes a tile of TILE x TILE pixels, of which those that a halved picture leaves out get no mask. Codes of
// the tile and what its masks reach are shared, then which of these are flat, then sums of seven along the rows.
// PIXEL: uint8_t or uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/cambi/cambi_math.kernel.h"
#include "metric/cambi/cambi_prepare_args.h"

#define TILE 32
#define REACH 3
#define SIDE (TILE + 2 * REACH)
#define ITEMS (BLOCK_X * BLOCK_Y)
#define COUNTS 0x8000u  // kCambiCounts

struct CambiPrepareShared {
  int32_t codes[SIDE + 1][SIDE + 1], flats[SIDE][SIDE + 1], rows[SIDE][TILE + 1];
};

KERNEL_USES(CambiPrepareArgs, CambiPrepareShared)

FUNCTION(int32_t) item_index() { return local_y() * BLOCK_X + local_x(); }

// The code of a pixel of the resampled picture, in which x and y lie.
FUNCTION(int32_t) code_at(CONTEXT(int32_t x, int32_t y)) {
  const int64_t picture = int64_t(reference_of(group_z(), args.inverse)) * args.picture_stride;
  CONST_BUFFER(PIXEL) samples = CONST_BUFFER_AT(PIXEL, args.samples, picture);
  const int32_t from_x = args.nearest.data[x];
  const int32_t from_y = args.nearest.data[args.width + y];
  const int32_t value = int32_t(samples.data[from_y * args.row_stride + from_x]);
  return ten_bit_code(smaller_of(value, (1 << args.bit_depth) - 1), args.bit_depth);
}

// The same, as the mean of up to 2x2 where dither is filtered.
FUNCTION(int32_t) filtered_code(CONTEXT(int32_t x, int32_t y)) {
  int32_t code = code_at(PASS(x, y));
  if (args.filters_dither != 0) {
    const bool right = x + 1 < args.width;
    const bool below = y + 1 < args.height;
    int32_t shift = 0;
    if (right) {
      code += code_at(PASS(x + 1, y));
      ++shift;
    }
    if (below) {
      code += code_at(PASS(x, y + 1));
      ++shift;
    }
    if (right && below) code += code_at(PASS(x + 1, y + 1));
    code = code >> shift;
  }
  return code;
}

// The pixel lies this far from the first one of the tile with its reach.
FUNCTION(int32_t) is_flat(CONTEXT(int32_t x, int32_t y, int32_t column, int32_t row)) {
  if (x < 0 || y < 0 || x >= args.width || y >= args.height) return 0;
  const int32_t code = group.codes[row][column];
  const bool right = x + 1 >= args.width || group.codes[row][column + 1] == code;
  const bool below = y + 1 >= args.height || group.codes[row + 1][column] == code;
  return right && below ? 1 : 0;
}

KERNEL_MAIN() {
  const int32_t first_x = group_x() * TILE - REACH;
  const int32_t first_y = group_y() * TILE - REACH;
  for (int32_t i = item_index(); i < (SIDE + 1) * (SIDE + 1); i += ITEMS) {
    const int32_t row = i / (SIDE + 1);
    const int32_t column = i % (SIDE + 1);
    const int32_t x = first_x + column;
    const int32_t y = first_y + row;
    int32_t code = 0;
    if (x >= 0 && y >= 0 && x < args.width && y < args.height) code = filtered_code(PASS(x, y));
    group.codes[row][column] = code;
  }
  group_barrier();
  for (int32_t i = item_index(); i < SIDE * SIDE; i += ITEMS) {
    const int32_t row = i / SIDE;
    const int32_t column = i % SIDE;
    group.flats[row][column] = is_flat(PASS(first_x + column, first_y + row, column, row));
  }
  group_barrier();
  for (int32_t i = item_index(); i < SIDE * TILE; i += ITEMS) {
    const int32_t row = i / TILE;
    const int32_t column = i % TILE;
    int32_t sum = 0;
    UNROLL for (int32_t k = 0; k <= 2 * REACH; ++k) sum += group.flats[row][column + k];
    group.rows[row][column] = sum;
  }
  group_barrier();
  const int32_t tile = TILE / args.step;  // pixels of a side that are written
  BUFFER(uint16_t) words = BUFFER_AT(uint16_t, args.words, int64_t(group_z()) * args.made_stride);
  for (int32_t i = item_index(); i < tile * tile; i += ITEMS) {
    const int32_t row = i / tile * args.step;
    const int32_t column = i % tile * args.step;
    const int32_t x = group_x() * TILE + column;
    const int32_t y = group_y() * TILE + row;
    int32_t count = 0;
    UNROLL for (int32_t k = 0; k <= 2 * REACH; ++k) count += group.rows[row + k][column];
    const uint32_t code = uint32_t(group.codes[row + REACH][column + REACH]);
    if (x < args.width && y < args.height) {
      words.data[y / args.step * args.made_row + x / args.step] =
          uint16_t(count > args.mask_minimum ? code | COUNTS : code);
    }
  }
}
