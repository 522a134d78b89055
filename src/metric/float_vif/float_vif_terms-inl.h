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
  for (int k = 1; k < 9; ++k)
    for (int i = 0; i < n; ++i) sum[i] = hn::Add(hn::Mul(sum[i], fraction[i]), Set(float_vif::kLogCoefficients[k]));
  for (int i = 0; i < n; ++i) {
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

constexpr int kColumns = 2;  // whose terms are computed side by side

struct Variances {
  V s1, s2, s12;
};

HWY_INLINE Variances VariancesOf(const float (&moments)[kMoments][kBlock * kLanes], int column) {
  V m[kMoments];
  for (int k = 0; k < kMoments; ++k) m[k] = hn::Load(D(), moments[k] + column * kLanes);
  const V s1 = hn::Max(hn::Sub(m[2], hn::Mul(m[0], m[0])), hn::Zero(D()));
  return {hn::IfThenZeroElse(hn::Lt(s1, Set(float_vif::kVifEpsilon)), s1),
          hn::Max(hn::Sub(m[3], hn::Mul(m[1], m[1])), hn::Zero(D())), hn::Sub(m[4], hn::Mul(m[0], m[1]))};
}

/// What num and den are logarithms of. Where s1 is zeroed, the gain does not matter.
HWY_INLINE void RatiosOf(const Variances& v, const Pixel& pixel, V& num, V& den) {
  const V one = Set(1.0f), epsilon = Set(float_vif::kVifEpsilon);
  const V gain = hn::Div(v.s12, hn::Add(v.s1, epsilon));
  const V rest = hn::Max(hn::Sub(v.s2, hn::Mul(gain, v.s12)), epsilon);
  const V limited = hn::Min(gain, Set(pixel.gain_limit));
  num = OnePlusRatio(hn::Mul(hn::Mul(limited, limited), v.s1), rest, pixel.noise);
  den = pixel.noise_is_power ? hn::Add(one, hn::Mul(v.s1, Set(pixel.inverse_noise)))
                             : OnePlusRatio(v.s1, hn::Zero(D()), pixel.noise);
}

/// logs[i] is num of column i, logs[kColumns + i] its den. What terms_of does to gain and rest where the covariance is
/// negative or a variance is next to nothing makes num 0.
HWY_INLINE void TermsOf(const Variances (&v)[kColumns], const Pixel& pixel, V (&logs)[2 * kColumns]) {
  const V one = Set(1.0f), noise = Set(pixel.least_noise);
  const bool all_flat = hn::AllTrue(D(), hn::Lt(hn::Max(v[0].s1, v[1].s1), noise));
  if (!all_flat) {
    for (int i = 0; i < kColumns; ++i) RatiosOf(v[i], pixel, logs[i], logs[kColumns + i]);
    NearLog2(logs);
  }
  for (int i = 0; i < kColumns; ++i) {
    const V flat_num = hn::Sub(one, hn::Mul(v[i].s2, Set(pixel.flat_factor)));
    if (all_flat) {
      logs[i] = flat_num;
      logs[kColumns + i] = one;
      continue;
    }
    const auto flat = hn::Lt(v[i].s1, noise);
    const auto nothing = hn::Or(hn::Lt(v[i].s12, hn::Zero(D())), hn::Lt(v[i].s2, Set(float_vif::kVifEpsilon)));
    logs[i] = hn::IfThenElse(flat, flat_num, hn::IfThenZeroElse(nothing, logs[i]));
    logs[kColumns + i] = hn::IfThenElse(flat, one, logs[kColumns + i]);
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_TERMS_INL_H_
