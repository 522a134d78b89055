// From filtered moments to sums: variances, gain and logarithms of spec/core.md 1.5. Included once per instruction set.
#if defined(ACUTANCE_VIF_STATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_VIF_STATS_INL_H_
#undef ACUTANCE_VIF_STATS_INL_H_
#else
#define ACUTANCE_VIF_STATS_INL_H_
#endif

#include "metric/vif/vif_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

using DU64 = hn::RepartitionToWide<DU32>;
using DF64 = hn::RebindToFloat<DU64>;
using DF32 = hn::RebindToFloat<D32>;
using VU64 = hn::Vec<DU64>;
using VF64 = hn::Vec<DF64>;
using VF32 = hn::Vec<DF32>;
using M32 = hn::Mask<D32>;

/// Lanes 0, 2, ... of the low halves of `even`, lanes 1, 3, ... of the high halves of `odd`.
HWY_INLINE VU32 JoinHighHalves(VU64 even, VU64 odd) {
  return hn::OddEven(hn::BitCast(DU32(), odd), hn::BitCast(DU32(), hn::ShiftRight<32>(even)));
}

/// (a * b + 2^31) >> 32, unsigned.
HWY_INLINE V32 MeanProduct(VU32 a, VU32 b) {
  const auto odd_lanes = [](VU32 v)
                             HWY_ATTR { return hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(DU64(), v))); };
  const VU64 half = hn::Set(DU64(), uint64_t{1} << 31);
  const VU64 even = hn::Add(hn::MulEven(a, b), half);
  const VU64 odd = hn::Add(hn::MulEven(odd_lanes(a), odd_lanes(b)), half);
  return hn::BitCast(D32(), JoinHighHalves(even, odd));
}

/// Even or odd lanes, taken as uint32, as doubles: the bits of 2^52 + x, minus 2^52.
template <bool kOdd>
HWY_INLINE VF64 ToDouble(V32 v) {
  const VU64 wide = hn::BitCast(DU64(), v);
  const VU64 bits = kOdd ? hn::ShiftRight<32>(wide) : hn::And(wide, hn::Set(DU64(), 0xFFFFFFFFu));
  const VF64 magic = hn::Set(DF64(), 0x1p52);
  return hn::Sub(hn::BitCast(DF64(), hn::Or(bits, hn::BitCast(DU64(), magic))), magic);
}

/// Arguments of the three logarithms as bits of doubles: N + s1, n1, n2. All are integers below 2^53, so exact.
struct LogArguments {
  VU64 den, n1, n2;
};

template <bool kOdd>
HWY_INLINE LogArguments Gain(V32 s1, V32 s2, V32 s12, VF64 gain_limit) {
  const VF64 noise = hn::Set(DF64(), kVifNoise);
  const VF64 d1 = ToDouble<kOdd>(s1), d2 = ToDouble<kOdd>(s2), d12 = ToDouble<kOdd>(s12);
  const VF64 gain = hn::Div(d12, hn::Add(d1, hn::Set(DF64(), kVifGainEpsilon)));
  const VF64 residue = hn::Sub(d2, hn::Mul(gain, d12));
  const VF64 n1 = hn::Add(hn::Trunc(hn::Max(residue, hn::Zero(DF64()))), noise);
  const VF64 limited = hn::Min(gain, gain_limit);
  const VF64 n2 = hn::Add(hn::Trunc(hn::Mul(hn::Mul(limited, limited), d1)), n1);
  return {hn::BitCast(DU64(), hn::Add(d1, noise)), hn::BitCast(DU64(), n1), hn::BitCast(DU64(), n2)};
}

/// 2048 times the exponent field of the high halves of doubles.
HWY_INLINE V32 ExponentLog(V32 high) { return hn::And(hn::ShiftRight<9>(high), hn::Set(D32(), ~2047)); }

/// L(x) but for a constant that is the same for every x: from the high half of the double x,
/// T[32768 + 15 leading mantissa bits] - 30720 + 2048 * exponent field. Less kLogOffset it is L(x) - 2048 * 17.
constexpr int kLogOffset = 2048 * (1023 + 17);

#if HWY_MAX_BYTES >= 32

HWY_INLINE constexpr const auto& LogPolynomial() {
  if constexpr (kLanes == 16) return kVifLogOf16;
  else return kVifLogOf8;
}

HWY_INLINE VF32 AsFloat(V32 v) { return hn::BitCast(DF32(), v); }

