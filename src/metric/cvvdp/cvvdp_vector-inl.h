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

}  // namespace cvvdp_vector
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
