// Scales 1 to 3 of ADM in 32-bit lanes: bands, decoupling and weights of one row. README.md has the proofs.
#if defined(ACUTANCE_ADM_DETAIL32_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_ADM_DETAIL32_INL_H_
#undef ACUTANCE_ADM_DETAIL32_INL_H_
#else
#define ACUTANCE_ADM_DETAIL32_INL_H_
#endif

#include "metric/adm/adm_detail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

template <int kScale>
HWY_INLINE void LoadBands(const AdmSplitRow& low, const AdmSplitRow& high, int column, V32 (&bands)[kAdmBands]) {
  const SplitPairs from_high(high, column);
  bands[0] = HorizontalLow<kScale>(from_high);
  bands[1] = HorizontalHigh<kScale>(SplitPairs(low, column));
  bands[2] = HorizontalHigh<kScale>(from_high);
}

inline HWY_NOINLINE V32 ExactAngleFlags(const V32 (&o)[kAdmBands], const V32 (&t)[kAdmBands]) {
  const D32 d;
  HWY_ALIGN int32_t oh[kLanes32], ov[kLanes32], th[kLanes32], tv[kLanes32], flags[kLanes32];
  hn::Store(o[0], d, oh);
  hn::Store(o[1], d, ov);
  hn::Store(t[0], d, th);
  hn::Store(t[1], d, tv);
  for (int i = 0; i < kLanes32; ++i) flags[i] = adm::AngleFlag(oh[i], ov[i], th[i], tv[i]) ? -1 : 0;
  return hn::Load(d, flags);
}

/// Inputs and products rounded to float: 5 roundings of 2^-24 at most on the way to dp, om and tm.
HWY_INLINE V32 AngleFlags(const V32 (&o)[kAdmBands], const V32 (&t)[kAdmBands]) {
  const DF d;
  const VF oh = hn::ConvertTo(d, o[0]), ov = hn::ConvertTo(d, o[1]);
  const VF th = hn::ConvertTo(d, t[0]), tv = hn::ConvertTo(d, t[1]);
  const VF dp = hn::Add(hn::Mul(oh, th), hn::Mul(ov, tv));
  const VF om = hn::Add(hn::Mul(oh, oh), hn::Mul(ov, ov));
  const VF tm = hn::Add(hn::Mul(th, th), hn::Mul(tv, tv));
  const AngleTest test = TestAngle<21>(dp, om, tm);
  if (HWY_UNLIKELY(!hn::AllFalse(d, test.ambiguous))) return ExactAngleFlags(o, t);
  return test.Flags();
}

/// bit length - 15 of each lane, 0 where that is negative; lanes below 2^31.
HWY_INLINE VU32 MantissaShift(VU32 v) {
  // Without the bit below the top one, rounding to float cannot carry into the exponent.
  const VU32 top = hn::AndNot(hn::ShiftRight<1>(v), v);
  const VF as_float = hn::ConvertTo(DF(), AsI32(top));
  const V32 exponent = hn::ShiftRight<23>(hn::BitCast(D32(), as_float));
  return AsU32(hn::Max(hn::Sub(exponent, hn::Set(D32(), 127 + 14)), hn::Zero(D32())));
}

/// The restored magnitude: t / o rounded to Q15, times o. `negative` is -1 where o is negative.
HWY_INLINE VU32 Restored32(VU32 o, VU32 t, V32 negative) {
  const DU32 d;
  const D32 di;
  const VU32 one = hn::Set(d, 1u);
  const VU32 shift = MantissaShift(o);
  const VU32 mantissa = hn::Shr(hn::Add(o, hn::ShiftRight<1>(hn::Shl(one, shift))), shift);
  // 2^30 / mantissa, for a mantissa above 16384: the float quotient rounds up at most past one integer.
  const V32 m = AsI32(mantissa);
  V32 reciprocal = hn::ConvertTo(di, hn::Div(hn::Set(DF(), 1073741824.0f), hn::ConvertTo(DF(), m)));
  const V32 rest = hn::Sub(hn::Set(di, 1 << 30), hn::Mul(reciprocal, m));
  reciprocal = hn::Add(reciprocal, hn::ShiftRight<31>(rest));

  // (P + 2^(14 + shift)) >> (15 + shift) = ((P >> (14 + shift)) + 1) >> 1; the ratio is 1 long before t = 2 o.
  const Wide product = MulWide(AsU32(reciprocal), hn::Min(t, hn::Add(o, o)));
  const VU32 count = hn::Add(shift, hn::Set(d, 14u));
  const VU64 count_even = hn::And(hn::BitCast(DU64(), count), hn::Set(DU64(), 0xffffffffu));
  const Wide shifted{hn::Shr(product.even, count_even), hn::Shr(product.odd, OddToEven(count))};
  const VU32 ratio = hn::ShiftRight<1>(hn::Add(MergeShifted<0>(shifted), one));
  const VU32 k = hn::Min(ratio, hn::Set(d, 32768u));

  const VU32 round = AsU32(hn::Add(hn::Set(di, 16384), negative));  // a tie goes up, also below 0
  const Wide rounded{hn::And(hn::BitCast(DU64(), round), hn::Set(DU64(), 0xffffffffu)), OddToEven(round)};
  const VU32 large = MergeShifted<15>(AddWide(MulWide(k, o), rounded));
  return hn::IfThenElse(hn::Gt(o, hn::Set(d, adm::kMaxExactMagnitude)), large, hn::Min(o, t));
}

