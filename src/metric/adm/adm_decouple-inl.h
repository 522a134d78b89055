// Scale 0 of ADM in 16-bit lanes: bands, decoupling and weights of one row. README.md has the proofs.
#if defined(ACUTANCE_ADM_DECOUPLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_ADM_DECOUPLE_INL_H_
#undef ACUTANCE_ADM_DECOUPLE_INL_H_
#else
#define ACUTANCE_ADM_DECOUPLE_INL_H_
#endif

#include "metric/adm/adm_detail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

/// Up to this magnitude, in a mode that is not wide, the shares of all three bands fit int16 together: C of h and v is
/// at most 13116, of d 4446 (README.md).
inline constexpr int16_t kMaxPlainMagnitude0 = 11790;

/// The lower and the upper half of each 32-bit lane, sign-extended.
HWY_INLINE V32 LowerHalves(V16 v) { return AddPairProducts(hn::Zero(D32()), v, TapPair(D16(), 1, 0)); }
HWY_INLINE V32 UpperHalves(V16 v) { return AddPairProducts(hn::Zero(D32()), v, TapPair(D16(), 0, 1)); }

HWY_INLINE void LoadBands(const int16_t* low, const int16_t* high, int column, V16 (&bands)[kAdmBands]) {
  const ColumnPairs from_high(high, column);
  bands[0] = HorizontalHalved(from_high, adm::kLow);
  bands[1] = HorizontalHalved(ColumnPairs(low, column), adm::kHigh);
  bands[2] = HorizontalHalved(from_high, adm::kHigh);
}

/// -1 where the angle allows enhancement, for lanes in which floats cannot decide.
template <class V>
HWY_NOINLINE V ExactAngleFlags(V oh, V ov, V th, V tv) {
  const hn::DFromV<V> d;
  HWY_ALIGN hn::TFromV<V> lanes[5][hn::MaxLanes(d)];
  hn::Store(oh, d, lanes[0]);
  hn::Store(ov, d, lanes[1]);
  hn::Store(th, d, lanes[2]);
  hn::Store(tv, d, lanes[3]);
  for (size_t i = 0; i < hn::MaxLanes(d); ++i)
    lanes[4][i] = adm::AngleFlag(lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]) ? -1 : 0;
  return hn::Load(d, lanes[4]);
}

HWY_INLINE V16 AngleFlags0(const V16 (&o)[kAdmBands], const V16 (&t)[kAdmBands]) {
  const D16 d;
  const V16 less_th = hn::Neg(t[0]);
  const auto test = [&](V16 both_o, V16 both_t, V16 turned_t) HWY_ATTR {
    const auto product = [&](V16 v)
                             HWY_ATTR { return hn::ConvertTo(DF(), AddPairProducts(hn::Zero(D32()), both_o, v)); };
    return TestAngle(product(both_t), product(turned_t));
  };
  const AngleTest lower = test(hn::InterleaveLower(d, o[0], o[1]), hn::InterleaveLower(d, t[0], t[1]),
                               hn::InterleaveLower(d, t[1], less_th));
  const AngleTest upper = test(hn::InterleaveUpper(d, o[0], o[1]), hn::InterleaveUpper(d, t[0], t[1]),
                               hn::InterleaveUpper(d, t[1], less_th));
  if (HWY_UNLIKELY(!hn::AllFalse(DF(), hn::Or(lower.ambiguous, upper.ambiguous))))
    return ExactAngleFlags(o[0], o[1], t[0], t[1]);
  return hn::ReorderDemote2To(d, lower.Flags(), upper.Flags());
}

