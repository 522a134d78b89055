// The arithmetic of hdr_math.kernel.h for vectors: the same operations in the same order. Included once per instruction
// set.
#if defined(ACUTANCE_METRIC_HDR_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_HDR_VECTOR_INL_H_
#undef ACUTANCE_METRIC_HDR_VECTOR_INL_H_
#else
#define ACUTANCE_METRIC_HDR_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "metric/blocks/float_power-inl.h"
#include "metric/hdr/hdr.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace hdr_vector {

#if HWY_TARGET != HWY_SCALAR

using namespace hdr;
using namespace float_vector;

using DD = hn::Repartition<double, DF>;

HWY_INLINE int Lanes() { return static_cast<int>(hn::Lanes(DF())); }

/// How many vectors pass through a curve at once: a processor waits for each step of fewer.
constexpr int kTogether = 8;

/// `step(count, x)` for the vectors of a row: `together` at a time, then one at a time.
template <int together, class Step>
HWY_INLINE void ForVectors(int width, const Step& step) {
  int x = 0;
  for (; x + together * Lanes() <= width; x += together * Lanes()) step(std::integral_constant<int, together>(), x);
  for (; x < width; x += Lanes()) step(std::integral_constant<int, 1>(), x);
}

/// Numbers of a row, one of `count` vectors: the last one of a row may have fewer than its lanes, and zeros behind
/// them.
template <int count>
HWY_INLINE VF ReadVector(const float* row, int x, int width) {
  if (count > 1 || x + Lanes() <= width) return Load(row + x);
  HWY_ALIGN float last[hn::MaxLanes(DF())] = {};
  std::copy_n(row + x, width - x, last);
  return hn::Load(DF(), last);
}
template <int count>
HWY_INLINE void WriteVector(VF value, float* row, int x, int width) {
  if (count > 1 || x + Lanes() <= width) return Store(value, row + x);
  HWY_ALIGN float last[hn::MaxLanes(DF())];
  hn::Store(value, DF(), last);
  std::copy_n(last, width - x, row + x);
}

/// The exponent of all of some numbers.
struct Same {
  FloatExponent exponent;
  HWY_INLINE const FloatExponent& operator()(int) const { return exponent; }
};

template <int n>
HWY_INLINE Many<n> PqLight(const Many<n>& encoded) {
  constexpr Same kExponent = {float_exponent(bits_float(kHdrInverseM1))};
  const VF one = Number(1.0f);
  decltype(hn::Lt(one, one)) is_dark[n];
  Many<n> v;
  // Of 2^-21 and less x is below 0, so that one test finds all that is black.
  for (int c = 0; c < n; ++c) v[c] = hn::Min(hn::Max(encoded[c], Number(0x1p-21f)), one);
  const Log2<n> log2 = Log2Of(v);
  for (int c = 0; c < n; ++c) v[c] = hn::Mul(hn::Add(log2.whole[c], log2.part[c]), Bits(kHdrInverseM2));
  const Many<n> h = Exp2Less1(v);
  for (int c = 0; c < n; ++c) {
    const VF k = Number(0.1640625f);
    const VF x = hn::Div(hn::Add(k, h[c]), hn::Sub(k, hn::Mul(Number(18.6875f), h[c])));
    is_dark[c] = hn::Lt(x, Number(0x1p-12f));
    v[c] = hn::IfThenElse(is_dark[c], one, x);
  }
  Many<n> light = Power(v, kExponent);
  for (int c = 0; c < n; ++c) light[c] = hn::IfThenZeroElse(is_dark[c], light[c]);
  return light;
}

template <int n>
HWY_INLINE Many<n> PqEncoded(const Many<n>& light) {
  constexpr Same kExponent = {float_exponent(bits_float(kHdrM1))};
  const VF one = Number(1.0f);
  decltype(hn::Lt(one, one)) is_black[n];
  Many<n> v;
  for (int c = 0; c < n; ++c) {
    is_black[c] = hn::Lt(light[c], Number(0x1p-100f));
    v[c] = hn::IfThenElse(is_black[c], one, light[c]);
  }
  v = Power(v, kExponent);
  for (int c = 0; c < n; ++c) {
    const VF w = hn::IfThenZeroElse(is_black[c], v[c]);
    v[c] = hn::Neg(hn::Div(hn::Mul(Number(0.1640625f), hn::Sub(one, w)), hn::Add(one, hn::Mul(Number(18.6875f), w))));
  }
  v = Log2Of1And(v);
  for (int c = 0; c < n; ++c) v[c] = hn::Mul(Bits(kHdrM2), v[c]);
  return Exp2(v);
}

template <int n>
HWY_INLINE Many<n> PuEncoded(const Many<n>& light) {
  constexpr Same kExponent = {float_exponent(bits_float(kPuPower))};
  const VF one = Number(1.0f);
  Many<n> v, part, z;
  VF whole[n];
  for (int c = 0; c < n; ++c) v[c] = hn::Min(hn::Max(light[c], Bits(0x350637bdu)), one);
  v = Power(v, kExponent);
  for (int c = 0; c < n; ++c) {
    const VF t = hn::Div(hn::Mul(Bits(kPuA1), hn::Sub(v[c], Bits(kPuU0))), hn::Add(one, hn::Mul(Bits(kPuP2), v[c])));
    const VF q = hn::Add(one, t);
    const VI exponent = WholeLog2(q);
    const auto is_0 = hn::RebindMask(DF(), hn::Eq(exponent, hn::Zero(DI())));
    part[c] = hn::IfThenElse(is_0, t, hn::Sub(Scaled(q, exponent), one));
    whole[c] = hn::ConvertTo(DF(), exponent);
  }
  const Many<n> log2 = Log2Of1And(part);
  for (int c = 0; c < n; ++c) {
    z[c] = hn::Mul(hn::Add(whole[c], log2[c]), Bits(kPuP4));
    whole[c] = Nearest(z[c]).number;
    z[c] = hn::Sub(z[c], whole[c]);
  }
  const Many<n> power = Exp2Less1(z);
  for (int c = 0; c < n; ++c) v[c] = hn::Mul(Bits(kPuA), hn::Add(whole[c], hn::Mul(hn::Add(one, whole[c]), power[c])));
  return v;
}

/// A vector of pixels of a video.
struct Pixels {
  VF red, green, blue;

  HWY_INLINE static Pixels Read(const FloatColors& from, int x, int y) {
    return {ReadVector<1>(from.Row(0, y), x, from.width), ReadVector<1>(from.Row(1, y), x, from.width),
            ReadVector<1>(from.Row(2, y), x, from.width)};
  }
  HWY_INLINE VF Luminance(const HdrWeights& weights) const {
    return Weighted(red, green, blue, weights.red, weights.green, weights.blue);
  }
};

/// Of such pixels all differences are 0, which change no sum: black bars, and what an encode leaves as it is.
HWY_INLINE bool AreEqual(const Pixels& a, const Pixels& b) {
  const auto colors = hn::And(hn::Eq(a.red, b.red), hn::Eq(a.green, b.green));
  return hn::AllTrue(DF(), hn::And(colors, hn::Eq(a.blue, b.blue)));
}

/// Adds numbers to sums of columns. Squares of floats are exact in doubles, so that fused operations round as two do.
HWY_INLINE void AddTo(double* columns, VF values, bool squares) {
  const DD d;
  const hn::Half<DF> half;
  const auto lower = hn::PromoteTo(d, hn::LowerHalf(half, values));
  const auto upper = hn::PromoteTo(d, hn::UpperHalf(half, values));
  const auto add = [&](double* to, hn::Vec<DD> value) HWY_ATTR {
    const auto sum = hn::LoadU(d, to);
    hn::StoreU(squares ? hn::MulAdd(value, value, sum) : hn::Add(sum, value), d, to);
  };
  add(columns, lower);
  add(columns + Lanes() / 2, upper);
}

#endif

}  // namespace hdr_vector
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
