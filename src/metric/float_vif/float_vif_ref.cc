#include "metric/blocks/border.h"
#include "metric/float_vif/float_vif.h"

namespace acutance {
namespace {

using namespace float_vif;

/// Filters down the columns, then along the row; `at` hands out a value of an image of this size.
template <class At>
float FilteredAt(const std::vector<float>& taps, int width, int height, int x, int y, At at) {
  const int count = static_cast<int>(taps.size());
  float across = 0;
  for (int l = 0; l < count; ++l) {
    float down = 0;
    for (int k = 0; k < count; ++k)
      down =
          add_tap(down, taps[k], at(mirror_index(x + l - count / 2, width), mirror_index(y + k - count / 2, height)));
    across = add_tap(across, taps[l], down);
  }
  return across;
}

std::array<PaddedPlane, 2> ReadPlanes(const FloatVifLayout& layout, const LumaPlanes& planes) {
  std::array<PaddedPlane, 2> images = {PaddedPlane(layout.width(0), layout.height(0)),
                                       PaddedPlane(layout.width(0), layout.height(0))};
  for (int y = 0; y < layout.height(0); ++y) {
    layout.resizing.ReadRow(planes.reference, layout.bit_depth, y, images[0].Row(y));
    layout.resizing.ReadRow(planes.distorted, layout.bit_depth, y, images[1].Row(y));
  }
  return images;
}

/// Both images of a scale.
struct Pair {
  const FloatVifLayout& layout;
  int scale;
  const std::array<PaddedPlane, 2>& rows;

  template <class Value>  // (reference, distorted) -> float
  float Filtered(int taps_of, int x, int y, Value value) const {
    return FilteredAt(layout.taps[taps_of], layout.width(scale), layout.height(scale), x, y,
                      [&](int at_x, int at_y) { return value(rows[0].Row(at_y)[at_x], rows[1].Row(at_y)[at_x]); });
  }

  FloatVifMoments Moments(int x, int y) const {
    return {.mean1 = Filtered(scale, x, y, [](float r, float) { return r; }),
            .mean2 = Filtered(scale, x, y, [](float, float d) { return d; }),
            .square1 = Filtered(scale, x, y, [](float r, float) { return r * r; }),
            .square2 = Filtered(scale, x, y, [](float, float d) { return d * d; }),
            .product = Filtered(scale, x, y, [](float r, float d) { return r * d; })};
  }
};

}  // namespace

void FloatVifBandRef(const FloatVifLayout& layout, int scale, RowBand band, const LumaPlanes& planes,
                     FloatPyramid& images, std::span<int64_t> words) {
  const std::array<PaddedPlane, 2> samples = ReadPlanes(layout, planes);
  const Pair pair = {layout, scale, scale == 0 ? samples : images.At(scale)};
  const FloatVifPixel& pixel = layout.settings.pixel;
  const int next = scale + 1;
  for (int y = band.begin; y < band.end; ++y) {
    if (next < kFloatVifScales && y % 2 == 0 && y / 2 < layout.height(next))
      for (int x = 0; x < layout.width(next); ++x) {
        images.At(next)[0].Row(y / 2)[x] = pair.Filtered(next, 2 * x, y, [](float r, float) { return r; });
        images.At(next)[1].Row(y / 2)[x] = pair.Filtered(next, 2 * x, y, [](float, float d) { return d; });
      }
    if (scale == 0 && layout.settings.skip_scale0) continue;
    float num = 0, den = 0;
    for (int x = 0; x < layout.width(scale); ++x) {
      const FloatVifTerms terms = terms_of(pair.Moments(x, y), pixel.noise, pixel.flat_factor, pixel.gain_limit);
      num += terms.num;
      den += terms.den;
    }
    words[y] = FloatVifWord(num, den);
  }
}

}  // namespace acutance
