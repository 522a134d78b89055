// Samples of another color or range (convert/color_converter.h): each is a weighted sum of those of up to three planes.
// An item makes a word of samples of RESULT_BYTES from samples of SAMPLE_BYTES; beyond a row's end it fills its
// padding.
#include "convert/color_math.kernel.h"
#include "convert/convert_color_args.h"

#define SAMPLE_BITS (8 * SAMPLE_BYTES)
#define RESULT_BITS (8 * RESULT_BYTES)

struct ChangeColorShared {
  uint32_t unused;
};

KERNEL_USES(ChangeColorArgs, ChangeColorShared)

FUNCTION(uint32_t) sample_in(uint32_t word, int32_t at) { return (word >> at) & ((1u << SAMPLE_BITS) - 1u); }

FUNCTION(uint32_t) changed(CONTEXT(uint32_t first, uint32_t second, uint32_t third)) {
  const uint32_t top = uint32_t(args.from_top);
  const int64_t sum = color_term(args.first_weight, first, top) + color_term(args.second_weight, second, top) +
                      color_term(args.third_weight, third, top) + args.bias;
  return color_result(sum, args.bits, uint32_t(args.to_top));
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.words && y < args.height) {
    const int64_t from = int64_t(group_z()) * args.from_picture + int64_t(y) * int64_t(args.from_row);
    const int64_t to_row = int64_t(group_z()) * args.to_picture + int64_t(y) * int64_t(args.to_row);
    CONST_BUFFER(uint32_t) first_row = CONST_BUFFER_AT(uint32_t, args.first, from);
    CONST_BUFFER(uint32_t) second_row = CONST_BUFFER_AT(uint32_t, args.second, from);
    CONST_BUFFER(uint32_t) third_row = CONST_BUFFER_AT(uint32_t, args.third, from);
    BUFFER(uint32_t) to = BUFFER_AT(uint32_t, args.to, to_row);
    // Where results are larger, a word of the source has those of two items.
    const int32_t from_x = x * SAMPLE_BYTES / RESULT_BYTES;
    const int32_t offset = (x * SAMPLE_BYTES % RESULT_BYTES) * 16;
    const uint32_t first = first_row.data[from_x] >> offset;
    const uint32_t second = second_row.data[from_x] >> offset;
    const uint32_t third = third_row.data[from_x] >> offset;
    uint32_t word = 0;
    UNROLL for (int32_t i = 0; i < 32 / RESULT_BITS; i++) {
      const int32_t at = i * SAMPLE_BITS;
      word |= changed(PASS(sample_in(first, at), sample_in(second, at), sample_in(third, at))) << (i * RESULT_BITS);
    }
    to.data[x] = word;
  }
}