/// trunc(min(r * limit, t)).
struct GainLimit32 {
  double limit;
  VU32 factor, cap;  // of an integer limit: cap * factor >= 2^31, the smallest such cap

  HWY_INLINE explicit GainLimit32(double gain_limit) : limit(gain_limit) {
    const uint32_t integer = static_cast<uint32_t>(gain_limit);
    factor = hn::Set(DU32(), integer);
    cap = hn::Set(DU32(), ((1u << 31) + integer - 1) / integer);
  }

  template <Gain kGain>
  HWY_INLINE VU32 Raise(VU32 r, VU32 t) const {
    if constexpr (kGain == Gain::kReal) return RaiseReal(r, t);
    return hn::Min(hn::Mul(hn::Min(r, cap), factor), t);
  }

  HWY_NOINLINE VU32 RaiseReal(VU32 r, VU32 t) const {
    const DU32 d;
    HWY_ALIGN uint32_t r_lanes[kLanes32], t_lanes[kLanes32];
    hn::Store(r, d, r_lanes);
    hn::Store(t, d, t_lanes);
    for (int i = 0; i < kLanes32; ++i) {
      const double raised = r_lanes[i] * limit;
      r_lanes[i] = raised < t_lanes[i] ? static_cast<uint32_t>(raised) : t_lanes[i];
    }
    return hn::Load(d, r_lanes);
  }
};

/// |C|; a factor of 2^31 and more counts as unsigned.
template <bool kWide>
HWY_INLINE VU32 Weigh32(V32 x, V32 factor) {
  Wide product = MulWideBy(x, factor);
  if constexpr (kWide) {
    const VU64 high = hn::BitCast(DU64(), hn::BroadcastSignBit(factor));
    const VU64 x64 = hn::BitCast(DU64(), x);
    const VU64 upper = hn::Set(DU64(), 0xffffffff00000000u);
    product.even = hn::Add(product.even, hn::And(hn::ShiftLeft<32>(x64), high));
    product.odd = hn::Add(product.odd, hn::And(hn::And(x64, upper), high));
  }
  constexpr int kShift = adm::kWeightShift;
  const Wide rounded = AddWide(product, hn::Set(DU64(), uint64_t{1} << (kShift - 1)));
  return AsU32(hn::Abs(AsI32(MergeShifted<kShift>(rounded))));
}

/// Sums of the upper halves: added as 32-bit lanes, the halves of the products do not mix.
struct UpperSums {
  VU32 even, odd;
  HWY_INLINE UpperSums()
      : even(hn::Zero(DU32())), odd(hn::Zero(DU32())) {}  // a default one lacks the target's attributes
  HWY_INLINE void Add(Wide v) {
    even = hn::Add(even, AsU32(v.even));
    odd = hn::Add(odd, AsU32(v.odd));
  }
  HWY_INLINE V32 Merged() const { return AsI32(hn::OddEven(odd, AsU32(OddToEven(even)))); }
};