/// The restored magnitude of 32-bit lanes with 16384 < o <= 22929; see Restore32 for the reciprocal.
HWY_INLINE V32 LargeRestored0(V32 o, V32 t, V32 negative) {
  const D32 d;
  const V32 one_q30 = hn::Set(d, 1 << 30);
  V32 reciprocal = hn::ConvertTo(d, hn::Div(hn::Set(DF(), 1073741824.0f), hn::ConvertTo(DF(), o)));
  const V32 rest = hn::Sub(one_q30, hn::Mul(reciprocal, o));
  reciprocal = hn::Add(reciprocal, hn::ShiftRight<31>(rest));
  // From t = o + 1 on the ratio is 1.
  const V32 clamped = hn::Min(t, hn::Add(o, hn::Set(d, 1)));
  const V32 round = hn::Set(d, 16384);
  const V32 k = hn::Min(hn::ShiftRight<15>(hn::Add(hn::Mul(reciprocal, clamped), round)), hn::Set(d, 32768));
  return hn::ShiftRight<15>(hn::Add(hn::Mul(k, o), hn::Add(round, negative)));
}

/// What the reference's rounded reciprocal makes of min(o, t), where some o is large.
HWY_INLINE V16 ExtremeRestored0(V16 o, V16 t, V16 sign) {
  const D16 d;
  const V32 lower = LargeRestored0(LowerHalves(o), LowerHalves(t), LowerHalves(sign));
  const V32 upper = LargeRestored0(UpperHalves(o), UpperHalves(t), UpperHalves(sign));
  const V16 large = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<16>(upper)), hn::BitCast(d, lower));
  return hn::IfThenElse(hn::Gt(o, hn::Set(d, int16_t{adm::kMaxExactMagnitude})), large, hn::Min(o, t));
}

/// trunc(min(r * limit, t)).
template <class V>
HWY_NOINLINE V RaiseReal(V r, V t, double limit) {
  using T = hn::TFromV<V>;
  const hn::DFromV<V> d;
  HWY_ALIGN T r_lanes[hn::MaxLanes(d)], t_lanes[hn::MaxLanes(d)];
  hn::Store(r, d, r_lanes);
  hn::Store(t, d, t_lanes);
  for (size_t i = 0; i < hn::MaxLanes(d); ++i) {
    const double raised = r_lanes[i] * limit;
    r_lanes[i] = raised < t_lanes[i] ? static_cast<T>(raised) : t_lanes[i];
  }
  return hn::Load(d, r_lanes);
}

struct GainLimit0 {
  double limit;
  V16 factor, cap;  // of an integer limit: cap * factor >= 32767, the smallest such cap

  HWY_INLINE explicit GainLimit0(double gain_limit) : limit(gain_limit) {
    const int integer = static_cast<int>(gain_limit);
    factor = hn::Set(D16(), static_cast<int16_t>(integer));
    cap = hn::Set(D16(), static_cast<int16_t>((32767 + integer - 1) / integer));
  }

  template <Gain kGain>
  HWY_INLINE V16 Raise(V16 r, V16 t) const {
    if constexpr (kGain == Gain::kOne) return r;
    if constexpr (kGain == Gain::kInteger) {
      const VU16 raised = AsU16(hn::Mul(hn::Min(r, cap), factor));
      return AsI16(hn::Min(raised, AsU16(t)));
    }
    return RaiseReal(r, t, limit);
  }
};

/// Weights of scale 0: C = (factor * x + rounding) >> shift, factor a uint16.
struct Weights0 {
  V16 hv_beyond_one;     // factor - 32768
  V16 d_factor, d_high;  // d_high: -1 where it has bit 15

  HWY_INLINE explicit Weights0(const AdmScale& s) {
    const D16 d;
    hv_beyond_one = hn::Set(d, static_cast<int16_t>(static_cast<int>(s.factor[0]) - 32768));
    d_factor = hn::Set(d, static_cast<int16_t>(s.factor[2]));
    d_high = hn::Set(d, static_cast<int16_t>(s.factor[2] >> 15 ? -1 : 0));
  }

  /// (c * x + 16384) >> 15 = x + ((c - 32768) * x + 16384 >> 15).
  HWY_INLINE V16 Hv(V16 x) const { return hn::Add(hn::MulFixedPoint15(x, hv_beyond_one), x); }

