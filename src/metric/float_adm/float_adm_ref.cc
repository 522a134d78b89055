#include <algorithm>

#include "math/exact_math.h"
#include "metric/blocks/float_samples.h"
#include "metric/blocks/words.h"
#include "metric/float_adm/float_adm.h"

namespace acutance {
namespace {

using namespace float_adm;
using Bands = std::array<float, kFloatAdmBands>;

/// The wavelet of a pixel of a scale's bands.
struct Wavelet {
  float approximation;
  Bands details;
};

Wavelet WaveletAt(const FloatAdmScale& s, const FloatRows& image, int x, int y) {
  float low[4], high[4];  // after the vertical pass
  for (int k = 0; k < 4; ++k) {
    const int column = wavelet_index(x, k, s.width);
    float p[4];
    for (int l = 0; l < 4; ++l) p[l] = image.Row(wavelet_index(y, l, s.height))[column];
    low[k] = wavelet_low(p[0], p[1], p[2], p[3]);
    high[k] = wavelet_high(p[0], p[1], p[2], p[3]);
  }
  return {wavelet_low(low[0], low[1], low[2], low[3]),
          {wavelet_low(high[0], high[1], high[2], high[3]), wavelet_high(low[0], low[1], low[2], low[3]),
           wavelet_high(high[0], high[1], high[2], high[3])}};
}

std::array<PaddedPlane, 2> ReadPlanes(const FloatAdmLayout& layout, const LumaPlanes& planes) {
  const FloatAdmScale& s = layout.scales[0];
  std::array<PaddedPlane, 2> images = {PaddedPlane(s.width, s.height), PaddedPlane(s.width, s.height)};
  for (int y = 0; y < s.height; ++y)
    for (int x = 0; x < s.width; ++x) {
      images[0].Row(y)[x] = FloatSample(planes.reference, layout.bit_depth, x, y);
      images[1].Row(y)[x] = FloatSample(planes.distorted, layout.bit_depth, x, y);
    }
  return images;
}

/// A pixel's details, weighted: of the reference, what is left of them and what was added to them.
struct Weighted {
  Bands reference, kept, added;
};

class Scale {
 public:
  Scale(const FloatAdmLayout& layout, const FloatAdmScale& scale, const std::array<PaddedPlane, 2>& images)
      : layout_(layout), s_(scale), images_(images) {}

  /// (a, b) is a pixel of the bands, or one beyond: mirrored at the first edges, repeated at the
  /// last.
  Weighted At(int x, int y) const {
    x = std::min(x < 0 ? -x : x, s_.band_width - 1);
    y = std::min(y < 0 ? -y : y, s_.band_height - 1);
    const Bands o = WaveletAt(s_, images_[0], x, y).details, t = WaveletAt(s_, images_[1], x, y).details;
    const bool same = same_angle(o[0], o[1], t[0], t[1]);
    Weighted weighted;
    for (int b = 0; b < kFloatAdmBands; ++b) {
      const float r = restored(o[b], t[b], same, layout_.settings.gain_limit);
      weighted.reference[b] = s_.factor[b] * o[b];
      weighted.kept[b] = s_.factor[b] * r;
      weighted.added[b] = s_.factor[b] * (t[b] - r);
    }
    return weighted;
  }

  float Threshold(int x, int y, Bands Weighted::*masker) const {
    if (!layout_.settings.masks) return 0;
    Bands sum = {};
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const Weighted weighted = At(x + dx, y + dy);
        for (int b = 0; b < kFloatAdmBands; ++b) {
          const float value = (weighted.*masker)[b];
          sum[b] = dx == 0 && dy == 0 ? add_centre_share(sum[b], value) : sum[b] + neighbour_share(value);
        }
      }
    return (sum[0] + sum[1]) + sum[2];
  }

  float Power(float x) const { return layout_.settings.p_norm == 3 ? cube_of(x) : Powf(x, layout_.settings.p_norm); }

  void SumRow(int y, int64_t* words) const {
    float sums[kFloatAdmSums] = {};
    for (int x = s_.columns.begin; x < s_.columns.end; ++x) {
      const Weighted weighted = At(x, y);
      const float num_threshold = Threshold(x, y, &Weighted::added);
      const float aim_threshold = Threshold(x, y, &Weighted::kept);
      for (int b = 0; b < kFloatAdmBands; ++b) {
        sums[kFloatAdmNum * kFloatAdmBands + b] += Power(beyond(weighted.kept[b], num_threshold));
        sums[kFloatAdmAim * kFloatAdmBands + b] += Power(beyond(weighted.added[b], aim_threshold));
        sums[kFloatAdmDen * kFloatAdmBands + b] += Power(magnitude_of(weighted.reference[b]));
      }
    }
    for (int i = 0; i < kFloatAdmSums; ++i) words[i] = WordFromFloat(sums[i]);
  }

 private:
  const FloatAdmLayout& layout_;
  const FloatAdmScale& s_;
  const std::array<PaddedPlane, 2>& images_;
};

}  // namespace

void FloatAdmBandRef(const FloatAdmLayout& layout, int scale, RowBand band, const LumaPlanes& planes,
                     FloatPyramid& images, std::span<int64_t> words) {
  const FloatAdmScale& s = layout.scales[scale];
  const std::array<PaddedPlane, 2> samples = ReadPlanes(layout, planes);
  const std::array<PaddedPlane, 2>& source = scale == 0 ? samples : images.At(scale);
  const Scale pixels(layout, s, source);
  for (int y = band.begin; y < band.end; ++y) {
    if (scale + 1 < kFloatAdmScales)
      for (int i = 0; i < 2; ++i)
        for (int x = 0; x < s.band_width; ++x)
          images.At(scale + 1)[i].Row(y)[x] = WaveletAt(s, source[i], x, y).approximation;
    int64_t* row = words.data() + y * kFloatAdmSums;
    std::fill_n(row, kFloatAdmSums, WordFromFloat(0));
    if (s.scored && y >= s.rows.begin && y < s.rows.end) pixels.SumRow(y, row);
  }
}

}  // namespace acutance