HWY_INLINE V32 BiasedLog(V32 high) {
  const auto& p = LogPolynomial();
  const auto index =
      hn::IndicesFromVec(D32(), hn::And(hn::ShiftRight < kLanes == 16 ? 16 : 17 > (high), hn::Set(D32(), kLanes - 1)));
  const auto pick = [&](const auto* table) HWY_ATTR {
    return hn::TableLookupLanes(hn::BitCast(D32(), hn::LoadU(hn::Rebind<std::decay_t<decltype(*table)>, D32>(), table)),
                                index);
  };
  const V32 fraction = hn::And(hn::ShiftLeft<3>(high), hn::Set(D32(), 0x007FFF00));
  const VF32 m = AsFloat(hn::Or(fraction, hn::Set(D32(), 0x3F800000)));
  const VF32 t = hn::Mul(hn::Sub(m, AsFloat(pick(p.centre))), AsFloat(pick(p.reciprocal)));
  constexpr int kDegree = kLanes == 16 ? 3 : 4;
  VF32 sum = hn::Set(DF32(), p.coefficients[kDegree]);
  for (int i = kDegree - 1; i >= 0; --i) sum = hn::Add(hn::Mul(sum, t), hn::Set(DF32(), p.coefficients[i]));
  return hn::Add(hn::Add(pick(p.base), hn::NearestInt(sum)), ExponentLog(high));
}

#else  // four lanes: the table itself

HWY_INLINE V32 BiasedLog(V32 high) {
  HWY_ALIGN int32_t lanes[kLanes];
  hn::Store(hn::And(hn::ShiftRight<5>(high), hn::Set(D32(), 32767)), D32(), lanes);
  for (int32_t& lane : lanes) lane = VifLogTable()[lane] - 30720;
  return hn::Add(hn::Load(D32(), lanes), ExponentLog(high));
}

#endif

/// Sums of the rows of one group in one strip: few enough that the 32-bit lanes, and their sums, cannot overflow.
static_assert(int64_t{kVifGroup} * kVifStrip * (kLogOffset + 2048 * 16) < int64_t{1} << 32);

class Totals {
 public:
  HWY_INLINE Totals() : num_(hn::Zero(D32())), den_(hn::Zero(D32())), flat_(hn::Zero(DU64())) {}

  HWY_INLINE void Add(VU32 m1, VU32 m2, V32 x, V32 y, V32 z, VF64 gain_limit) {
    const V32 s1 = hn::Sub(x, MeanProduct(m1, m1));
    const V32 s2 = hn::Max(hn::Sub(y, MeanProduct(m2, m2)), hn::Zero(D32()));
    const V32 s12 = hn::Sub(z, MeanProduct(m1, m2));
    const M32 textured = hn::Gt(s1, hn::Set(D32(), kVifNoise - 1));
    AddFlat(hn::IfThenZeroElse(textured, s2));
    textured_count_ += static_cast<int64_t>(hn::CountTrue(D32(), textured));
    if (!hn::AllFalse(D32(), textured)) AddTextured(s1, s2, s12, textured, gain_limit);
  }

  /// `pixels`: lanes that Add saw, less those beyond the picture, whose moments were 0 and added to nothing else.
  void FlushTo(int64_t pixels, std::span<int64_t, kVifSumsPerScale> sums) {
    sums[kVifNumLog] += hn::GetLane(hn::SumOfLanes(D32(), num_));
    sums[kVifDenLog] +=
        int64_t{hn::GetLane(hn::SumOfLanes(DU32(), hn::BitCast(DU32(), den_)))} - int64_t{kLogOffset} * textured_count_;
    sums[kVifFlatNum] += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(DU64(), flat_)));
    sums[kVifFlatCount] += pixels - textured_count_;
  }

 private:
  HWY_INLINE void AddFlat(V32 s2) {
    const VU64 wide = hn::BitCast(DU64(), s2);
    const VU64 low = hn::And(wide, hn::Set(DU64(), 0xFFFFFFFFu));
    flat_ = hn::Add(flat_, hn::Add(low, hn::ShiftRight<32>(wide)));
  }

  HWY_INLINE void AddTextured(V32 s1, V32 s2, V32 s12, M32 textured, VF64 gain_limit) {
    const LogArguments even = Gain<false>(s1, s2, s12, gain_limit), odd = Gain<true>(s1, s2, s12, gain_limit);
    const auto log = [](VU64 e, VU64 o) HWY_ATTR { return BiasedLog(hn::BitCast(D32(), JoinHighHalves(e, o))); };
    den_ = hn::Add(den_, hn::IfThenElseZero(textured, log(even.den, odd.den)));
    const M32 positive = hn::Gt(hn::Min(s2, s12), hn::Zero(D32()));
    const V32 gained = hn::Sub(log(even.n2, odd.n2), log(even.n1, odd.n1));
    num_ = hn::Add(num_, hn::IfThenElseZero(hn::And(textured, positive), gained));
  }

  V32 num_;
  V32 den_;
  VU64 flat_;
  int64_t textured_count_ = 0;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_VIF_STATS_INL_H_