  /// (c * x + 65535) >> 17 = ceil(c * x / 65536) >> 1.
  HWY_INLINE V16 D(V16 x) const {
    const V16 high = hn::Add(hn::MulHigh(x, d_factor), hn::And(x, d_high));
    const V16 rest = AsI16(hn::Min(AsU16(hn::Mul(x, d_factor)), hn::Set(DU16(), uint16_t{1})));
    return hn::ShiftRight<1>(hn::Add(high, rest));
  }
};

/// Halved lanes as int32 in order.
HWY_INLINE void StorePromoted(V16 v, int32_t* out) {
  hn::StoreU(LowerHalves(v), D32(), out);
  hn::StoreU(UpperHalves(v), D32(), out + kLanes32);
}

// (4369 c + 2048) >> 12 = c + (273 c + 2048 >> 12), and 273 c / 4096 = 2184 c / 32768; 8738 likewise.
HWY_INLINE V16 NeighbourRest(V16 c) { return hn::MulFixedPoint15(c, hn::Set(D16(), int16_t{2184})); }
HWY_INLINE V16 CentreRest(V16 c) { return hn::MulFixedPoint15(c, hn::Set(D16(), int16_t{4368})); }

HWY_INLINE void StoreShares(const V16 (&c)[kAdmBands], const AdmSignalRow& row, int i) {
  const V16 sum = hn::Add(hn::Add(c[0], c[1]), c[2]);
  const V16 neighbour = hn::Add(hn::Add(NeighbourRest(c[0]), NeighbourRest(c[1])), NeighbourRest(c[2]));
  const V16 centre = hn::Add(hn::Add(CentreRest(c[0]), CentreRest(c[1])), CentreRest(c[2]));
  StorePromoted(hn::Add(sum, neighbour), row.share + i);
  StorePromoted(hn::Sub(neighbour, hn::Add(sum, centre)), row.less_centre + i);
}

/// The same for any c: terms wrap to int16 one by one, sums do not; c = 32768 is stored as -32768.
HWY_INLINE void StoreExtremeShares(const V16 (&c)[kAdmBands], const AdmSignalRow& row, int i) {
  const D16 d;
  V32 share[2] = {hn::Zero(D32()), hn::Zero(D32())}, less_centre[2] = {hn::Zero(D32()), hn::Zero(D32())};
  for (const V16 band : c) {
    const auto wrapped = hn::Eq(band, hn::Set(d, int16_t{-32768}));
    const V16 wrapped_share = hn::Set(d, int16_t{adm::neighbour_share(0, 32768)});
    const V16 wrapped_centre = hn::Set(d, int16_t{adm::centre_share(0, 32768)});
    const V16 f = hn::IfThenElse(wrapped, wrapped_share, hn::Add(band, NeighbourRest(band)));
    const V16 g = hn::IfThenElse(wrapped, wrapped_centre, hn::Add(hn::Add(band, band), CentreRest(band)));
    const V32 of_f[2] = {LowerHalves(f), UpperHalves(f)}, of_g[2] = {LowerHalves(g), UpperHalves(g)};
    for (int part = 0; part < 2; ++part) {
      share[part] = hn::Add(share[part], of_f[part]);
      less_centre[part] = hn::Add(less_centre[part], hn::Sub(of_f[part], of_g[part]));
    }
  }
  for (int part = 0; part < 2; ++part) {
    hn::StoreU(share[part], D32(), row.share + i + part * kLanes32);
    hn::StoreU(less_centre[part], D32(), row.less_centre + i + part * kLanes32);
  }
}

/// |o|, 0 in lanes that are not scored.
HWY_INLINE V16 ScoredMagnitude(V16 o, const AdmRange& scored, int i) {
  const D16 d;
  if (HWY_LIKELY(i >= scored.begin && i + kLanes16 <= scored.end)) return hn::Abs(o);
  const V32 lower = hn::VecFromMask(D32(), LanesOf<D32>(scored, i));
  const V32 upper = hn::VecFromMask(D32(), LanesOf<D32>(scored, i + kLanes32));
  return hn::And(hn::Abs(o), hn::OddEven(hn::BitCast(d, upper), hn::BitCast(d, lower)));
}

/// Detail bands and denominator of the reference.
inline void ReferenceRow0(const DetailRow& row) {
  const V16 zero = hn::Zero(D16());
  CubeSum0 sums[kAdmBands];
  for (int i = 0; i < row.count; i += 2 * kLanes16) {
    V16 o[2][kAdmBands] = {{zero, zero, zero}, {zero, zero, zero}};
    for (int part = 0; part < 2; ++part) {
      const int at = i + part * kLanes16;
      if (at >= row.count) continue;
      LoadBands(row.low[0].top, row.high[0].top, row.column + at, o[part]);
      for (int band = 0; band < kAdmBands; ++band) {
        hn::Store(o[part][band], D16(), row.reference.Band<int16_t>(band) + at);
        o[part][band] = ScoredMagnitude(o[part][band], row.scored, at);
      }
    }
    if (!row.den) continue;
    for (int band = 0; band < kAdmBands; ++band) sums[band].Add(o[0][band], o[1][band]);
  }
  if (!row.den) return;
  for (int band = 0; band < kAdmBands; ++band) row.den[band] = sums[band].Total();
}

/// Detail bands of a distorted video, and what of them the reference restores before any gain limit.
inline void DecoupleRow0(const DetailRow& row, bool wants_flags) {
  const D16 d;
  for (int i = 0; i < row.count; i += kLanes16) {
    V16 o[kAdmBands], t[kAdmBands];
    for (int band = 0; band < kAdmBands; ++band) o[band] = hn::Load(d, row.reference.Band<int16_t>(band) + i);
    LoadBands(row.low[1].top, row.high[1].top, row.column + i, t);
    const V16 top = hn::Max(hn::Max(hn::Abs(o[0]), hn::Abs(o[1])), hn::Abs(o[2]));
    const auto large = hn::Gt(top, hn::Set(d, int16_t{adm::kMaxExactMagnitude}));
    const bool is_extreme = HWY_UNLIKELY(!hn::AllFalse(d, large));
    for (int band = 0; band < kAdmBands; ++band) {
      const auto same_sign = hn::Gt(hn::Xor(o[band], t[band]), hn::Set(d, int16_t{-1}));
      const V16 o_magnitude = hn::Abs(o[band]), t_magnitude = hn::Abs(t[band]);
      V16 restored = hn::Min(o_magnitude, t_magnitude);
      if (is_extreme) restored = ExtremeRestored0(o_magnitude, t_magnitude, hn::BroadcastSignBit(t[band]));
      hn::Store(t[band], d, row.decoupled.distorted.Band<int16_t>(band) + i);
      hn::Store(hn::IfThenElseZero(same_sign, restored), d, row.decoupled.restored.Band<int16_t>(band) + i);
    }
    if (wants_flags) hn::Store(AngleFlags0(o, t), d, reinterpret_cast<int16_t*>(row.decoupled.flags) + i);
  }
}

/// The shares of a signal by its samples with their sign, with any factors.
HWY_INLINE void StoreExtremeSignals0(const V16 (&t)[kAdmBands], const V16 (&restored)[kAdmBands],
                                     const Weights0& weights, const DetailRow& row, int i) {
  V16 r[kAdmBands], a[kAdmBands];
  for (int band = 0; band < kAdmBands; ++band) {
    const V16 sign = hn::BroadcastSignBit(t[band]);
    r[band] = hn::Sub(hn::Xor(restored[band], sign), sign);
    a[band] = hn::Sub(t[band], r[band]);
  }
  const V16 of_r[kAdmBands] = {hn::Abs(weights.Hv(r[0])), hn::Abs(weights.Hv(r[1])), hn::Abs(weights.D(r[2]))};
  const V16 of_a[kAdmBands] = {hn::Abs(weights.Hv(a[0])), hn::Abs(weights.Hv(a[1])), hn::Abs(weights.D(a[2]))};
  StoreExtremeShares(of_r, row.restored, i);
  StoreExtremeShares(of_a, row.additive, i);
}

/// The same by magnitudes alone, up to kMaxPlainMagnitude0 and with odd factors (README.md).
HWY_INLINE void StorePlainShares(const V16 (&x)[kAdmBands], const Weights0& weights, const AdmSignalRow& row, int i) {
  const VU16 d = hn::AverageRound(hn::MulHigh(AsU16(x[2]), AsU16(weights.d_factor)), hn::Zero(DU16()));
  const V16 c[kAdmBands] = {weights.Hv(x[0]), weights.Hv(x[1]), AsI16(d)};
  StoreShares(c, row, i);
}

/// The signals of a decoupled row by one set of options. No part of t exceeds t.
template <bool kWide, Gain kGain>
void WeighRow0(const AdmScale& s, double gain_limit, const DetailRow& row) {
  const D16 d;
  const Weights0 weights(s);
  const GainLimit0 gain(gain_limit);
  const bool needs_sign = kWide || s.factor[0] % 2 == 0 || s.factor[2] % 2 == 0;
  for (int i = 0; i < row.count; i += kLanes16) {
    V16 t[kAdmBands], magnitude[kAdmBands], restored[kAdmBands], rest[kAdmBands];
    for (int band = 0; band < kAdmBands; ++band) {
      t[band] = hn::Load(d, row.decoupled.distorted.Band<int16_t>(band) + i);
      restored[band] = hn::Load(d, row.decoupled.restored.Band<int16_t>(band) + i);
      magnitude[band] = hn::Abs(t[band]);
    }
    if constexpr (kGain != Gain::kOne) {
      const V16 flags = hn::Load(d, reinterpret_cast<const int16_t*>(row.decoupled.flags) + i);
      for (int band = 0; band < kAdmBands; ++band)
        restored[band] = hn::IfVecThenElse(flags, gain.Raise<kGain>(restored[band], magnitude[band]), restored[band]);
    }
    for (int band = 0; band < kAdmBands; ++band) {
      rest[band] = hn::Sub(magnitude[band], restored[band]);
      hn::Store(restored[band], d, row.restored.magnitudes.Band<int16_t>(band) + i);
      hn::Store(rest[band], d, row.additive.magnitudes.Band<int16_t>(band) + i);
    }
    const V16 top = hn::Max(hn::Max(magnitude[0], magnitude[1]), magnitude[2]);
    if (needs_sign || HWY_UNLIKELY(!hn::AllFalse(d, hn::Gt(top, hn::Set(d, kMaxPlainMagnitude0))))) {
      StoreExtremeSignals0(t, restored, weights, row, i);
    } else {
      StorePlainShares(restored, weights, row.restored, i);
      StorePlainShares(rest, weights, row.additive, i);
    }
  }
}

// --- Scales 1 to 3 of ADM in 32-bit lanes: bands, decoupling and weights of one row. README.md has the proofs.

template <int kScale>
HWY_INLINE void LoadBands(const AdmSplitRow& low, const AdmSplitRow& high, int column, V32 (&bands)[kAdmBands]) {
  const SplitPairs from_high(high, column);
  bands[0] = HorizontalLow<kScale>(from_high);
  bands[1] = HorizontalHigh<kScale>(SplitPairs(low, column));
  bands[2] = HorizontalHigh<kScale>(from_high);
}

HWY_INLINE V32 AngleFlags(const V32 (&o)[kAdmBands], const V32 (&t)[kAdmBands]) {
  const DF d;
  const VF oh = hn::ConvertTo(d, o[0]), ov = hn::ConvertTo(d, o[1]);
  const VF th = hn::ConvertTo(d, t[0]), tv = hn::ConvertTo(d, t[1]);
  const VF dot = hn::MulAdd(oh, th, hn::Mul(ov, tv)), cross = hn::MulSub(oh, tv, hn::Mul(ov, th));
  const AngleTest test = TestAngle(dot, cross);
  if (HWY_UNLIKELY(!hn::AllFalse(d, test.ambiguous))) return ExactAngleFlags(o[0], o[1], t[0], t[1]);
  return test.Flags();
}

/// What divides by a magnitude above 16384, rounded to a mantissa of 15 bits: twice the integer part of 2^30 over the
/// mantissa, and by how many bits a dividend goes left, so that the product's upper half is the ratio in Q15.
struct Reciprocal {
  VU32 twice;
  VU32 left;
};

#if HWY_TARGET <= HWY_AVX3

/// By floats that are rounded towards 0 (README.md).
HWY_INLINE Reciprocal ReciprocalOf(VU32 o) {
  constexpr int kTowardsZero = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
  const DU32 d;
  const VU32 cut = hn::BitCast(d, VF{_mm512_cvt_roundepi32_ps(o.raw, kTowardsZero)});
  const VU32 rounded = hn::And(hn::Add(cut, hn::Set(d, 0x100u)), hn::Set(d, 0xfffffe00u));
  const VF one = hn::Set(DF(), 1.0f);
  const VU32 ratio = hn::BitCast(d, VF{_mm512_div_round_ps(one.raw, hn::BitCast(DF(), rounded).raw, kTowardsZero)});
  const VU32 mantissa = hn::Or(hn::And(ratio, hn::Set(d, 0x7fff00u)), hn::Set(d, 0x800000u));
  return {hn::ShiftRight<7>(mantissa), hn::Sub(hn::ShiftRight<23>(ratio), hn::Set(d, 127u - 15 - 16))};
}

#else

/// bit length - 15 of each lane, 0 where that is negative; lanes below 2^31.
HWY_INLINE VU32 MantissaShift(VU32 v) {
  // Without the bit below the top one, rounding to float cannot carry into the exponent.
  const VU32 top = hn::AndNot(hn::ShiftRight<1>(v), v);
  const VF as_float = hn::ConvertTo(DF(), AsI32(top));
  const V32 exponent = hn::ShiftRight<23>(hn::BitCast(D32(), as_float));
  return AsU32(hn::Max(hn::Sub(exponent, hn::Set(D32(), 127 + 14)), hn::Zero(D32())));
}

HWY_INLINE Reciprocal ReciprocalOf(VU32 o) {
  const DU32 d;
  const D32 di;
  const VU32 one = hn::Set(d, 1u), shift = MantissaShift(o);
  const VU32 mantissa = hn::Shr(hn::Add(o, hn::ShiftRight<1>(hn::Shl(one, shift))), shift);
  // 2^30 / mantissa, for a mantissa above 16384: the float quotient rounds up at most past one integer.
  const V32 m = AsI32(mantissa);
  const V32 quotient = hn::ConvertTo(di, hn::Div(hn::Set(DF(), 1073741824.0f), hn::ConvertTo(DF(), m)));
  const V32 rest = hn::Sub(hn::Set(di, 1 << 30), hn::Mul(quotient, m));
  const V32 exact = hn::Add(quotient, hn::ShiftRight<31>(rest));
  return {AsU32(hn::Add(exact, exact)), hn::Sub(hn::Set(d, 16u), shift)};
}
#endif

