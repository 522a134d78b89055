// ciede_math.kernel.h with a pixel in each lane, step by step: every line here stands for one
// there. Included once per instruction set.
#if defined(ACUTANCE_CIEDE_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_CIEDE_VECTOR_INL_H_
#undef ACUTANCE_CIEDE_VECTOR_INL_H_
#else
#define ACUTANCE_CIEDE_VECTOR_INL_H_
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
using hn::Abs;
using hn::Add;
using hn::Div;
using hn::Eq;
using hn::Gt;
using hn::IfThenElse;
using hn::IfThenElseZero;
using hn::IfThenZeroElse;
using hn::Lt;
using hn::Mul;
using hn::Neg;
using hn::Or;
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

struct Bits {
  hn::Vec<hn::RebindToUnsigned<DD>> low, high;
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
HWY_INLINE Doubles Abs(Doubles a) { return {hn::Abs(a.low), hn::Abs(a.high)}; }
HWY_INLINE Doubles Neg(Doubles a) { return {hn::Neg(a.low), hn::Neg(a.high)}; }
HWY_INLINE Choice Gt(Doubles a, Doubles b) { return {hn::Gt(a.low, b.low), hn::Gt(a.high, b.high)}; }
HWY_INLINE Choice Lt(Doubles a, Doubles b) { return {hn::Lt(a.low, b.low), hn::Lt(a.high, b.high)}; }
HWY_INLINE Choice Le(Doubles a, Doubles b) { return {hn::Le(a.low, b.low), hn::Le(a.high, b.high)}; }
HWY_INLINE Doubles IfThenElse(Choice c, Doubles a, Doubles b) {
  return {hn::IfThenElse(c.low, a.low, b.low), hn::IfThenElse(c.high, a.high, b.high)};
}
HWY_INLINE Doubles IfThenElseZero(Choice c, Doubles a) {
  return {hn::IfThenElseZero(c.low, a.low), hn::IfThenElseZero(c.high, a.high)};
}
HWY_INLINE Bits BitsOf(Doubles a) {
  const hn::RebindToUnsigned<DD> du;
  return {hn::BitCast(du, a.low), hn::BitCast(du, a.high)};
}

/// a + b * c, rounded twice.
template <class V>
HWY_INLINE V AddProduct(V a, V b, V c) {
  return Add(a, Mul(b, c));
}

/// coefficients[0] + w * (coefficients[1] + ...).
template <size_t n>
HWY_INLINE Doubles Series(const double (&coefficients)[n], Doubles w) {
  Doubles sum = Set(coefficients[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = AddProduct(Set(coefficients[i]), w, sum);
  return sum;
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

HWY_INLINE Doubles Refine(Doubles value, Doubles h, double c1, double c2, double c3) {
  const Doubles line = AddProduct(Set(c2), h, Set(c3));
  return AddProduct(value, value, Mul(h, AddProduct(Set(c1), h, line)));
}

/// power_2_4.
HWY_INLINE Doubles Power(Doubles x) {
  const Floats f = Narrow(x);
  const Floats first = FirstRoot(f, 1277931859, 0.2f);
  const Floats square = Mul(first, first);
  const Floats rest = Sub(SetF(1.0f), Mul(f, Mul(Mul(square, square), first)));
  const Doubles r = Widen(BetterRoot(first, rest, 0.2f, 0.12f, 0.088f, 0.0704f));
  const Doubles r2 = Mul(r, r);
  const Doubles h = Sub(Set(1.0), Mul(x, Mul(Mul(r2, r2), r)));
  const Doubles xr = Mul(x, r);
  return Refine(Mul(Mul(xr, xr), xr), h, 0.6, 0.48, 0.416);
}

/// cube_root.
HWY_INLINE Doubles CubeRoot(Doubles x) {
  const Floats f = Narrow(x);
  const Floats first = FirstRoot(f, 1419914954, 0.33333334f);
  const Floats rest = Sub(SetF(1.0f), Mul(f, Mul(Mul(first, first), first)));
  const Doubles r = Widen(BetterRoot(first, rest, 0.33333334f, 0.22222222f, 0.17283951f, 0.14403292f));
  const Doubles r2 = Mul(r, r);
  const Doubles h = Sub(Set(1.0), Mul(x, Mul(r2, r)));
  return Refine(Mul(x, r2), h, 0.6666666666666666, 0.5555555555555556, 0.49382716049382713);
}

// --- Lab

/// linear_light.
HWY_INLINE Doubles Light(Doubles c) {
  const Doubles power = Power(Mul(Add(c, Set(0.055)), Set(ciede::kLightScale)));
  return IfThenElse(Gt(c, Set(ciede::kLightThreshold)), power, Mul(c, Set(ciede::kLightSlope)));
}

/// lab_root, as doubles.
HWY_INLINE Doubles LabRoot(Doubles t) {
  const Doubles line = Mul(Add(Mul(Set(ciede::kLabSlope), t), Set(16.0)), Set(ciede::kLabScale));
  return Widen(Narrow(IfThenElse(Gt(t, Set(ciede::kLabThreshold)), CubeRoot(t), line)));
}

struct Lab {
  Floats l, a, b;
};

struct Yuv {
  Doubles y, u, v;
};

HWY_INLINE Doubles WeighLight(const Doubles (&light)[3], double red, double green, double blue) {
  return Add(Add(Mul(Set(red), light[0]), Mul(Set(green), light[1])), Mul(Set(blue), light[2]));
}

HWY_INLINE Lab LabOf(const Yuv& c) {
  const Doubles light[3] = {Light(AddProduct(c.y, Set(1.28033), c.v)),
                            Light(Sub(Sub(c.y, Mul(Set(0.21482), c.u)), Mul(Set(0.38059), c.v))),
                            Light(AddProduct(c.y, Set(2.12798), c.u))};
  const Doubles x = WeighLight(light, 0.4124564390896921, 0.357576077643909, 0.18043748326639894);
  const Doubles y = WeighLight(light, 0.21267285140562248, 0.715152155287818, 0.07217499330655958);
  const Doubles z = WeighLight(light, 0.019333895582329317, 0.119192025881303, 0.9503040785363677);
  const Doubles fx = LabRoot(Mul(x, Set(ciede::kWhiteX)));
  const Doubles fy = LabRoot(y);
  const Doubles fz = LabRoot(Mul(z, Set(ciede::kWhiteZ)));
  return {Narrow(Sub(Mul(Set(116.0), fy), Set(16.0))), Narrow(Mul(Set(500.0), Sub(fx, fy))),
          Narrow(Mul(Set(200.0), Sub(fy, fz)))};
}

// --- The difference

HWY_INLINE Doubles Square(Doubles x) { return Mul(x, x); }

HWY_INLINE Floats ChromaOf(Floats a, Floats b) { return Narrow(Sqrt(Add(Square(Widen(a)), Square(Widen(b))))); }

HWY_INLINE Doubles SeventhPower(Doubles x) {
  const Doubles x2 = Square(x);
  return Mul(Mul(Mul(x2, x2), x2), x);
}

HWY_INLINE Doubles AngleOf(Doubles y, Doubles x) {
  const Doubles y_size = Abs(y), x_size = Abs(x);
  const Choice steep = Gt(y_size, x_size);
  const Doubles more = IfThenElse(steep, y_size, x_size);
  const Doubles less = IfThenElse(steep, x_size, y_size);
  const Choice wide = Gt(less, Mul(more, Set(0.41421356237309503)));
  const Doubles over = IfThenElse(wide, Sub(less, more), less);
  const Doubles under = IfThenElse(wide, Add(less, more), more);
  const Doubles t = IfThenElseZero(Gt(under, Set(0.0)), Div(over, under));
  const Doubles w = Square(t);
  Doubles angle = AddProduct(t, t, Mul(w, Series(ciede::kAtan, w)));
  angle = IfThenElse(wide, Add(angle, Set(0.7853981633974483)), angle);
  angle = IfThenElse(steep, Sub(Set(1.5707963267948966), angle), angle);
  const Doubles zero = Set(0.0);
  angle = IfThenElse(Lt(x, zero), Sub(Set(ciede::kHalfTurn), angle), angle);
  return IfThenElse(Lt(y, zero), Neg(angle), angle);
}

HWY_INLINE Doubles HalfSine(Doubles x) {
  const Doubles w = Square(x);
  return AddProduct(x, x, Mul(w, Series(ciede::kHalfSine, w)));
}

HWY_INLINE Floats HueOf(Floats a, Floats b) {
  const Floats hue = Narrow(AngleOf(Widen(b), Widen(a)));
  const Floats turned = Narrow(Add(Widen(hue), Set(ciede::kTurn)));
  return IfThenElse(Lt(hue, hn::Zero(DF())), turned, hue);
}

/// Lanes whose bits have bit 1 set have their sign turned.
HWY_INLINE Doubles TurnSign(Doubles x, Bits bits) {
  const hn::RebindToUnsigned<DD> du;
  const auto sign = hn::Set(du, uint64_t{1} << 63);
  return {hn::Xor(x.low, hn::BitCast(DD(), hn::And(hn::ShiftLeft<62>(bits.low), sign))),
          hn::Xor(x.high, hn::BitCast(DD(), hn::And(hn::ShiftLeft<62>(bits.high), sign)))};
}

HWY_INLINE Choice IsOdd(Bits bits) {
  const auto one = hn::Set(hn::RebindToUnsigned<DD>(), uint64_t{1});
  return {hn::RebindMask(DD(), hn::Eq(hn::And(bits.low, one), one)),
          hn::RebindMask(DD(), hn::Eq(hn::And(bits.high, one), one))};
}

HWY_INLINE Bits Next(Bits bits) {
  const auto one = hn::Set(hn::RebindToUnsigned<DD>(), uint64_t{1});
  return {hn::Add(bits.low, one), hn::Add(bits.high, one)};
}

/// 2^-k, k in the lowest bits.
HWY_INLINE Doubles PowerOfHalf(Bits bits) {
  const auto one = hn::Set(hn::RebindToUnsigned<DD>(), uint64_t{1023} << 52);
  return {hn::BitCast(DD(), hn::Sub(one, hn::ShiftLeft<52>(bits.low))),
          hn::BitCast(DD(), hn::Sub(one, hn::ShiftLeft<52>(bits.high)))};
}

HWY_INLINE Floats HueWeight(Doubles hue) {
  const Doubles shifted = AddProduct(Set(ciede::kWholeShift), hue, Set(0.6366197723675814));
  const Doubles whole = Sub(shifted, Set(ciede::kWholeShift));
  const Bits quarter = BitsOf(shifted);
  const Doubles r = Sub(Sub(hue, Mul(whole, Set(ciede::kHalfPiHigh))), Mul(whole, Set(ciede::kHalfPiLow)));
  const Doubles w = Square(r);
  const Doubles sine = AddProduct(r, r, Mul(w, Series(ciede::kSine, w)));
  const Doubles half = Sub(Set(0.5), Mul(w, Series(ciede::kCosine, w)));
  const Doubles cosine = Sub(Set(1.0), Mul(w, half));
  const Choice odd = IsOdd(quarter);
  const Doubles c = TurnSign(IfThenElse(odd, sine, cosine), Next(quarter));
  const Doubles s = TurnSign(IfThenElse(odd, cosine, sine), quarter);
  const Doubles two = Set(2.0);
  const Doubles c2 = Sub(Set(1.0), Mul(two, Square(s)));
  const Doubles s2 = Mul(two, Mul(s, c));
  const Doubles c3 = Sub(Mul(c, c2), Mul(s, s2));
  const Doubles s3 = Add(Mul(s, c2), Mul(c, s2));
  const Doubles c4 = Sub(Set(1.0), Mul(two, Square(s2)));
  const Doubles s4 = Mul(two, Mul(s2, c2));
  const Doubles once = Add(Mul(c, Set(0.8660254037844386)), Mul(s, Set(0.5)));
  const Doubles thrice = Sub(Mul(c3, Set(0.9945218953682733)), Mul(s3, Set(0.10452846326765347)));
  const Doubles four = Add(Mul(c4, Set(0.4539904997395468)), Mul(s4, Set(0.8910065241883679)));
  Doubles sum = Sub(Set(1.0), Mul(Set(0.17), once));
  sum = AddProduct(sum, Set(0.24), c2);
  sum = AddProduct(sum, Set(0.32), thrice);
  return Narrow(Sub(sum, Mul(Set(0.20), four)));
}

HWY_INLINE Doubles Decay(Doubles x) {
  const Doubles size = IfThenElse(Lt(x, Set(40.0)), x, Set(40.0));
  const Doubles shifted = AddProduct(Set(ciede::kWholeShift), size, Set(1.4426950408889634));
  const Doubles whole = Sub(shifted, Set(ciede::kWholeShift));
  const Doubles r = AddProduct(Sub(Mul(whole, Set(0.6931471804855391)), size), whole, Set(7.440617110012397e-11));
  const Doubles tail = Mul(Square(r), Series(ciede::kExp, r));
  return Mul(PowerOfHalf(BitsOf(shifted)), Add(Set(1.0), Add(r, tail)));
}

HWY_INLINE Floats Rotation(Floats mean_chroma, Floats mean_hue) {
  const Floats degrees = Narrow(Mul(Widen(mean_hue), Set(57.29577951308232)));
  const Floats distance = Narrow(Mul(Sub(Widen(degrees), Set(275.0)), Set(0.04)));
  const Floats angle = Narrow(Mul(Set(60.0), Decay(Widen(Mul(distance, distance)))));
  const Floats power = Narrow(SeventhPower(Widen(mean_chroma)));
  const Floats share = Div(power, Add(power, SetF(6103515625.0f)));
  const Floats radians = Narrow(Mul(Widen(angle), Set(0.017453292519943295)));
  return Narrow(Mul(Mul(Set(-2.0), Sqrt(Widen(share))), HalfSine(Widen(radians))));
}

struct Hues {
  Floats step, mean;
};

HWY_INLINE Hues CompareHues(Floats hue1, Floats hue2) {
  const Choice across = Gt(Widen(Abs(Sub(hue1, hue2))), Set(ciede::kHalfTurn));
  const Floats step = Sub(hue2, hue1), sum = Add(hue1, hue2);
  const Choice less = Le(Widen(hue2), Widen(hue1));
  const Doubles turn = IfThenElse(less, Set(ciede::kTurn), Set(-ciede::kTurn));
  const Doubles wide_step = IfThenElse(across, Add(Widen(step), turn), Widen(step));
  const Doubles wide_mean = Mul(Add(Widen(sum), Set(ciede::kTurn)), Set(0.5));
  return {Narrow(wide_step), Narrow(IfThenElse(across, wide_mean, Widen(Mul(sum, SetF(0.5f)))))};
}

HWY_INLINE Floats ScaleL(Floats l1, Floats l2) {
  const Floats offset = Sub(Mul(Add(l1, l2), SetF(0.5f)), SetF(50.0f));
  const Doubles square = Square(Widen(offset));
  const Doubles quotient = Div(Mul(Set(0.015), square), Sqrt(Add(Set(20.0), square)));
  return Narrow(Add(Set(1.0), quotient));
}

/// colour_difference.
HWY_INLINE Floats Difference(const Lab& r, const Lab& d) {
  const Floats half = SetF(0.5f);
  const Floats chroma1 = ChromaOf(r.a, r.b), chroma2 = ChromaOf(d.a, d.b);
  const Doubles power = SeventhPower(Widen(Mul(Add(chroma1, chroma2), half)));
  const Doubles g = Sub(Set(1.0), Sqrt(Div(power, Add(power, Set(6103515625.0)))));
  const Floats a1 = Narrow(AddProduct(Widen(r.a), Widen(Mul(r.a, half)), g));
  const Floats a2 = Narrow(AddProduct(Widen(d.a), Widen(Mul(d.a, half)), g));
  const Floats stretched1 = ChromaOf(a1, r.b), stretched2 = ChromaOf(a2, d.b);
  const Floats mean_chroma = Mul(Add(stretched1, stretched2), half);

  const Hues hues = CompareHues(HueOf(a1, r.b), HueOf(a2, d.b));
  const auto zero = hn::Zero(DF());
  const auto grey = Or(Eq(chroma1, zero), Eq(chroma2, zero));
  const Floats hue_step = IfThenZeroElse(grey, hues.step);

  const Doubles wide_chroma = Widen(mean_chroma);
  const Floats scale_c = Narrow(AddProduct(Set(1.0), Set(0.045), wide_chroma));
  const Doubles weight = Widen(HueWeight(Widen(hues.mean)));
  const Floats scale_h = Narrow(AddProduct(Set(1.0), Mul(Set(0.015), wide_chroma), weight));
  const Doubles length = Mul(Set(2.0), Sqrt(Widen(Mul(stretched1, stretched2))));
  const Floats hue_length = Narrow(Mul(length, HalfSine(Widen(Mul(hue_step, half)))));
  const Floats l = Div(Sub(d.l, r.l), Mul(SetF(ciede::kWeightL), ScaleL(r.l, d.l)));
  const Floats c = Div(Sub(stretched2, stretched1), Mul(SetF(ciede::kWeightC), scale_c));
  const Floats h = Div(hue_length, Mul(SetF(ciede::kWeightH), scale_h));
  const Floats turned = Mul(Mul(Rotation(mean_chroma, hues.mean), c), h);
  const Doubles squares = Add(Add(Square(Widen(l)), Square(Widen(c))), Square(Widen(h)));
  return Narrow(Sqrt(Add(squares, Widen(turned))));
}

/// (sample - middle) * scale.
HWY_INLINE Doubles Centred(const uint16_t* samples, double middle, double scale) {
  const hn::Rebind<int32_t, DD> d32;
  const hn::Rebind<uint16_t, DD> d16;
  const auto load = [&](size_t first)
                        HWY_ATTR { return hn::PromoteTo(DD(), hn::PromoteTo(d32, hn::LoadU(d16, samples + first))); };
  return Mul(Sub(Doubles{load(0), load(hn::MaxLanes(DD()))}, Set(middle)), Set(scale));
}

using PixelRows = std::array<std::array<std::vector<uint16_t>, 3>, 2>;

/// The colour differences of `count` pixels; whole vectors are written.
inline void Differences(const PixelRows& pixels, int bit_depth, int count, float* differences) {
  const double unit = 1 << (bit_depth - 8);
  const double luma_scale = 1.0 / (219 * unit), chroma_scale = 1.0 / (224 * unit);
  const auto lab = [&](int video, int i) HWY_ATTR {
    const auto& planes = pixels[video];
    return LabOf({Centred(planes[0].data() + i, 16 * unit, luma_scale),
                  Centred(planes[1].data() + i, 128 * unit, chroma_scale),
                  Centred(planes[2].data() + i, 128 * unit, chroma_scale)});
  };
  for (int i = 0; i < count; i += static_cast<int>(hn::MaxLanes(DF())))
    hn::StoreU(Difference(lab(0, i), lab(1, i)), DF(), differences + i);
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_CIEDE_VECTOR_INL_H_
