// Samples of pictures as vectors of integers. Included once per instruction set.
#if defined(ACUTANCE_SIMD_SAMPLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SIMD_SAMPLES_INL_H_
#undef ACUTANCE_SIMD_SAMPLES_INL_H_
#else
#define ACUTANCE_SIMD_SAMPLES_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Samples of 8 or 16 bits, one in each lane of `d`; int16 lanes hold those above 32767 modulo 2^16.
template <class D, class Sample>
HWY_INLINE hn::Vec<D> LoadSamples(D d, const Sample* from) {
  const auto samples = hn::LoadU(hn::Rebind<Sample, D>(), from);
  if constexpr (sizeof(Sample) == sizeof(hn::TFromD<D>)) return hn::BitCast(d, samples);
  else return hn::PromoteTo(d, samples);
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SIMD_SAMPLES_INL_H_
