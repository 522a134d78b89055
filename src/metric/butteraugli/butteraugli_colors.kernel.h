// What an eye perceives of linear light (docs/spec/beyond.md 4.2, 4.3, 4.8): the light around a pixel is blurred within
// a tile of BLOCK_X columns. An item has a column of ROWS pixels.
#include "kernel/divide/any_float.kernel.h"
#include "metric/butteraugli/butteraugli_args.h"
#include "metric/butteraugli/butteraugli_math.kernel.h"

#define RADIUS 2
#define AT_ONCE 3
#define TILE_ROWS (BLOCK_Y * ROWS)
#define READ_ROWS (TILE_ROWS + 2 * RADIUS)
#define READ_COLUMNS (BLOCK_X + 2 * RADIUS)

struct ButteraugliColorsShared {
  float light[READ_ROWS][READ_COLUMNS], rows[READ_ROWS][BLOCK_X];
};

KERNEL_USES(ButteraugliColorsArgs, ButteraugliColorsShared)

// Beyond the border lies the picture mirrored, its last pixel twice. Far beyond, any pixel will do.
FUNCTION(int32_t) mirrored(int32_t i, int32_t size) {
  const int32_t right = i < size ? i : 2 * size - 1 - i;
  return i < 0 ? -1 - i : right < 0 ? 0 : right;
}

FUNCTION(float) light_at(CONTEXT(CONST_BUFFER(float) plane, int32_t x, int32_t y)) {
  if (args.halved == 0) {
    const int32_t row = nearest(y - args.before_y, args.light_height) * args.light_row;
    return plane.data[row + nearest(x - args.before_x, args.light_width)];
  }
  const bool has_right = 2 * x + 1 < args.light_width;
  const bool has_below = 2 * y + 1 < args.light_height;
  const int32_t upper = 2 * y * args.light_row + 2 * x;
  const int32_t lower = has_below ? upper + args.light_row : upper;
  if (!has_right) return halved_at_right(plane.data[upper], plane.data[lower], has_below);
  return halved(plane.data[upper], plane.data[upper + 1], plane.data[lower], plane.data[lower + 1], has_below);
}

struct ColumnOfLight {
  float own[ROWS], around[ROWS];
};

FUNCTION(float) blurred_around(float a, float b, float c, float d, float e) {
  return fused(a + e, bits_float(kAroundInside[0]),
               fused(b + d, bits_float(kAroundInside[1]), c * bits_float(kAroundInside[2])));
}

FUNCTION(ColumnOfLight) blur(CONTEXT(CONST_BUFFER(float) plane)) {
  const int32_t first_x = group_x() * BLOCK_X - RADIUS;
  const int32_t first_y = group_y() * TILE_ROWS - RADIUS;
  const int32_t item = local_y() * BLOCK_X + local_x();
  for (int32_t i = item; i < READ_ROWS * READ_COLUMNS; i += BLOCK_X * BLOCK_Y) {
    const int32_t r = i / READ_COLUMNS;
    const int32_t c = i - r * READ_COLUMNS;
    group.light[r][c] = light_at(PASS(plane, mirrored(first_x + c, args.width), mirrored(first_y + r, args.height)));
  }
  group_barrier();
  for (int32_t r = local_y(); r < READ_ROWS; r += BLOCK_Y) {
    const int32_t c = local_x();
    group.rows[r][c] = blurred_around(group.light[r][c], group.light[r][c + 1], group.light[r][c + 2],
                                      group.light[r][c + 3], group.light[r][c + 4]);
  }
  group_barrier();
  ColumnOfLight light;
  UNROLL for (int32_t k = 0; k < ROWS; ++k) {
    const int32_t r = local_y() * ROWS + k;
    const int32_t c = local_x();
    light.own[k] = group.light[r + RADIUS][c + RADIUS] * args.nits;
    light.around[k] = blurred_around(group.rows[r][c], group.rows[r + 1][c], group.rows[r + 2][c], group.rows[r + 3][c],
                                     group.rows[r + 4][c]) *
                      args.nits;
  }
  group_barrier();
  return light;
}

FUNCTION(void) store(CONTEXT(int32_t place, int32_t x, int32_t y, float value)) {
  const int64_t plane = int64_t(group_z() * BUTTERAUGLI_PLANES + place);
  BUFFER(float) to = BUFFER_AT(float, args.planes, plane* args.plane);
  to.data[y * args.row + x] = value;
}

KERNEL_MAIN() {
  CONST_BUFFER(float) reds = args.reference_red;
  CONST_BUFFER(float) greens = args.reference_green;
  CONST_BUFFER(float) blues = args.reference_blue;
  int64_t first = int64_t(group_z()) * args.light_picture;
  if (group_z() >= args.references) {
    reds = args.distorted_red;
    greens = args.distorted_green;
    blues = args.distorted_blue;
    first = int64_t(group_z() - args.references) * args.light_picture;
  }
  const ColumnOfLight red = blur(PASS(CONST_BUFFER_AT(float, reds, first)));
  const ColumnOfLight green = blur(PASS(CONST_BUFFER_AT(float, greens, first)));
  const ColumnOfLight blue = blur(PASS(CONST_BUFFER_AT(float, blues, first)));
  const int32_t x = group_x() * BLOCK_X + local_x();
  UNROLL for (int32_t k = 0; k < ROWS; ++k) {
    const int32_t y = group_y() * TILE_ROWS + local_y() * ROWS + k;
    if (x < args.width && y < args.height) {
      const ButteraugliColor color =
          butteraugli_color(red.own[k], green.own[k], blue.own[k], red.around[k], green.around[k], blue.around[k]);
      store(PASS(BUTTERAUGLI_COLORS, x, y, color.x));
      store(PASS(BUTTERAUGLI_COLORS + 1, x, y, color.y));
      store(PASS(BUTTERAUGLI_COLORS + 2, x, y, color.b));
    }
  }
}
