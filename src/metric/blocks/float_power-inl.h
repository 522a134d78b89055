// The arithmetic of float_power.kernel.h for vectors: the same operations in the same order. Included once per
// instruction set.
#if defined(ACUTANCE_METRIC_BLOCKS_FLOAT_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_BLOCKS_FLOAT_POWER_INL_H_
#undef ACUTANCE_METRIC_BLOCKS_FLOAT_POWER_INL_H_
#else
#define ACUTANCE_METRIC_BLOCKS_FLOAT_POWER_INL_H_
#endif

#include <hwy/highway.h>

#include "metric/blocks/float_power.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace float_vector {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Bits(uint32_t bits) { return hn::BitCast(DF(), hn::Set(DU(), bits)); }
HWY_INLINE VF Load(const float* from) { return hn::LoadU(DF(), from); }
HWY_INLINE void Store(VF value, float* to) { hn::StoreU(value, DF(), to); }

/// Several numbers at once: each step of all of them, then the next, so that none waits for another.
template <int n>
struct Many {
  VF at[n];
  HWY_INLINE VF& operator[](int i) { return at[i]; }
  HWY_INLINE const VF& operator[](int i) const { return at[i]; }
};

/// Terms `terms - 1` down to `last`.
template <int n, int last = 0, int terms>
HWY_INLINE Many<n> Polynomials(const uint32_t (&factors)[terms], const Many<n>& x) {
  Many<n> p;
  for (int c = 0; c < n; ++c) p[c] = Bits(factors[terms - 1]);
  for (int i = terms - 2; i >= last; --i)
    for (int c = 0; c < n; ++c) p[c] = hn::Add(hn::Mul(p[c], x[c]), Bits(factors[i]));
  return p;
}

template <int n>
HWY_INLINE Many<n> Log2Of1And(const Many<n>& f) {
  Many<n> p = Polynomials(kFloatLog2, f);
  for (int c = 0; c < n; ++c) p[c] = hn::Mul(f[c], p[c]);
  return p;
}

HWY_INLINE VI WholeLog2(VF x) {
  const DI d;
  return hn::ShiftRight<23>(hn::Sub(hn::BitCast(d, x), hn::Set(d, 0x3f3504f3)));
}

HWY_INLINE VF Scaled(VF x, VI whole) {
  return hn::BitCast(DF(), hn::Sub(hn::BitCast(DI(), x), hn::ShiftLeft<23>(whole)));
}

template <int n>
struct Log2 {
  Many<n> whole, part;
};

template <int n>
HWY_INLINE Log2<n> Log2Of(const Many<n>& x) {
  Log2<n> log2;
  Many<n> f;
  for (int c = 0; c < n; ++c) {
    const VI whole = WholeLog2(x[c]);
    f[c] = hn::Sub(Scaled(x[c], whole), Number(1.0f));
    log2.whole[c] = hn::ConvertTo(DF(), whole);
  }
  log2.part = Log2Of1And(f);
  return log2;
}

/// A nearest whole number, and what multiplies by the power of two of it, added to a number's bits.
struct Whole {
  VF number;
  VI exponent;
};

/// The sum's lowest bits are the whole number.
HWY_INLINE Whole Nearest(VF x) {
  const VF magic = Number(FLOAT_WHOLE), sum = hn::Add(x, magic);
  return {hn::Sub(sum, magic), hn::ShiftLeft<23>(hn::BitCast(DI(), sum))};
}

/// 2^g - 1
template <int n>
HWY_INLINE Many<n> Exp2Less1(const Many<n>& g) {
  Many<n> p = Polynomials<n, 1>(kFloatExp2, g);
  for (int c = 0; c < n; ++c) p[c] = hn::Mul(g[c], p[c]);
  return p;
}

/// 2^part is normal and the result, too, so that multiplying by a power of two adds to its exponent.
template <int n>
HWY_INLINE Many<n> TwoTo(const VI (&exponents)[n], const Many<n>& parts) {
  Many<n> result = Polynomials(kFloatExp2, parts);
  for (int c = 0; c < n; ++c) result[c] = hn::BitCast(DF(), hn::Add(hn::BitCast(DI(), result[c]), exponents[c]));
  return result;
}

template <int n>
HWY_INLINE Many<n> Exp2(const Many<n>& x) {
  VI exponents[n];
  Many<n> parts;
  for (int c = 0; c < n; ++c) {
    const Whole whole = Nearest(x[c]);
    exponents[c] = whole.exponent;
    parts[c] = hn::Sub(x[c], whole.number);
  }
  return TwoTo(exponents, parts);
}

/// `exponent(c)` is that of x[c]. Its two parts have 12 bits, so that their products with whole numbers are exact and a
/// fused operation rounds as two do.
template <int n, class Exponent>
HWY_INLINE Many<n> Power(const Many<n>& x, const Exponent& exponent) {
  const Log2<n> log2 = Log2Of(x);
  VI exponents[n];
  Many<n> parts;
  for (int c = 0; c < n; ++c) {
    const FloatExponent& e = exponent(c);
    const VF value = Number(e.value), log2_whole = log2.whole[c], log2_part = log2.part[c];
    const Whole whole = Nearest(hn::Mul(value, hn::Add(log2_whole, log2_part)));
    const VF high = hn::MulSub(Number(e.high), log2_whole, whole.number);
    const VF sum = hn::MulAdd(Number(e.low), log2_whole, high);
    exponents[c] = whole.exponent;
    parts[c] = hn::Add(sum, hn::Mul(value, log2_part));
  }
  return TwoTo(exponents, parts);
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
#if HWY_TARGET == HWY_SCALAR
  const VF below = hn::GatherIndex(DF(), table, place.index), above = hn::GatherIndex(DF(), table + 1, place.index);
#else  // a gather takes as long as its loads, so that one of 64 bits reads both neighbours
  const hn::RepartitionToWide<DI> d;
  const hn::Half<DI> half;
  const auto pairs = [&](auto indices) HWY_ATTR {
    const auto bytes = hn::ShiftLeft<2>(hn::PromoteTo(d, indices));
    return hn::BitCast(DF(), hn::GatherOffset(d, reinterpret_cast<const int64_t*>(table), bytes));
  };
  const VF low = pairs(hn::LowerHalf(half, place.index)), high = pairs(hn::UpperHalf(half, place.index));
  const VF below = hn::ConcatEven(DF(), high, low), above = hn::ConcatOdd(DF(), high, low);
#endif
  return hn::Add(below, hn::Mul(place.share, hn::Sub(above, below)));
}

/// A weighted sum.
HWY_INLINE VF Weighted(VF red, VF green, VF blue, float of_red, float of_green, float of_blue) {
  return hn::Add(hn::Add(hn::Mul(red, Number(of_red)), hn::Mul(green, Number(of_green))),
                 hn::Mul(blue, Number(of_blue)));
}

}  // namespace float_vector
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