template <bool kWide>
HWY_INLINE void StoreSignal32(const V32 (&x)[kAdmBands], const V32 (&factors)[kAdmBands], const AdmSignalRow& row,
                              int i) {
  const D32 d;
  const VU64 add = hn::Set(DU64(), uint64_t{0} - adm::kNegativeRounding);
  UpperSums share, centre;
  for (int band = 0; band < kAdmBands; ++band) {
    const VU32 c = Weigh32<kWide>(x[band], factors[band]);
    hn::StoreU(AsI32(c), d, row.magnitudes.Band<int32_t>(band) + i);
    share.Add(AddWide(MulWideBy(c, hn::Set(DU32(), adm::kNeighbour)), add));
    centre.Add(AddWide(MulWideBy(c, hn::Set(DU32(), adm::kCentre)), add));
  }
  const V32 shared = share.Merged();
  hn::StoreU(shared, d, row.share + i);
  hn::StoreU(hn::Sub(centre.Merged(), shared), d, row.centre + i);
}

/// Sum of the denominator's cubes.
template <int kScale>
HWY_INLINE V64 AddDenCubes(V64 sum, VU32 o, int cube_shift) {
  constexpr int kShift = adm::reference_square_shift(kScale);
  const DU64 d;
  const VU64 round = hn::Set(d, uint64_t{1} << (cube_shift - 1));
  const VU64 square_round = hn::Set(d, uint64_t{1} << kShift);
  const auto cube = [&](VU32 v) HWY_ATTR {
    const VU64 square = hn::ShiftRight<kShift>(hn::Add(hn::MulEven(v, v), square_round));
    return hn::ShiftRightSame(hn::Add(hn::MulEven(AsU32(square), v), round), cube_shift);
  };
  return hn::Add(sum, hn::BitCast(D64(), hn::Add(cube(o), cube(AsU32(OddToEven(o))))));
}

/// Detail bands and denominator of the reference.
template <int kScale>
void ReferenceRow32(const AdmScale& s, const DetailRow& row) {
  V64 den[kAdmBands] = {hn::Zero(D64()), hn::Zero(D64()), hn::Zero(D64())};
  for (int i = 0; i < row.count; i += kLanes32) {
    V32 o[kAdmBands];
    LoadBands<kScale>(row.low[0], row.high[0], row.column + i, o);
    for (int band = 0; band < kAdmBands; ++band) hn::Store(o[band], D32(), row.reference.Band<int32_t>(band) + i);
    if (!row.den) continue;
    const auto scored = ScoredLanes<D32>(row, i);
    for (int band = 0; band < kAdmBands; ++band)
      den[band] = AddDenCubes<kScale>(den[band], AsU32(hn::IfThenElseZero(scored, hn::Abs(o[band]))), s.den_cube_shift);
  }
  if (!row.den) return;
  for (int band = 0; band < kAdmBands; ++band) row.den[band] = hn::GetLane(hn::SumOfLanes(D64(), den[band]));
}

template <int kScale, bool kWide, Gain kGain>
void DecoupleRow32(const AdmScale& s, double gain_limit, const DetailRow& row) {
  const D32 d;
  const GainLimit32 gain(gain_limit);
  const V32 factors[kAdmBands] = {hn::Set(d, static_cast<int32_t>(s.factor[0])),
                                  hn::Set(d, static_cast<int32_t>(s.factor[1])),
                                  hn::Set(d, static_cast<int32_t>(s.factor[2]))};
  for (int i = 0; i < row.count; i += kLanes32) {
    V32 o[kAdmBands], t[kAdmBands], r[kAdmBands], a[kAdmBands];
    for (int band = 0; band < kAdmBands; ++band) o[band] = hn::Load(d, row.reference.Band<int32_t>(band) + i);
    LoadBands<kScale>(row.low[1], row.high[1], row.column + i, t);
    const V32 flags = AngleFlags(o, t);
    for (int band = 0; band < kAdmBands; ++band) {
      const V32 sign = hn::BroadcastSignBit(t[band]);
      const V32 opposite = hn::BroadcastSignBit(hn::Xor(o[band], t[band]));
      const VU32 o_magnitude = AsU32(hn::Abs(o[band])), t_magnitude = AsU32(hn::Abs(t[band]));
      const VU32 restored = Restored32(o_magnitude, t_magnitude, sign);
      const VU32 raised = gain.Raise<kGain>(restored, t_magnitude);
      const V32 magnitude = hn::AndNot(opposite, hn::IfVecThenElse(flags, AsI32(raised), AsI32(restored)));
      r[band] = hn::Sub(hn::Xor(magnitude, sign), sign);
      a[band] = hn::Sub(t[band], r[band]);
    }
    StoreSignal32<kWide>(r, factors, row.restored, i);
    StoreSignal32<kWide>(a, factors, row.additive, i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif
