// Each lane has a column; running sums keep their order. A ring of rows of products stays in the L2
// cache.
#include "metric/float_vif/float_vif.h"

#include <algorithm>
#include <cmath>

#include "metric/blocks/border.h"
#include "simd/mirror.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/float_vif/float_vif_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane has no doubles beside floats; the plain loops are as good

void Band(const FloatVifLayout& layout, int scale, RowBand band, FloatVifImages& images, FloatVifBuffers&,
          std::span<int64_t> words) {
  FloatVifBandRef(layout, scale, band, images, words);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;  // FloatRows has space for what stands out
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kMoments = 5;

HWY_INLINE V Set(float x) { return hn::Set(D(), x); }

// --- The terms of a pixel: terms_of, step by step

HWY_INLINE V NearLog2(V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto mantissa = hn::Or(hn::And(bits, hn::Set(di, 0x007fffff)), hn::Set(di, 0x3f800000));
  const V fraction = hn::Sub(hn::BitCast(D(), mantissa), Set(1.0f));
  V sum = Set(float_vif::kLogCoefficients[0]);
  for (int i = 1; i < 9; ++i) sum = hn::Add(hn::Mul(sum, fraction), Set(float_vif::kLogCoefficients[i]));
  return hn::Add(hn::ConvertTo(D(), hn::Sub(hn::ShiftRight<23>(bits), hn::Set(di, 127))), sum);
}

/// 1 + over / (under + noise) in double, rounded.
HWY_INLINE V OnePlusRatio(V over, V under, double noise) {
  const hn::Repartition<double, D> dd;
  const hn::Half<D> half;
  const auto n = hn::Set(dd, noise), one = hn::Set(dd, 1.0);
  const auto low = hn::Div(hn::PromoteTo(dd, hn::LowerHalf(over)), hn::Add(hn::PromoteTo(dd, hn::LowerHalf(under)), n));
  const auto high =
      hn::Div(hn::PromoteTo(dd, hn::UpperHalf(half, over)), hn::Add(hn::PromoteTo(dd, hn::UpperHalf(half, under)), n));
  return hn::Combine(D(), hn::DemoteTo(half, hn::Add(one, high)), hn::DemoteTo(half, hn::Add(one, low)));
}

/// Whether a float is below a double: below the least float that is not less than it.
float LeastNotBelow(double x) {
  const float rounded = static_cast<float>(x);
  return static_cast<double>(rounded) < x ? std::nextafter(rounded, HUGE_VALF) : rounded;
}

struct Terms {
  V num, den;
};

HWY_INLINE Terms TermsOf(const V (&m)[kMoments], const FloatVifPixel& pixel, V noise) {
  const V zero = hn::Zero(D()), epsilon = Set(float_vif::kVifEpsilon);
  V s1 = hn::Max(hn::Sub(m[2], hn::Mul(m[0], m[0])), zero);
  const V s2 = hn::Max(hn::Sub(m[3], hn::Mul(m[1], m[1])), zero);
  const V s12 = hn::Sub(m[4], hn::Mul(m[0], m[1]));
  V gain = hn::Div(s12, hn::Add(s1, epsilon));
  V rest = hn::Sub(s2, hn::Mul(gain, s12));
  const auto flat1 = hn::Lt(s1, epsilon), flat2 = hn::Lt(s2, epsilon);
  gain = hn::IfThenZeroElse(flat1, gain);
  rest = hn::IfThenElse(flat1, s2, rest);
  s1 = hn::IfThenZeroElse(flat1, s1);
  gain = hn::IfThenZeroElse(flat2, gain);
  rest = hn::IfThenZeroElse(flat2, rest);
  const auto inverse = hn::Lt(gain, zero);
  rest = hn::Max(hn::IfThenElse(inverse, s2, rest), epsilon);
  gain = hn::Min(hn::IfThenZeroElse(inverse, gain), Set(pixel.gain_limit));
  V num = NearLog2(OnePlusRatio(hn::Mul(hn::Mul(gain, gain), s1), rest, pixel.noise));
  const V den = NearLog2(OnePlusRatio(s1, zero, pixel.noise));
  num = hn::IfThenZeroElse(hn::Lt(s12, zero), num);
  const auto flat = hn::Lt(s1, noise);
  return {hn::IfThenElse(flat, hn::Sub(Set(1.0f), hn::Mul(s2, Set(pixel.flat_factor))), num),
          hn::IfThenElse(flat, Set(1.0f), den)};
}

// --- Filters

/// The running sums of `count` columns down the rows: arrays[a][k] is the row of tap k of array a.
template <int arrays>
void FilterDown(const std::vector<float>& taps, const float* const (*rows)[arrays], int width, float* const* to) {
  const int count = static_cast<int>(taps.size());
  for (int x = 0; x < width; x += kLanes) {
    V sum[arrays];
    for (int a = 0; a < arrays; ++a) sum[a] = hn::Zero(D());
    for (int k = 0; k < count; ++k) {
      const V tap = Set(taps[k]);
      for (int a = 0; a < arrays; ++a) sum[a] = hn::Add(sum[a], hn::Mul(tap, hn::LoadU(D(), rows[k][a] + x)));
    }
    for (int a = 0; a < arrays; ++a) hn::StoreU(sum[a], D(), to[a] + x);
  }
}

/// A scale of a frame.
class ScaleBand {
 public:
  ScaleBand(const FloatVifLayout& layout, int scale, FloatVifImages& images, FloatVifBuffers& buffers)
      : layout_(layout),
        scale_(scale),
        width_(layout.width(scale)),
        height_(layout.height(scale)),
        images_(images),
        buffers_(buffers) {}

  void Run(RowBand band, std::span<int64_t> words) {
    if (scale_ + 1 < kFloatVifScales)
      for (int y = band.begin + band.begin % 2; y < band.end; y += 2)
        if (y / 2 < layout_.height(scale_ + 1)) MakeNextRow(y);
    if (scale_ == 0 && layout_.skip_scale0) return;
    next_product_ = std::max(band.begin - layout_.radius(scale_), 0);
    for (int y = band.begin; y < band.end; y += FloatVifBuffers::kGroup)
      ScoreRows({y, std::min(y + FloatVifBuffers::kGroup, band.end)}, words);
  }

 private:
  static constexpr int kProducts = 3;
  using Sources = const float* [kMoments];

  const FloatRows& Image(int i) const { return images_.rows[scale_][i]; }

  // --- The next scale

  void MakeNextRow(int y) {
    const std::vector<float>& taps = layout_.taps[scale_ + 1];
    const int radius = layout_.radius(scale_ + 1), next_width = layout_.width(scale_ + 1);
    const float* rows[kMaxTaps][2];
    for (int k = 0; k < static_cast<int>(taps.size()); ++k)
      for (int i = 0; i < 2; ++i) rows[k][i] = Image(i).Row(mirror_index(y + k - radius, height_));
    float* columns[2];
    for (int i = 0; i < 2; ++i) columns[i] = buffers_.columns.Row(i) + layout_.widest_reach();
    FilterDown<2>(taps, rows, width_, columns);
    for (int i = 0; i < 2; ++i) {
      MirrorBefore(columns[i], radius);
      MirrorAfter(columns[i] + width_ - 1, radius);
      FilterEvenColumns(taps, columns[i] - radius, next_width, i, images_.rows[scale_ + 1][i].Row(y / 2));
    }
  }

  /// to[x] = the sum of taps[k] * from[2x + k].
  void FilterEvenColumns(const std::vector<float>& taps, const float* from, int width, int i, float* to) {
    const int count = static_cast<int>(taps.size());
    float* halves[2] = {buffers_.halves.Row(2 * i), buffers_.halves.Row(2 * i + 1)};
    for (int x = 0; x < width + count / 2; ++x) {
      halves[0][x] = from[2 * x];
      halves[1][x] = from[2 * x + 1];
    }
    halves[0][width + count / 2] = from[2 * (width + count / 2)];
    for (int x = 0; x < width; x += kLanes) {
      V sum = hn::Zero(D());
      for (int k = 0; k < count; ++k)
        sum = hn::Add(sum, hn::Mul(Set(taps[k]), hn::LoadU(D(), halves[k % 2] + x + k / 2)));
      hn::StoreU(sum, D(), to + x);
    }
  }

  // --- The scores of this one

  int Ring() const { return 2 * layout_.radius(scale_) + FloatVifBuffers::kGroup; }
  float* Product(int row, int which) { return buffers_.products.Row(kProducts * (row % Ring()) + which); }

  void MakeProducts(int end) {
    for (; next_product_ < end; ++next_product_) {
      const float *r = Image(0).Row(next_product_), *d = Image(1).Row(next_product_);
      float *rr = Product(next_product_, 0), *dd = Product(next_product_, 1), *rd = Product(next_product_, 2);
      for (int x = 0; x < width_; x += kLanes) {
        const V a = hn::LoadU(D(), r + x), b = hn::LoadU(D(), d + x);
        hn::StoreU(hn::Mul(a, a), D(), rr + x);
        hn::StoreU(hn::Mul(b, b), D(), dd + x);
        hn::StoreU(hn::Mul(a, b), D(), rd + x);
      }
    }
  }

  void ScoreRows(RowBand group, std::span<int64_t> words) {
    MakeProducts(std::min(group.end + layout_.radius(scale_), height_));
    for (int y = group.begin; y < group.end; ++y) {
      FilterRow(y);
      ScoreRow(buffers_.terms.Row(2 * (y - group.begin)), buffers_.terms.Row(2 * (y - group.begin) + 1));
    }
    SumRows(group, words);
  }

  float* Columns(int m) { return buffers_.columns.Row(m) + layout_.widest_reach(); }

  void FilterRow(int y) {
    const std::vector<float>& taps = layout_.taps[scale_];
    const int radius = layout_.radius(scale_);
    Sources rows[kMaxTaps];
    for (int k = 0; k < static_cast<int>(taps.size()); ++k) {
      const int row = mirror_index(y + k - radius, height_);
      rows[k][0] = Image(0).Row(row);
      rows[k][1] = Image(1).Row(row);
      for (int p = 0; p < kProducts; ++p) rows[k][2 + p] = Product(row, p);
    }
    float* const columns[kMoments] = {Columns(0), Columns(1), Columns(2), Columns(3), Columns(4)};
    FilterDown<kMoments>(taps, rows, width_, columns);
    for (float* column : columns) {
      MirrorBefore(column, radius);
      MirrorAfter(column + width_ - 1, radius);
    }
  }

  void ScoreRow(float* num, float* den) {
    const std::vector<float>& taps = layout_.taps[scale_];
    const int count = static_cast<int>(taps.size()), radius = layout_.radius(scale_);
    const V noise = Set(LeastNotBelow(layout_.pixel.noise));
    const float* columns[kMoments];
    for (int m = 0; m < kMoments; ++m) columns[m] = Columns(m) - radius;
    for (int x = 0; x < width_; x += kLanes) {
      V moments[kMoments];
      for (int m = 0; m < kMoments; ++m) moments[m] = hn::Zero(D());
      for (int k = 0; k < count; ++k) {
        const V tap = Set(taps[k]);
        for (int m = 0; m < kMoments; ++m)
          moments[m] = hn::Add(moments[m], hn::Mul(tap, hn::LoadU(D(), columns[m] + x + k)));
      }
      const Terms terms = TermsOf(moments, layout_.pixel, noise);
      hn::StoreU(terms.num, D(), num + x);
      hn::StoreU(terms.den, D(), den + x);
    }
  }

  /// A running sum waits for itself; those of several rows do not wait for each other.
  void SumRows(RowBand group, std::span<int64_t> words) {
    constexpr int kSums = 2 * FloatVifBuffers::kGroup;
    float sums[kSums] = {};
    for (int x = 0; x < width_; ++x)
      for (int i = 0; i < kSums; ++i) sums[i] += buffers_.terms.Row(i)[x];
    for (int y = group.begin; y < group.end; ++y) {
      const int i = 2 * (y - group.begin);
      words[y] = FloatVifWord(sums[i], sums[i + 1]);
    }
  }

  static constexpr int kMaxTaps = 69;  // 17 * 4, odd

  const FloatVifLayout& layout_;
  const int scale_, width_, height_;
  FloatVifImages& images_;
  FloatVifBuffers& buffers_;
  int next_product_ = 0;
};

void Band(const FloatVifLayout& layout, int scale, RowBand band, FloatVifImages& images, FloatVifBuffers& buffers,
          std::span<int64_t> words) {
  ScaleBand(layout, scale, images, buffers).Run(band, words);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Band);

void FloatVifBand(const FloatVifLayout& layout, int scale, RowBand band, FloatVifImages& images,
                  FloatVifBuffers& buffers, std::span<int64_t> words) {
  HWY_DYNAMIC_DISPATCH(Band)(layout, scale, band, images, buffers, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
