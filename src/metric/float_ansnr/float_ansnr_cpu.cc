// Filters run along the columns of a row, with rows stored for the vertical direction. The sums of a row are chains of
// float additions, so those of eight rows advance side by side. README.md says why no bit depends on this.
#include <algorithm>

#include "metric/blocks/words.h"
#include "metric/float_ansnr/float_ansnr.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/float_ansnr/float_ansnr_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// Samples as floats around 0, with two more at each end.
template <class Sample>
void LoadRow(const Plane& plane, int bit_depth, int row, float* to) {
  const Sample* from = plane.Row<Sample>(float_ansnr::ansnr_index(row, plane.height));
  const float scale = 1.0f / static_cast<float>(1 << (bit_depth - 8));
  const D d;
  int x = 0;
  for (; x + kLanes <= plane.width; x += kLanes) {
    const V samples = hn::ConvertTo(d, LoadSamples(hn::RebindToSigned<D>(), from + x));
    hn::StoreU(hn::Sub(hn::Mul(samples, hn::Set(d, scale)), hn::Set(d, 128.0f)), d, to + x);
  }
  for (; x < plane.width; ++x) to[x] = static_cast<float>(from[x]) * scale - 128.0f;
  for (x = 1; x <= 2; ++x) {
    to[-x] = to[float_ansnr::ansnr_index(-x, plane.width)];
    to[plane.width - 1 + x] = to[float_ansnr::ansnr_index(plane.width - 1 + x, plane.width)];
  }
}

HWY_INLINE V SmoothVector(V before, V here, V after) {
  const D d;
  const V quarter = hn::Set(d, 0.25f);
  return hn::Add(hn::Add(hn::Mul(quarter, before), hn::Mul(hn::Set(d, 0.5f), here)), hn::Mul(quarter, after));
}

void SmoothAlong(const float* samples, int width, float* smooth) {
  const D d;
  for (int x = 0; x < width; x += kLanes)
    hn::StoreU(SmoothVector(hn::LoadU(d, samples + x - 1), hn::LoadU(d, samples + x), hn::LoadU(d, samples + x + 1)), d,
               smooth + x);
}

// A row of the distorted picture with each kind of row of the filter.
void FilterAlong(const float* samples, int width, float* const (&filtered)[3]) {
  const D d;
  V taps[9];
  for (int i = 0; i < 9; ++i) taps[i] = hn::Set(d, float_ansnr::kAnsnrTaps[i]);
  for (int x = 0; x < width; x += kLanes) {
    V p[5];
    for (int i = 0; i < 5; ++i) p[i] = hn::LoadU(d, samples + x - 2 + i);
    for (int k = 0; k < 3; ++k) {
      V sum = hn::Mul(taps[3 * k], p[0]);
      sum = hn::Add(sum, hn::Mul(taps[3 * k + 1], p[1]));
      sum = hn::Add(sum, hn::Mul(taps[3 * k + 2], p[2]));
      sum = hn::Add(sum, hn::Mul(taps[3 * k + 1], p[3]));
      sum = hn::Add(sum, hn::Mul(taps[3 * k], p[4]));
      hn::StoreU(sum, d, filtered[k] + x);
    }
  }
}

class BandSums {
 public:
  BandSums(const Plane& reference, const Plane& distorted, int bit_depth, AnsnrRows& rows)
      : reference_(reference), distorted_(distorted), bit_depth_(bit_depth), rows_(rows) {}

  template <class Sample>
  void Run(RowBand band, int64_t* words) {
    for (int y = band.begin - 2; y < band.begin + 2; ++y) FilterDistorted<Sample>(y);
    for (int y = band.begin - 1; y < band.begin + 1; ++y) SmoothReference<Sample>(y);
    for (int y = band.begin; y < band.end; y += AnsnrRows::kGroup) {
      const int count = std::min(band.end - y, AnsnrRows::kGroup);
      for (int i = 0; i < count; ++i) {
        FilterDistorted<Sample>(y + i + 2);
        SmoothReference<Sample>(y + i + 1);
        SquareRow(y + i, i);
      }
      SumGroup(count, words + kAnsnrWords * y);
    }
  }

 private:
  // Rows before the picture's first one are numbered from -2.
  float* Smooth(int y) { return rows_.smooth.Row((y + 3) % 3); }
  float* Filtered(int y, int kind) { return rows_.filtered.Row((y + 5) % 5 * 3 + kind); }

  template <class Sample>
  void SmoothReference(int y) {
    float* samples = rows_.samples.Row(0);
    LoadRow<Sample>(reference_, bit_depth_, y, samples);
    SmoothAlong(samples, reference_.width, Smooth(y));
  }

  template <class Sample>
  void FilterDistorted(int y) {
    float* samples = rows_.samples.Row(1);
    LoadRow<Sample>(distorted_, bit_depth_, y, samples);
    float* const filtered[3] = {Filtered(y, 0), Filtered(y, 1), Filtered(y, 2)};
    FilterAlong(samples, distorted_.width, filtered);
  }

  // The squares of row y, as row i of the group.
  void SquareRow(int y, int i) {
    const D d;
    const float* smooth[3] = {Smooth(y - 1), Smooth(y), Smooth(y + 1)};
    const float* filtered[5] = {Filtered(y - 2, 0), Filtered(y - 1, 1), Filtered(y, 2), Filtered(y + 1, 1),
                                Filtered(y + 2, 0)};
    float* signal = rows_.signal.Row(i);
    float* noise = rows_.noise.Row(i);
    for (int x = 0; x < reference_.width; x += kLanes) {
      const V r = SmoothVector(hn::Load(d, smooth[0] + x), hn::Load(d, smooth[1] + x), hn::Load(d, smooth[2] + x));
      V e = hn::Load(d, filtered[0] + x);
      for (int k = 1; k < 5; ++k) e = hn::Add(e, hn::Load(d, filtered[k] + x));
      const V error = hn::Sub(r, e);
      hn::Store(hn::Mul(r, r), d, signal + x);
      hn::Store(hn::Mul(error, error), d, noise + x);
    }
  }

  // What lies in the rows beyond `count` is summed in vain.
  void SumGroup(int count, int64_t* words) {
    constexpr int kGroup = AnsnrRows::kGroup;
    for (const auto& [squares, word] : {std::pair{&rows_.signal, 0}, {&rows_.noise, 1}}) {
      const float* row[kGroup];
      float sum[kGroup] = {};
      for (int i = 0; i < kGroup; ++i) row[i] = squares->Row(i);
      for (int x = 0; x < reference_.width; ++x)
        for (int i = 0; i < kGroup; ++i) sum[i] += row[i][x];
      for (int i = 0; i < count; ++i) words[kAnsnrWords * i + word] = WordFromFloat(sum[i]);
    }
  }

  const Plane& reference_;
  const Plane& distorted_;
  const int bit_depth_;
  AnsnrRows& rows_;
};

void RowSums(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band, AnsnrRows& rows,
             int64_t* words) {
  BandSums sums(reference, distorted, bit_depth, rows);
  if (bit_depth > 8) sums.Run<uint16_t>(band, words);
  else sums.Run<uint8_t>(band, words);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

AnsnrRows::AnsnrRows(int width)
    : samples(2, width), smooth(3, width), filtered(3 * 5, width), signal(kGroup, width), noise(kGroup, width) {}

HWY_EXPORT(RowSums);

void AnsnrRowSums(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band, AnsnrRows& rows,
                  int64_t* words) {
  HWY_DYNAMIC_DISPATCH(RowSums)(reference, distorted, bit_depth, band, rows, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
