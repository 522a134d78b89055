// The terms of blocks (docs/spec/siblings.md 4). A workgroup has BLOCK_X neighbouring blocks of a plane, in the order
// of their sum. Of a block an item has a column of both pictures, then a row: it transforms them. Sums of a block's
// floats have an order, so that an item adds up those of a block: neighbouring items have neighbouring blocks.
// PIXEL: uint8_t or uint16_t.
#include "kernel/divide/float_via_float.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/psnr_hvs/psnr_hvs_args.h"
#include "metric/psnr_hvs/psnr_hvs_math.kernel.h"

#define SIDE 8  // kBlockSide
#define SAMPLES 64

#if BLOCK_X != HVS_GROUP || BLOCK_Y != SIDE
#error "a workgroup has a group of blocks, and an item for each of their lines"
#endif

struct HvsTermsShared {
  uint32_t values[2][SAMPLES][BLOCK_X];       // [picture]: patterns of samples; coefficients; patterns of energies
  int32_t half_columns[2][2][SIDE][BLOCK_X];  // [picture][half]: sums of four samples
  float block_squares[2][BLOCK_X];            // [picture]
  float quarters[2][BLOCK_X], strengths[2][BLOCK_X];
};

KERNEL_USES(HvsTermsArgs, HvsTermsShared)

// The column of a block that is the item's, and what the sums need of it.
FUNCTION(HvsLine) load_column(CONTEXT(CONST_BUFFER(PIXEL) samples, int32_t side, int32_t first)) {
  HvsLine line;
  UNROLL for (int32_t i = 0; i < SIDE; ++i) line.v[i] = int32_t(samples.data[first + i * args.row_stride]);
  UNROLL for (int32_t i = 0; i < SIDE; ++i) {
    group.values[side][i * SIDE + local_y()][local_x()] = float_bits(float(line.v[i]));
  }
  group.half_columns[side][0][local_y()][local_x()] = line.v[0] + line.v[1] + line.v[2] + line.v[3];
  group.half_columns[side][1][local_y()][local_x()] = line.v[4] + line.v[5] + line.v[6] + line.v[7];
  return line;
}

// Quarter q has rows 4 * (q & 1) and columns 4 * (q >> 1) and up.
FUNCTION(int32_t) quarter_sum(CONTEXT(int32_t side, int32_t q)) {
  int32_t sum = 0;
  UNROLL for (int32_t j = 0; j < 4; ++j) sum += group.half_columns[side][q & 1][4 * (q >> 1) + j][local_x()];
  return sum;
}

FUNCTION(float) deviation_of(CONTEXT(int32_t side, int32_t c, float mean)) {
  const float deviation = bits_float(group.values[side][c][local_x()]) - mean;
  return deviation * deviation;
}

FUNCTION(void) add_block_squares(CONTEXT(int32_t side)) {
  int32_t sum = 0;
  UNROLL for (int32_t q = 0; q < 4; ++q) sum += quarter_sum(PASS(side, q));
  const float mean = float(sum) * 0.015625f;
  float squares = 0.0f;
  for (int32_t i = 0; i < SIDE; ++i) {
    UNROLL for (int32_t j = 0; j < SIDE; ++j) squares = squares + deviation_of(PASS(side, i * SIDE + j, mean));
  }
  group.block_squares[side][local_x()] = squares;
}

FUNCTION(void) add_quarters(CONTEXT(int32_t side)) {
  float quarters = 0.0f;
  for (int32_t q = 0; q < 4; ++q) {
    const float mean = float(quarter_sum(PASS(side, q))) * 0.0625f;
    const int32_t first = (q & 1) * 4 * SIDE + (q >> 1) * 4;
    float squares = 0.0f;
    UNROLL for (int32_t i = 0; i < 4; ++i) {
      UNROLL for (int32_t j = 0; j < 4; ++j) {
        squares = squares + deviation_of(PASS(side, first + i * SIDE + j, mean));
      }
    }
    quarters = quarters + squares * kQuarterVariance;
  }
  group.quarters[side][local_x()] = quarters;
}

