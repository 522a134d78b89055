// The terms of a pixel: terms_of of float_vif_math.kernel.h, step by step. Included once per instruction set.
#if defined(ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_TERMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_TERMS_INL_H_
#undef ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_TERMS_INL_H_
#else
#define ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_TERMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

#include "metric/float_vif/float_vif.h"
#include "metric/float_vif/float_vif_filter-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR  // one lane has no doubles beside floats

/// The logarithms of n vectors, which do not wait for each other.
template <int n>
HWY_INLINE void NearLog2(V (&x)[n]) {
  const hn::RebindToSigned<D> di;
  V fraction[n], sum[n];
  for (int i = 0; i < n; ++i) {
    const auto mantissa = hn::Or(hn::And(hn::BitCast(di, x[i]), hn::Set(di, 0x007fffff)), hn::Set(di, 0x3f800000));
    fraction[i] = hn::Sub(hn::BitCast(D(), mantissa), Set(1.0f));
    sum[i] = Set(float_vif::kLogCoefficients[0]);
  }
  for (int k = 1; k < 8; ++k)
    for (int i = 0; i < n; ++i) sum[i] = hn::Add(hn::Mul(sum[i], fraction[i]), Set(float_vif::kLogCoefficients[k]));
  static_assert(float_vif::kLogCoefficients[8] == 0.0f);  // what it is added to is not -0
  for (int i = 0; i < n; ++i) {
    sum[i] = hn::Mul(sum[i], fraction[i]);
    const auto exponent = hn::Sub(hn::ShiftRight<23>(hn::BitCast(di, hn::Abs(x[i]))), hn::Set(di, 127));
    x[i] = hn::Add(hn::ConvertTo(D(), exponent), sum[i]);
  }
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

/// The options of terms_of.
struct Pixel {
  explicit Pixel(const FloatVifPixel& options)
      : noise(options.noise),
        least_noise(LeastNotBelow(options.noise)),
        flat_factor(options.flat_factor),
        gain_limit(options.gain_limit),
        // Where a variance of at least this noise counts, 1 + variance / noise is exact in double, so that it may be
        // rounded to float at once.
        noise_is_power(options.noise > 1e-6 && std::ldexp(0.5, std::ilogb(options.noise) + 1) == options.noise),
        inverse_noise(static_cast<float>(1 / options.noise)) {}

  double noise;
  float least_noise, flat_factor, gain_limit;
  bool noise_is_power;  // of two
  float inverse_noise;
};

constexpr int kColumns = 2;  // side by side

/// Moments of a block of columns, then what is made of them.
struct Block {
  enum { kVariance1 = 2, kVariance2, kCovariance };  // which take the place of moments

  HWY_INLINE V Load(int moment, int column) const { return hn::Load(D(), moments[moment] + column * kLanes); }
  HWY_INLINE void Store(V value, int moment, int column) { hn::Store(value, D(), moments[moment] + column * kLanes); }

  alignas(64) float moments[kMoments][kBlock * kLanes];
  alignas(64) float logs[kBlock / kColumns][2 * kColumns][kLanes];  // of pairs of columns: their nums, then their dens
};

/// Variances of a column in the place of its moments; returns that of the reference.
HWY_INLINE V MakeVariances(Block& block, int column) {
  const V m0 = block.Load(0, column), m1 = block.Load(1, column);
  const V s1 = hn::Max(hn::Sub(block.Load(2, column), hn::Mul(m0, m0)), hn::Zero(D()));
  const V textured = hn::IfThenZeroElse(hn::Lt(s1, Set(float_vif::kVifEpsilon)), s1);
  block.Store(textured, Block::kVariance1, column);
  block.Store(hn::Max(hn::Sub(block.Load(3, column), hn::Mul(m1, m1)), hn::Zero(D())), Block::kVariance2, column);
  block.Store(hn::Sub(block.Load(4, column), hn::Mul(m0, m1)), Block::kCovariance, column);
  return textured;
}

/// What num and den of a column are logarithms of. Where s1 is zeroed, the gain does not matter.
HWY_INLINE void MakeRatios(Block& block, int column, const Pixel& pixel) {
  const V one = Set(1.0f), epsilon = Set(float_vif::kVifEpsilon);
  const V s1 = block.Load(Block::kVariance1, column), s12 = block.Load(Block::kCovariance, column);
  const V gain = hn::Div(s12, hn::Add(s1, epsilon));
  const V rest = hn::Max(hn::Sub(block.Load(Block::kVariance2, column), hn::Mul(gain, s12)), epsilon);
  const V limited = hn::Min(gain, Set(pixel.gain_limit));
  const V num = OnePlusRatio(hn::Mul(hn::Mul(limited, limited), s1), rest, pixel.noise);
  const V den = pixel.noise_is_power ? hn::Add(one, hn::Mul(s1, Set(pixel.inverse_noise)))
                                     : OnePlusRatio(s1, hn::Zero(D()), pixel.noise);
  hn::Store(num, D(), block.logs[column / kColumns][column % kColumns]);
  hn::Store(den, D(), block.logs[column / kColumns][kColumns + column % kColumns]);
}

HWY_INLINE void TakeLogs(float (&logs)[2 * kColumns][kLanes]) {
  V v[2 * kColumns];
  for (int i = 0; i < 2 * kColumns; ++i) v[i] = hn::Load(D(), logs[i]);
  NearLog2(v);
  for (int i = 0; i < 2 * kColumns; ++i) hn::Store(v[i], D(), logs[i]);
}

/// Logarithms of the first `count` columns and, where not all pixels of a pair of columns are flat, of the next one.
/// Those of a pair beside the ratios of the next one: divisions and chains of operations, which processors overlap.
HWY_INLINE void MakeLogs(Block& block, int count, const Pixel& pixel) {
  int pending = -1;
  for (int x = 0; x < count; x += kColumns) {
    const V s1 = hn::Max(MakeVariances(block, x), MakeVariances(block, x + 1));
    if (hn::AllTrue(D(), hn::Lt(s1, Set(pixel.least_noise)))) continue;
    for (int i = 0; i < kColumns; ++i) MakeRatios(block, x + i, pixel);
    if (pending >= 0) TakeLogs(block.logs[pending]);
    pending = x / kColumns;
  }
  if (pending >= 0) TakeLogs(block.logs[pending]);
}

/// Adds a column's terms. What terms_of does to gain and rest where the covariance is negative or a variance is next to
/// nothing makes num 0. Where a pixel is flat, its logarithms may be anything.
HWY_INLINE void AddColumn(const Block& block, int column, const Pixel& pixel, V& num, V& den) {
  const V one = Set(1.0f), s2 = block.Load(Block::kVariance2, column);
  const auto flat = hn::Lt(block.Load(Block::kVariance1, column), Set(pixel.least_noise));
  const auto nothing =
      hn::Or(hn::Lt(block.Load(Block::kCovariance, column), hn::Zero(D())), hn::Lt(s2, Set(float_vif::kVifEpsilon)));
  const float(&logs)[2 * kColumns][kLanes] = block.logs[column / kColumns];
  const V textured_num = hn::IfThenZeroElse(nothing, hn::Load(D(), logs[column % kColumns]));
  num = hn::Add(num, hn::IfThenElse(flat, hn::Sub(one, hn::Mul(s2, Set(pixel.flat_factor))), textured_num));
  den = hn::Add(den, hn::IfThenElse(flat, one, hn::Load(D(), logs[kColumns + column % kColumns])));
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_TERMS_INL_H_
