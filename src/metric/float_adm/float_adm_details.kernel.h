// Wavelet and details of a pixel of the bands, for float_adm.kernel.h.
#pragma once

// h, v and d of a picture, and the image of the next scale.
struct FloatAdmWavelet {
  float side;
  float up;
  float diagonal;
  float approximation;
};

FUNCTION(float) value_of(CONTEXT(CONST_BUFFER(PIXEL) image, int32_t i)) {
#if FLOATS
  return image.data[i];
#else
  return float(int32_t(image.data[i])) * args.sample_scale - 128.0f;
#endif
}

FUNCTION(FloatAdmWavelet) wavelet_at(CONTEXT(CONST_BUFFER(PIXEL) image, int32_t x, int32_t y)) {
  int32_t rows[4];
  UNROLL for (int32_t l = 0; l < 4; ++l) rows[l] = wavelet_index(y, l, args.plane.height) * args.plane.row_stride;
  float low[4];
  float high[4];
  UNROLL for (int32_t k = 0; k < 4; ++k) {
    const int32_t column = wavelet_index(x, k, args.plane.width);
    const float a = value_of(PASS(image, rows[0] + column));
    const float b = value_of(PASS(image, rows[1] + column));
    const float c = value_of(PASS(image, rows[2] + column));
    const float d = value_of(PASS(image, rows[3] + column));
    low[k] = wavelet_low(a, b, c, d);
    high[k] = wavelet_high(a, b, c, d);
  }
  FloatAdmWavelet wavelet;
  wavelet.approximation = wavelet_low(low[0], low[1], low[2], low[3]);
  wavelet.side = wavelet_low(high[0], high[1], high[2], high[3]);
  wavelet.up = wavelet_high(low[0], low[1], low[2], low[3]);
  wavelet.diagonal = wavelet_high(high[0], high[1], high[2], high[3]);
  return wavelet;
}

// Shares what a pixel's detail of one band adds to thresholds. In rows that are scored it also shares the magnitudes of
// the restored part, the added part and the reference's detail.
FUNCTION(void) share_detail(CONTEXT(int32_t band, int32_t row, float o, float t, bool same, float factor)) {
  const float r = restored(o, t, same, args.gain_limit);
  const float kept = factor * r;
  const float added = factor * (t - r);
  group.shares[band][row][local_x()] = neighbour_share(kept);
  group.shares[BANDS + band][row][local_x()] = neighbour_share(added);
  if (row >= 1 && row <= BLOCK_Y) {
    group.sizes[band][row - 1][local_x()] = magnitude_of(kept);
    group.sizes[BANDS + band][row - 1][local_x()] = magnitude_of(added);
    group.sizes[2 * BANDS + band][row - 1][local_x()] = magnitude_of(factor * o);
  }
}

// Pixels beyond the bands are mirrored at the first edges, and the last ones again at the last edges.
FUNCTION(void) share_pixel(CONTEXT(int32_t column, int32_t first_row, int32_t row)) {
  const int32_t band_width = (args.plane.width + 1) / 2;
  const int32_t band_height = (args.plane.height + 1) / 2;
  const int32_t at_y = first_row + row - 1;
  const int32_t mirrored_x = column < 0 ? -column : column;
  const int32_t mirrored_y = at_y < 0 ? -at_y : at_y;
  const int32_t x = mirrored_x < band_width ? mirrored_x : band_width - 1;
  const int32_t y = mirrored_y < band_height ? mirrored_y : band_height - 1;
  const FloatAdmWavelet o = wavelet_at(PASS(SHARED_PLANE(PIXEL, args.reference), x, y));
  const FloatAdmWavelet t = wavelet_at(PASS(OWN_PLANE(PIXEL, args.distorted), x, y));
  const bool same = same_angle(o.side, o.up, t.side, t.up);
  share_detail(PASS(0, row, o.side, t.side, same, args.side_factor));
  share_detail(PASS(1, row, o.up, t.up, same, args.side_factor));
  share_detail(PASS(2, row, o.diagonal, t.diagonal, same, args.diagonal_factor));
  const bool is_own = row >= 1 && row <= BLOCK_Y && local_x() >= 1 && local_x() <= COLUMNS;
  if ((args.flags & 1) != 0 && is_own && x == column && y == at_y) {
    store_next(PASS(x, y, o.approximation, t.approximation));
  }
}
