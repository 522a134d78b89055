#include "metric/blocks/words.h"
#include "metric/float_ansnr/float_ansnr.h"

namespace acutance {
namespace {

using float_ansnr::ansnr_index;

struct Samples {
  const Plane& plane;
  int bit_depth;

  float At(int column, int row) const {
    const int x = ansnr_index(column, plane.width), y = ansnr_index(row, plane.height);
    if (bit_depth == 8) return static_cast<float>(plane.Row<uint8_t>(y)[x]) - 128.0f;
    return static_cast<float>(plane.Row<uint16_t>(y)[x]) / static_cast<float>(1 << (bit_depth - 8)) - 128.0f;
  }
};

float SmoothRow(const Samples& p, int x, int y) {
  return float_ansnr::ansnr_smooth(p.At(x - 1, y), p.At(x, y), p.At(x + 1, y));
}

float Smooth(const Samples& p, int x, int y) {
  return float_ansnr::ansnr_smooth(SmoothRow(p, x, y - 1), SmoothRow(p, x, y), SmoothRow(p, x, y + 1));
}

/// Row `k` of the 5x5 filter.
float FilterRow(const Samples& p, int k, int x, int y) {
  const float* taps = float_ansnr::kAnsnrTaps + 3 * (k < 3 ? k : 4 - k);
  return float_ansnr::ansnr_filter_row(taps[0], taps[1], taps[2], p.At(x - 2, y), p.At(x - 1, y), p.At(x, y),
                                       p.At(x + 1, y), p.At(x + 2, y));
}

float Filter(const Samples& p, int x, int y) {
  return float_ansnr::ansnr_filter_rows(FilterRow(p, 0, x, y - 2), FilterRow(p, 1, x, y - 1), FilterRow(p, 2, x, y),
                                        FilterRow(p, 3, x, y + 1), FilterRow(p, 4, x, y + 2));
}

}  // namespace

void AnsnrRowSumsRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band, int64_t* words) {
  const Samples r = {reference, bit_depth}, d = {distorted, bit_depth};
  for (int y = band.begin; y < band.end; ++y) {
    float signal = 0, noise = 0;
    for (int x = 0; x < reference.width; ++x) {
      const float smooth = Smooth(r, x, y);
      const float error = smooth - Filter(d, x, y);
      signal += smooth * smooth;
      noise += error * error;
    }
    words[kAnsnrWords * y] = WordFromFloat(signal);
    words[kAnsnrWords * y + 1] = WordFromFloat(noise);
  }
}

}  // namespace acutance