/// The restored magnitude: t / o rounded to Q15, times o. `negative` is -1 where o is negative.
HWY_INLINE VU32 Restored32(VU32 o, VU32 t, V32 negative) {
  const DU32 d;
  const Reciprocal by = ReciprocalOf(o);
  // The ratio is 1 long before t = 1.5 o.
  const VU32 dividend = hn::Shl(hn::Min(t, hn::Add(o, hn::ShiftRight<1>(o))), by.left);
  const Wide ratio = AddWide(MulWide(by.twice, dividend), hn::Set(DU64(), uint64_t{1} << 31));
  const VU32 k = hn::Min(MergeShifted<32>(ratio), hn::Set(d, 32768u));

  const VU32 round = AsU32(hn::Add(hn::Set(D32(), 16384), negative));  // a tie goes up, also below 0
  const Wide rounded{hn::And(hn::BitCast(DU64(), round), hn::Set(DU64(), 0xffffffffu)), OddToEven(round)};
  const VU32 large = MergeShifted<15>(AddWide(MulWide(k, o), rounded));
  return hn::IfThenElse(hn::Gt(o, hn::Set(d, adm::kMaxExactMagnitude)), large, hn::Min(o, t));
}

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
    if constexpr (kGain == Gain::kReal) return RaiseReal(r, t, limit);
    return hn::Min(hn::Mul(hn::Min(r, cap), factor), t);
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
  HWY_INLINE V32 Merged() const { return AsI32(hn::OddEven(odd, hn::DupOdd(even))); }
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
  hn::StoreU(hn::Sub(shared, centre.Merged()), d, row.less_centre + i);
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
    const auto scored = LanesOf<D32>(row.scored, i);
    for (int band = 0; band < kAdmBands; ++band)
      den[band] = AddDenCubes<kScale>(den[band], AsU32(hn::IfThenElseZero(scored, hn::Abs(o[band]))), s.den_cube_shift);
  }
  if (!row.den) return;
  for (int band = 0; band < kAdmBands; ++band) row.den[band] = hn::GetLane(hn::SumOfLanes(D64(), den[band]));
}

template <int kScale>
void DecoupleRow32(const DetailRow& row) {
  const D32 d;
  for (int i = 0; i < row.count; i += kLanes32) {
    V32 o[kAdmBands], t[kAdmBands];
    for (int band = 0; band < kAdmBands; ++band) o[band] = hn::Load(d, row.reference.Band<int32_t>(band) + i);
    LoadBands<kScale>(row.low[1], row.high[1], row.column + i, t);
    hn::Store(AngleFlags(o, t), d, reinterpret_cast<int32_t*>(row.decoupled.flags) + i);
    for (int band = 0; band < kAdmBands; ++band) {
      const V32 opposite = hn::BroadcastSignBit(hn::Xor(o[band], t[band]));
      const VU32 restored = Restored32(AsU32(hn::Abs(o[band])), AsU32(hn::Abs(t[band])), hn::BroadcastSignBit(t[band]));
      hn::Store(t[band], d, row.decoupled.distorted.Band<int32_t>(band) + i);
      hn::Store(hn::AndNot(opposite, AsI32(restored)), d, row.decoupled.restored.Band<int32_t>(band) + i);
    }
  }
}

template <bool kWide, Gain kGain>
void WeighRow32(const AdmScale& s, double gain_limit, const DetailRow& row) {
  const D32 d;
  const GainLimit32 gain(gain_limit);
  const V32 factors[kAdmBands] = {hn::Set(d, static_cast<int32_t>(s.factor[0])),
                                  hn::Set(d, static_cast<int32_t>(s.factor[1])),
                                  hn::Set(d, static_cast<int32_t>(s.factor[2]))};
  for (int i = 0; i < row.count; i += kLanes32) {
    const V32 flags = hn::Load(d, reinterpret_cast<const int32_t*>(row.decoupled.flags) + i);
    V32 r[kAdmBands], a[kAdmBands];
    for (int band = 0; band < kAdmBands; ++band) {
      const V32 t = hn::Load(d, row.decoupled.distorted.Band<int32_t>(band) + i);
      const V32 restored = hn::Load(d, row.decoupled.restored.Band<int32_t>(band) + i);
      const V32 sign = hn::BroadcastSignBit(t);
      const V32 raised = AsI32(gain.Raise<kGain>(AsU32(restored), AsU32(hn::Abs(t))));
      const V32 magnitude = hn::IfVecThenElse(flags, raised, restored);
      r[band] = hn::Sub(hn::Xor(magnitude, sign), sign);
      a[band] = hn::Sub(t, r[band]);
    }
    StoreSignal32<kWide>(r, factors, row.restored, i);
    StoreSignal32<kWide>(a, factors, row.additive, i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_ADM_DECOUPLE_INL_H_
