// ciede_math.kernel.h up to Lab, with a pixel in each lane, step by step: every line here stands for
// one there. Included once per instruction set.
#if defined(ACUTANCE_CIEDE_DIFFERENCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_CIEDE_DIFFERENCE_INL_H_
#undef ACUTANCE_CIEDE_DIFFERENCE_INL_H_
#else
#define ACUTANCE_CIEDE_DIFFERENCE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "metric/ciede/ciede.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
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

// --- The difference of two colours as ciede_math.kernel.h has it, with a pixel in each lane, step by step.

HWY_INLINE Floats Select(hn::Mask<DF> mask, Floats a, Floats b) { return hn::IfThenElse(mask, a, b); }

/// product_error.
HWY_INLINE Floats ProductError(Floats a, Floats b, Floats product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, product);
#else
  return Narrow(Sub(Mul(Widen(a), Widen(b)), Widen(product)));
#endif
}

/// add_turn.
HWY_INLINE Floats AddTurn(Floats whole, Floats whole_low, Floats part) {
  const Floats sum = Add(whole, part);
  return Add(sum, Add(Add(Sub(whole, sum), part), whole_low));
}

/// coefficients[0] + x * (coefficients[1] + ...).
template <size_t n>
HWY_INLINE Floats SeriesF(const float (&coefficients)[n], Floats x) {
  Floats sum = SetF(coefficients[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = AddProduct(SetF(coefficients[i]), x, sum);
  return sum;
}

using Places = hn::Vec<hn::RebindToSigned<DF>>;

/// table[place] in each lane.
HWY_INLINE Floats LookUp(const float (&table)[8], Places places) {
  if constexpr (hn::MaxLanes(DF()) == 16)
    return hn::TableLookupLanes(hn::ZeroExtendVector(DF(), hn::LoadU(hn::Half<DF>(), table)),
                                hn::IndicesFromVec(DF(), places));
  else if constexpr (hn::MaxLanes(DF()) == 8)
    return hn::TableLookupLanes(hn::LoadU(DF(), table), hn::IndicesFromVec(DF(), places));
  else return hn::GatherIndex(DF(), table, places);
}

/// hue_of.
HWY_INLINE Floats HueOf(Floats a, Floats b) {
  const Floats zero = hn::Zero(DF());
  const Floats a_size = hn::Abs(a), b_size = hn::Abs(b);
  const auto steep = Gt(b_size, a_size), left = Lt(a, zero);
  const Floats less = hn::Min(a_size, b_size), more = hn::Max(hn::Max(a_size, b_size), SetF(ciede::kTiny));
  const Floats eighths = hn::Min(Mul(Div(less, more), SetF(8.0f)), SetF(7.5f));
  const Places place = hn::ConvertTo(hn::RebindToSigned<DF>(), eighths);
  const Floats minus = IfThenElseZero(hn::Xor(steep, left), SetF(-0.0f));
  const Doubles wide_more = Widen(more), y = Widen(hn::Xor(less, minus));
  const Floats step = AddProduct(SetF(0.0625f), hn::ConvertTo(DF(), place), SetF(0.125f));
  const Doubles tangent = Widen(hn::Xor(step, minus));
  const Doubles rest = Div(Sub(y, Mul(tangent, wide_more)), AddProduct(wide_more, tangent, y));
  const Floats x = Narrow(rest);
  const Floats w = Mul(x, x);
  const Floats bend = Mul(Mul(x, w), SeriesF(ciede::kAtan, w));
  const Floats base = Select(steep, SetF(ciede::kRight), IfThenElseZero(left, SetF(ciede::kHalfTurn)));
  const Floats base_low = Select(steep, SetF(ciede::kRightLow), IfThenElseZero(left, SetF(ciede::kHalfTurnLow)));
  const Floats high = Add(base, hn::Xor(LookUp(ciede::kAngle, place), minus));
  const Floats low = Add(base_low, Add(hn::Xor(LookUp(ciede::kAngleLow, place), minus), bend));
  const Floats angle = Narrow(Add(Widen(high), Add(rest, Widen(low))));
  const Floats turned = AddTurn(SetF(ciede::kFullTurn), SetF(ciede::kFullTurnLow), Neg(angle));
  return Select(Lt(b, zero), turned, angle);
}

/// sine_rest.
HWY_INLINE Floats SineRest(Floats x) {
  const Floats w = Mul(x, x);
  return Mul(Mul(x, w), SeriesF(ciede::kHalfSine, w));
}

/// hue_weight.
HWY_INLINE Floats HueWeight(Floats hue) {
  const hn::RebindToUnsigned<DF> du;
  const Floats shifted = AddProduct(SetF(ciede::kWholeShift), hue, SetF(0.63661975f));
  const Floats whole = Sub(shifted, SetF(ciede::kWholeShift));
  const auto quarter = hn::BitCast(du, shifted);
  const Floats near = Sub(Sub(hue, Mul(whole, SetF(1.5703125f))), Mul(whole, SetF(0.0004838109f)));
  const Floats r = Sub(near, Mul(whole, SetF(1.5893255e-8f)));
  const Floats w = Mul(r, r);
  const Floats sine = AddProduct(r, Mul(r, w), SeriesF(ciede::kSine, w));
  const Floats cosine = Sub(SetF(1.0f), Mul(w, Sub(SetF(0.5f), Mul(w, SeriesF(ciede::kCosine, w)))));
  const auto one = hn::Set(du, 1u);
  const auto odd = hn::RebindMask(DF(), hn::Eq(hn::And(quarter, one), one));
  const auto sign = [&](auto bits) HWY_ATTR {
    return hn::BitCast(DF(), hn::And(hn::ShiftLeft<30>(bits), hn::Set(du, 0x80000000u)));
  };
  const Floats c = hn::Xor(Select(odd, sine, cosine), sign(hn::Add(quarter, one)));
  const Floats s = hn::Xor(Select(odd, cosine, sine), sign(quarter));
  const Floats part = AddProduct(SeriesF(ciede::kEven, c), s, SeriesF(ciede::kOdd, c));
  return Add(part, AddProduct(SeriesF(ciede::kEvenLow, c), s, SeriesF(ciede::kOddLow, c)));
}

/// decay.
HWY_INLINE Floats Decay(Floats x) {
  const hn::RebindToUnsigned<DF> du;
  const Floats shifted = AddProduct(SetF(ciede::kWholeShift), x, SetF(1.442695f));
  const Floats whole = Sub(shifted, SetF(ciede::kWholeShift));
  const Floats r = Sub(Sub(Mul(whole, SetF(0.69317627f)), x), Mul(whole, SetF(2.9088971e-5f)));
  const auto halvings = hn::ShiftLeft<23>(hn::BitCast(du, shifted));
  const Floats scale = hn::BitCast(DF(), hn::Sub(hn::Set(du, 127u << 23), halvings));
  return Mul(scale, Add(SetF(1.0f), AddProduct(r, Mul(r, r), SeriesF(ciede::kExp, r))));
}

/// times.
HWY_INLINE Floats Times(Floats x, float factor, float factor_low) {
  const Floats product = Mul(x, SetF(factor));
  return Add(product, AddProduct(ProductError(x, SetF(factor), product), x, SetF(factor_low)));
}

/// blue_distance.
HWY_INLINE Floats BlueDistance(Floats mean_hue) {
  const Floats degrees = Times(mean_hue, ciede::kDegree, ciede::kDegreeLow);
  const Floats distance = Times(Sub(degrees, SetF(275.0f)), ciede::kShareOf25, ciede::kShareOf25Low);
  return Mul(distance, distance);
}

/// rotation.
HWY_INLINE Floats Rotation(Floats mean_chroma, Floats distance) {
  const auto blue = hn::And(Lt(distance, SetF(ciede::kBlueEnd)), Gt(mean_chroma, SetF(ciede::kGreyEnd)));
  if (hn::AllFalse(DF(), blue)) return hn::Zero(DF());
  const Floats radians = Mul(SetF(1.0471976f), Decay(hn::Min(distance, SetF(ciede::kBlueEnd))));
  const Floats chroma2 = Mul(mean_chroma, mean_chroma);
  const Floats power = Mul(Mul(Mul(chroma2, chroma2), chroma2), mean_chroma);
  const Floats root = Sqrt(Div(power, Add(power, SetF(6103515625.0f))));
  return IfThenElseZero(blue, Mul(Mul(SetF(-2.0f), root), Add(radians, SineRest(radians))));
}

/// stretch_of.
HWY_INLINE Doubles StretchOf(Floats mean_chroma) {
  const Doubles x = Widen(mean_chroma), x2 = Square(x);
  const Doubles power = Mul(Mul(Mul(x2, x2), x2), x);
  const Doubles root = Sqrt(Div(power, Add(power, Set(6103515625.0))));
  return Sub(Set(1.5), Mul(Set(0.5), root));
}

/// scale_of.
HWY_INLINE Floats ScaleOf(Floats x, float slope, float slope_low) {
  return Add(SetF(1.0f), AddProduct(Mul(x, SetF(slope)), x, SetF(slope_low)));
}

/// lightness_scale.
HWY_INLINE Floats LightnessScale(Floats l1, Floats l2) {
  const Floats offset = Sub(Mul(Add(l1, l2), SetF(0.5f)), SetF(50.0f));
  const Floats square = Mul(offset, offset);
  return ScaleOf(Div(square, Sqrt(Add(SetF(20.0f), square))), ciede::kSlope, ciede::kSlopeLow);
}

/// hue_length.
HWY_INLINE Floats HueLength(Floats product, Floats x) {
  const Floats root = Sqrt(product);
  const Floats inverse = Div(SetF(0.5f), Add(root, SetF(ciede::kTiny)));
  const Floats root_rest = Mul(Neg(ProductError(root, root, product)), inverse);
  const Floats length = Mul(root, x);
  const Floats rest = AddProduct(Mul(root, SineRest(x)), root_rest, x);
  return Mul(SetF(2.0f), Add(length, Add(ProductError(root, x, length), rest)));
}

struct Hues {
  Floats step, mean;
};

HWY_INLINE Hues CompareHues(Floats hue1, Floats hue2) {
  const Floats turn = SetF(ciede::kFullTurn), turn_low = SetF(ciede::kFullTurnLow);
  const auto across = hn::Ge(hn::Abs(Sub(hue1, hue2)), SetF(ciede::kAboveHalfTurn));
  const Floats step = Sub(hue2, hue1), sum = Add(hue1, hue2);
  if (hn::AllFalse(DF(), across)) return {step, Mul(sum, SetF(0.5f))};
  const Floats minus = hn::IfThenZeroElse(hn::Le(hue2, hue1), SetF(-0.0f));
  const Floats far_step = AddTurn(hn::Xor(turn, minus), hn::Xor(turn_low, minus), step);
  const Floats far_sum = AddTurn(hn::Max(sum, turn), turn_low, hn::Min(sum, turn));
  return {Select(across, far_step, step), Mul(Select(across, far_sum, sum), SetF(0.5f))};
}

constexpr int kChunk = CiedeColours::kChunk;

/// What is known of a chunk's pixels on the way to their differences.
struct Steps {
  alignas(64) float a[2][kChunk];  // stretched; then hues
  alignas(64) float b[2][kChunk];
  alignas(64) float chroma[2][kChunk];
  alignas(64) float lightness[kChunk];  // the difference's part
};

using Colours2 = std::array<std::array<CiedeColour, kChunk>, 2>;

/// colour_difference in three loops, whose iterations overlap better than those of a single one.
HWY_NOINLINE void StretchA(const Colours2& colours, int count, Steps& steps) {
  for (int i = 0; i < count; i += static_cast<int>(hn::MaxLanes(DF()))) {
    Lab r, d;
    hn::LoadInterleaved4(DF(), colours[0][i].data(), r.l, r.a, r.b, r.chroma);
    hn::LoadInterleaved4(DF(), colours[1][i].data(), d.l, d.a, d.b, d.chroma);
    const Doubles stretch = StretchOf(Mul(Add(r.chroma, d.chroma), SetF(0.5f)));
    const Floats a1 = Narrow(Mul(Widen(r.a), stretch)), a2 = Narrow(Mul(Widen(d.a), stretch));
    hn::Store(a1, DF(), steps.a[0] + i);
    hn::Store(a2, DF(), steps.a[1] + i);
    hn::Store(r.b, DF(), steps.b[0] + i);
    hn::Store(d.b, DF(), steps.b[1] + i);
    const Floats l = Div(Sub(d.l, r.l), Mul(SetF(ciede::kWeightL), LightnessScale(r.l, d.l)));
    hn::Store(l, DF(), steps.lightness + i);
  }
}

/// Chroma is here and not above, where roots would wait for each other. Calls `alongside` with the video and the first
/// pixel of each vector.
template <class Alongside>
HWY_NOINLINE void FindHues(int count, Steps& steps, Alongside alongside) {
  for (int video = 0; video < 2; ++video)
    for (int i = 0; i < count; i += static_cast<int>(hn::MaxLanes(DF()))) {
      alongside(video, i);
      float* const stretched = steps.a[video] + i;
      const Floats a = hn::Load(DF(), stretched), b = hn::Load(DF(), steps.b[video] + i);
      hn::Store(ChromaOf(a, b), DF(), steps.chroma[video] + i);
      hn::Store(HueOf(a, b), DF(), stretched);
    }
}

/// Returns the running sum of the differences, from `sum` on: it waits for each addition, but while the next ones are
/// computed.
HWY_NOINLINE double Combine(int count, const Steps& steps, double sum, float* differences) {
  constexpr int kLanes = hn::MaxLanes(DF());
  for (int i = 0; i < count; i += kLanes) {
    const Floats half = SetF(0.5f);
    const Floats chroma1 = hn::Load(DF(), steps.chroma[0] + i), chroma2 = hn::Load(DF(), steps.chroma[1] + i);
    const Floats mean_chroma = Mul(Add(chroma1, chroma2), half);
    const Hues hues = CompareHues(hn::Load(DF(), steps.a[0] + i), hn::Load(DF(), steps.a[1] + i));
    const Floats scale_c = ScaleOf(mean_chroma, ciede::kSlopeC, ciede::kSlopeCLow);
    const Floats scale_h = ScaleOf(Mul(mean_chroma, HueWeight(hues.mean)), ciede::kSlope, ciede::kSlopeLow);
    const Floats l = hn::Load(DF(), steps.lightness + i);
    const Floats c = Div(Sub(chroma2, chroma1), Mul(SetF(ciede::kWeightC), scale_c));
    const Floats length = HueLength(Mul(chroma1, chroma2), Mul(hues.step, half));
    const Floats h = Div(length, Mul(SetF(ciede::kWeightH), scale_h));
    const Floats turned = Mul(Mul(Rotation(mean_chroma, BlueDistance(hues.mean)), c), h);
    hn::StoreU(Sqrt(Add(Add(Add(Mul(l, l), Mul(c, c)), Mul(h, h)), turned)), DF(), differences + i);
    for (int x = i; x < std::min(i + kLanes, count); ++x) sum += static_cast<double>(differences[x]);
  }
  return sum;
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_CIEDE_DIFFERENCE_INL_H_
