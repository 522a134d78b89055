// The maps of a scale, pixel by pixel, and their sums (docs/spec/beyond.md 3.5). Included once per instruction set.
#if defined(ACUTANCE_SSIMULACRA2_MAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SSIMULACRA2_MAPS_INL_H_
#undef ACUTANCE_SSIMULACRA2_MAPS_INL_H_
#else
#define ACUTANCE_SSIMULACRA2_MAPS_INL_H_
#endif

#include "metric/ssimulacra2/ssimulacra2_colors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && HWY_TARGET <= HWY_AVX2

/// The blurred values of a picture, and the blurred squares of its values.
struct Moments {
  VF mean, square;
};

/// The map of lost structure, not yet clipped at 0; `product` is the blurred product of both pictures' values.
HWY_INLINE VF StructureLoss(const Moments& reference, const Moments& distorted, VF product) {
  const VF one = Number(1.0f);
  const VF mean1 = reference.mean, mean2 = distorted.mean;
  const VF difference = hn::Sub(mean1, mean2), means = hn::Sub(one, hn::Mul(difference, difference));
  const VF covariance = hn::Sub(product, hn::Mul(mean1, mean2));
  const VF above = hn::Add(hn::Mul(Number(2.0f), covariance), Number(0.0009f));
  const VF variance1 = hn::Sub(reference.square, hn::Mul(mean1, mean1));
  const VF variance2 = hn::Sub(distorted.square, hn::Mul(mean2, mean2));
  const VF below = hn::Add(hn::Add(variance1, variance2), Number(0.0009f));
  return hn::Sub(one, hn::Div(hn::Mul(means, above), below));
}

HWY_INLINE VF EdgeOf(VF value, VF mean) { return hn::Abs(hn::Sub(value, mean)); }

/// Above 0 where the distorted picture rings, below 0 where it is blurred.
HWY_INLINE VF EdgeChange(VF reference, VF distorted) {
  return hn::Div(hn::Sub(distorted, reference), hn::Add(Number(1.0f), reference));
}

/// Adds rows of values to the sums of their columns, row after row.
HWY_INLINE void AddValues(const VF* rows, int count, double* sums) {
  const DD d;
  const hn::Half<DF> half;
  VD low = hn::LoadU(d, sums), high = hn::LoadU(d, sums + kLanes / 2);
  for (int i = 0; i < count; ++i) {
    low = hn::Add(low, hn::PromoteTo(d, hn::LowerHalf(half, rows[i])));
    high = hn::Add(high, hn::PromoteTo(d, hn::UpperHalf(half, rows[i])));
  }
  hn::StoreU(low, d, sums);
  hn::StoreU(high, d, sums + kLanes / 2);
}

/// Adds the fourth powers of rows of values to the sums of their columns, row after row.
HWY_INLINE void AddFourthPowers(const VF* rows, int count, double* sums) {
  const DD d;
  const hn::Half<DF> half;
  VD low = hn::LoadU(d, sums), high = hn::LoadU(d, sums + kLanes / 2);
  for (int i = 0; i < count; ++i) {
    const VD a = hn::PromoteTo(d, hn::LowerHalf(half, rows[i])), a2 = hn::Mul(a, a);
    const VD b = hn::PromoteTo(d, hn::UpperHalf(half, rows[i])), b2 = hn::Mul(b, b);
    low = hn::Add(low, hn::Mul(a2, a2));
    high = hn::Add(high, hn::Mul(b2, b2));
  }
  hn::StoreU(low, d, sums);
  hn::StoreU(high, d, sums + kLanes / 2);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SSIMULACRA2_MAPS_INL_H_
