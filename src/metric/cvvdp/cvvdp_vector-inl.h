// The arithmetic of cvvdp_math.kernel.h for vectors: the same operations in the same order. Included once per
// instruction set.
#if defined(ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_
#undef ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_
#else
#define ACUTANCE_METRIC_CVVDP_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include "metric/cvvdp/cvvdp_input.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace cvvdp_vector {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cvvdp;

using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Bits(uint32_t bits) { return hn::BitCast(DF(), hn::Set(DU(), bits)); }
HWY_INLINE VF Load(const float* from) { return hn::LoadU(DF(), from); }
HWY_INLINE void Store(VF value, float* to) { hn::StoreU(value, DF(), to); }

struct Log2 {
  VF whole, part;
};

HWY_INLINE Log2 Log2Of(VF x) {
  const DI d;
  const VI bits = hn::BitCast(d, x);
  const VI whole = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(d, 0x3f3504f3)));
  const VF f = hn::Sub(hn::BitCast(DF(), hn::Sub(bits, hn::ShiftLeft<23>(whole))), Number(1.0f));
  VF p = Bits(kCvvdpLog2[CVVDP_LOG2_TERMS - 1]);
  for (int i = CVVDP_LOG2_TERMS - 2; i >= 0; --i) p = hn::Add(hn::Mul(p, f), Bits(kCvvdpLog2[i]));
  return {hn::ConvertTo(DF(), whole), hn::Mul(f, p)};
}

/// A nearest whole number, and the power of two of it.
struct Whole {
  VF number, power;
};

/// The sum's lowest bits are the whole number.
HWY_INLINE Whole Nearest(VF x) {
  const DU d;
  const VF magic = Number(12582912.0f), sum = hn::Add(x, magic);
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::BitCast(d, sum), hn::Set(d, 127u)));
  return {hn::Sub(sum, magic), hn::BitCast(DF(), power)};
}

HWY_INLINE VF TwoTo(VF power, VF part) {
  VF p = Bits(kCvvdpExp2[CVVDP_EXP2_TERMS - 1]);
  for (int i = CVVDP_EXP2_TERMS - 2; i >= 0; --i) p = hn::Add(hn::Mul(p, part), Bits(kCvvdpExp2[i]));
  return hn::Mul(p, power);
}

HWY_INLINE VF Exp2(VF x) {
  const Whole whole = Nearest(x);
  return TwoTo(whole.power, hn::Sub(x, whole.number));
}

HWY_INLINE VF Pow(VF x, const CvvdpExponent& exponent) {
  const Log2 log2 = Log2Of(x);
  const VF value = Number(exponent.value);
  const Whole whole = Nearest(hn::Mul(value, hn::Add(log2.whole, log2.part)));
  const VF high = hn::Sub(hn::Mul(Number(exponent.high), log2.whole), whole.number);
  const VF sum = hn::Add(high, hn::Mul(Number(exponent.low), log2.whole));
  return TwoTo(whole.power, hn::Add(sum, hn::Mul(value, log2.part)));
}

HWY_INLINE VF SoftPow(VF x, const CvvdpExponent& exponent) {
  return hn::Sub(Pow(hn::Add(x, Bits(kCvvdpSmall)), exponent), Number(exponent.of_small));
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
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif
