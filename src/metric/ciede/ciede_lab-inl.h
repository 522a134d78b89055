// ciede_math.kernel.h up to Lab, with a pixel in each lane, step by step: every line here stands for
// one there. Included once per instruction set.
#if defined(ACUTANCE_CIEDE_LAB_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_CIEDE_LAB_INL_H_
#undef ACUTANCE_CIEDE_LAB_INL_H_
#else
#define ACUTANCE_CIEDE_LAB_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "metric/ciede/ciede.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;
using hn::Add;
using hn::Div;
using hn::Gt;
using hn::IfThenElse;
using hn::IfThenElseZero;
using hn::Lt;
using hn::Mul;
using hn::Neg;
using hn::Sqrt;
using hn::Sub;

using DF = hn::CappedTag<float, 16>;
using DD = hn::Repartition<double, DF>;
using Floats = hn::Vec<DF>;
using HalfDoubles = hn::Vec<DD>;

/// As many doubles as a vector has floats: the steps of both halves take turns, so that one does
/// not wait for the other.
struct Doubles {
  HalfDoubles low, high;
};

struct Choice {  // by lanes of Doubles
  hn::Mask<DD> low, high;
};

HWY_INLINE Doubles Set(double x) { return {hn::Set(DD(), x), hn::Set(DD(), x)}; }
HWY_INLINE Floats SetF(float x) { return hn::Set(DF(), x); }
HWY_INLINE Doubles Widen(Floats x) {
  const hn::Half<DF> half;
  return {hn::PromoteTo(DD(), hn::LowerHalf(x)), hn::PromoteTo(DD(), hn::UpperHalf(half, x))};
}
HWY_INLINE Floats Narrow(Doubles x) {
  const hn::Half<DF> half;
  return hn::Combine(DF(), hn::DemoteTo(half, x.high), hn::DemoteTo(half, x.low));
}

HWY_INLINE Doubles Add(Doubles a, Doubles b) { return {hn::Add(a.low, b.low), hn::Add(a.high, b.high)}; }
HWY_INLINE Doubles Sub(Doubles a, Doubles b) { return {hn::Sub(a.low, b.low), hn::Sub(a.high, b.high)}; }
HWY_INLINE Doubles Mul(Doubles a, Doubles b) { return {hn::Mul(a.low, b.low), hn::Mul(a.high, b.high)}; }
HWY_INLINE Doubles Div(Doubles a, Doubles b) { return {hn::Div(a.low, b.low), hn::Div(a.high, b.high)}; }
HWY_INLINE Doubles Sqrt(Doubles a) { return {hn::Sqrt(a.low), hn::Sqrt(a.high)}; }
HWY_INLINE Choice Gt(Doubles a, Doubles b) { return {hn::Gt(a.low, b.low), hn::Gt(a.high, b.high)}; }
HWY_INLINE Doubles IfThenElse(Choice c, Doubles a, Doubles b) {
  return {hn::IfThenElse(c.low, a.low, b.low), hn::IfThenElse(c.high, a.high, b.high)};
}
HWY_INLINE bool AllTrue(Choice c) { return hn::AllTrue(DD(), c.low) && hn::AllTrue(DD(), c.high); }

/// a + b * c, rounded twice.
template <class V>
HWY_INLINE V AddProduct(V a, V b, V c) {
  return Add(a, Mul(b, c));
}

// --- Roots

HWY_INLINE Floats FirstRoot(Floats f, int32_t from, float share) {
  const hn::RebindToSigned<DF> di;
  const Floats exponent = Mul(hn::ConvertTo(DF(), hn::BitCast(di, f)), SetF(share));
  return hn::BitCast(DF(), hn::Sub(hn::Set(di, from), hn::ConvertTo(di, exponent)));
}

/// first * (1 + rest * (c1 + rest * (c2 + rest * (c3 + rest * c4)))).
HWY_INLINE Floats BetterRoot(Floats first, Floats rest, float c1, float c2, float c3, float c4) {
  const Floats line = AddProduct(SetF(c3), rest, SetF(c4));
  const Floats square = AddProduct(SetF(c2), rest, line);
  return AddProduct(first, first, Mul(rest, AddProduct(SetF(c1), rest, square)));
}

/// value + value * (h * (c1 + h * c2)).
HWY_INLINE Doubles Refine(Doubles value, Doubles h, double c1, double c2) {
  return AddProduct(value, value, Mul(h, AddProduct(Set(c1), h, Set(c2))));
}

/// power_2_4.
HWY_INLINE Doubles Power(Doubles x) {
  const Floats f = Narrow(x);
  const Floats first = FirstRoot(f, 1277931859, 0.2f);
  const Floats square = Mul(first, first);
  const Floats rest = Sub(SetF(1.0f), Mul(f, Mul(Mul(square, square), first)));
  const Doubles r = Widen(BetterRoot(first, rest, 0.2f, 0.12f, 0.088f, 0.0704f));
  const Doubles xr = Mul(x, r), r2 = Mul(r, r);
  const Doubles h = Sub(Set(1.0), Mul(xr, Mul(r2, r2)));
  return Refine(Mul(Mul(xr, xr), xr), h, 0.6, 0.48);
}

/// cube_root.
HWY_INLINE Doubles CubeRoot(Doubles x) {
  const Floats f = Narrow(x);
  const Floats first = FirstRoot(f, 1419914954, 0.33333334f);
  const Floats rest = Sub(SetF(1.0f), Mul(f, Mul(Mul(first, first), first)));
  const Doubles r = Widen(BetterRoot(first, rest, 0.33333334f, 0.22222222f, 0.17283951f, 0.14403292f));
  const Doubles root = Mul(x, Mul(r, r));
  const Doubles h = Sub(Set(1.0), Mul(root, r));
  return Refine(root, h, 0.6666666666666666, 0.5555555555555556);
}

// --- Lab

/// linear_light.
HWY_INLINE Doubles Light(Doubles x) {
  const Choice above = Gt(x, Set(ciede::kLightThreshold));
  const Doubles power = Power(x);
  if (AllTrue(above)) return power;
  return IfThenElse(above, power, Mul(Sub(x, Set(ciede::kLightOffset)), Set(ciede::kLightSlope)));
}

/// lab_root.
HWY_INLINE Doubles LabRoot(Doubles t) {
  const Choice above = Gt(t, Set(ciede::kLabThreshold));
  Doubles root = CubeRoot(t);
  if (!AllTrue(above)) root = IfThenElse(above, root, Add(Mul(Set(ciede::kLabSlope), t), Set(ciede::kLabOffset)));
  return Widen(Narrow(root));
}

HWY_INLINE Doubles Square(Doubles x) { return Mul(x, x); }

/// chroma_of.
HWY_INLINE Floats ChromaOf(Floats a, Floats b) { return Narrow(Sqrt(Add(Square(Widen(a)), Square(Widen(b))))); }

struct Lab {
  Floats l, a, b, chroma;
};

struct Yuv {
  Doubles y, u, v;
};

HWY_INLINE Doubles WeighLight(const Doubles (&light)[3], int i) {
  return Add(Add(Mul(Set(ciede::kFromRed[i]), light[0]), Mul(Set(ciede::kFromGreen[i]), light[1])),
             Mul(Set(ciede::kFromBlue[i]), light[2]));
}

/// lab_of.
HWY_INLINE Lab LabOf(const Yuv& c, const ciede::CiedeSteps& steps) {
  const Doubles base = Add(Mul(c.y, Set(steps.luma)), Set(ciede::kLightOffset));
  const Doubles green = Sub(base, Add(Mul(c.u, Set(steps.green_u)), Mul(c.v, Set(steps.green_v))));
  const Doubles light[3] = {Light(AddProduct(base, c.v, Set(steps.red_v))), Light(green),
                            Light(AddProduct(base, c.u, Set(steps.blue_u)))};
  const Doubles fx = LabRoot(WeighLight(light, 0));
  const Doubles fy = LabRoot(WeighLight(light, 1));
  const Doubles fz = LabRoot(WeighLight(light, 2));
  const Floats a = Narrow(Mul(Set(500.0), Sub(fx, fy))), b = Narrow(Mul(Set(200.0), Sub(fy, fz)));
  return {Narrow(Sub(Mul(Set(116.0), fy), Set(16.0))), a, b, ChromaOf(a, b)};
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_CIEDE_LAB_INL_H_
