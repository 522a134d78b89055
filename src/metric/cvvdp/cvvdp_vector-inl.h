// The arithmetic of cvvdp_math.kernel.h for vectors: the same operations in the same order. Included once per
// instruction set.
#if defined(ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_
#undef ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_
#else
#define ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include "metric/blocks/float_power-inl.h"
#include "metric/cvvdp/cvvdp_input.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace cvvdp_vector {

using namespace cvvdp;
using namespace float_vector;

template <int n, class Exponent>
HWY_INLINE Many<n> SoftPow(const Many<n>& x, const Exponent& exponent) {
  Many<n> more;
  for (int c = 0; c < n; ++c) more[c] = hn::Add(x[c], Bits(kCvvdpSmall));
  Many<n> result = Power(
      more, [&](int c) -> const auto& { return exponent(c).exponent; });
  for (int c = 0; c < n; ++c) result[c] = hn::Sub(result[c], Number(exponent(c).of_small));
  return result;
}

HWY_INLINE VF Clamp(VF x, float least, float most) { return hn::Min(hn::Max(x, Number(least)), Number(most)); }

/// A place in a table.
struct Place {
  VI index;
  VF share;
};

/// `last`: the last interval.
HWY_INLINE Place PlaceOf(VF x, int last) {
  const DI d;
  const VI index = hn::Min(hn::ConvertTo(d, x), hn::Set(d, last));
  return {index, hn::Sub(x, hn::ConvertTo(DF(), index))};
}

HWY_INLINE VF Between(const float* table, const Place& place) {
  const VF below = hn::GatherIndex(DF(), table, place.index), above = hn::GatherIndex(DF(), table + 1, place.index);
  return hn::Add(below, hn::Mul(place.share, hn::Sub(above, below)));
}

HWY_INLINE VF Channel(VF red, VF green, VF blue, float of_red, float of_green, float of_blue) {
  return hn::Add(hn::Add(hn::Mul(red, Number(of_red)), hn::Mul(green, Number(of_green))),
                 hn::Mul(blue, Number(of_blue)));
}

}  // namespace cvvdp_vector
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