// From the columns' coefficients to the block's, and what they mask.
FUNCTION(HvsLine) transform_row(CONTEXT(int32_t side)) {
  const int32_t first = local_y() * SIDE;
  HvsLine line;
  UNROLL for (int32_t j = 0; j < SIDE; ++j) line.v[j] = int32_t(group.values[side][first + j][local_x()]);
  line = transformed(line);
  UNROLL for (int32_t j = 0; j < SIDE; ++j) {
    const float mask = args.tables.data[SAMPLES + first + j];
    group.values[side][first + j][local_x()] = float_bits(masking_energy(line.v[j], mask));
  }
  return line;
}

FUNCTION(void) find_strength(CONTEXT(int32_t side)) {
  float energy = 0.0f;
  UNROLL for (int32_t j = 1; j < SIDE; ++j) energy = energy + bits_float(group.values[side][j][local_x()]);
  for (int32_t i = 1; i < SIDE; ++i) {
    UNROLL for (int32_t j = 0; j < SIDE; ++j) {
      energy = energy + bits_float(group.values[side][i * SIDE + j][local_x()]);
    }
  }
  const float share = quarter_share(group.block_squares[side][local_x()], group.quarters[side][local_x()]);
  group.strengths[side][local_x()] = masking_strength(energy, share);
}

FUNCTION(void) store_terms(CONTEXT(HvsLine reference, HvsLine distorted)) {
  const float one = group.strengths[0][local_x()];
  const float other = group.strengths[1][local_x()];
  const float strength = other > one ? other : one;
  BUFFER(float)
  terms = BUFFER_AT(float, args.terms, int64_t(group_z()) * args.pair_terms + int64_t(group_x() * SAMPLES * BLOCK_X));
  UNROLL for (int32_t j = 0; j < SIDE; ++j) {
    const int32_t c = local_y() * SIDE + j;
    terms.data[c * BLOCK_X + local_x()] = error_term(reference.v[j], distorted.v[j], c == 0, strength,
                                                     args.tables.data[c], args.tables.data[SAMPLES + c]);
  }
}

KERNEL_MAIN() {
  // Beyond the last block it takes that one again.
  const int32_t place = group_x() * BLOCK_X + local_x();
  const int32_t block = place < args.blocks ? place : args.blocks - 1;
  const int32_t row = block / args.blocks_across;
  const int32_t first =
      row * kBlockStep * args.row_stride + (block - row * args.blocks_across) * kBlockStep + local_y();
  const int64_t picture = int64_t(reference_of(group_z(), args.inverse)) * args.picture_stride;
  HvsLine reference = load_column(PASS(CONST_BUFFER_AT(PIXEL, args.reference, picture), 0, first));
  HvsLine distorted =
      load_column(PASS(CONST_BUFFER_AT(PIXEL, args.distorted, int64_t(group_z()) * args.picture_stride), 1, first));
  group_barrier();
  if (local_y() < 2) add_block_squares(PASS(local_y()));
  if (local_y() == 2 || local_y() == 3) add_quarters(PASS(local_y() - 2));
  reference = transformed(reference);
  distorted = transformed(distorted);
  group_barrier();
  UNROLL for (int32_t i = 0; i < SIDE; ++i) {
    group.values[0][i * SIDE + local_y()][local_x()] = uint32_t(reference.v[i]);
    group.values[1][i * SIDE + local_y()][local_x()] = uint32_t(distorted.v[i]);
  }
  group_barrier();
  reference = transform_row(PASS(0));
  distorted = transform_row(PASS(1));
  group_barrier();
  if (local_y() < 2) find_strength(PASS(local_y()));
  group_barrier();
  store_terms(PASS(reference, distorted));
}
