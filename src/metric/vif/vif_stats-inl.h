// From filtered moments to sums: variances, gain and logarithms of spec/core.md 1.5. Included once per instruction set.
//
// Three loops over a row, each with a short chain of dependent steps so that the CPU overlaps many pixels: variances
// (which drops flat pixels), gains in float64, logarithms.
#if defined(ACUTANCE_VIF_STATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_VIF_STATS_INL_H_
#undef ACUTANCE_VIF_STATS_INL_H_
#else
#define ACUTANCE_VIF_STATS_INL_H_
#endif

#include <algorithm>

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

// ---- logarithms

/// A double x >= 2^17 enters as its high half: exponent field (1023 + 17 or more) and 20 mantissa bits.
constexpr int kExponentShift = 20, kNoiseExponent = 1023 + 17;

#if HWY_MAX_BYTES >= 32  // all such targets have FMA

HWY_INLINE constexpr const auto& LogPolynomial() {
  if constexpr (kLanes == 16) return kVifLogOf16;
  else return kVifLogOf8;
}

HWY_INLINE VF32 AsFloat(V32 v) { return hn::BitCast(DF32(), v); }

/// T[32768 + the 15 leading mantissa bits], minus kVifLogFirst.
HWY_INLINE V32 MantissaLog(V32 high) {
  constexpr const auto& p = LogPolynomial();
  static constexpr auto kBase = p.RoundedBase();
  const V32 segment = hn::And(hn::ShiftRight < kLanes == 16 ? 16 : 17 > (high), hn::Set(D32(), kLanes - 1));
  const auto index = hn::IndicesFromVec(D32(), segment);
  const V32 reciprocals = hn::BitCast(D32(), hn::LoadU(DF32(), p.reciprocal.data()));
  const VF32 reciprocal = AsFloat(hn::TableLookupLanes(reciprocals, index));
  const V32 base = hn::TableLookupLanes(hn::LoadU(D32(), kBase.data()), index);
  const V32 fraction = hn::And(hn::ShiftLeft<3>(high), hn::Set(D32(), 0x007FFF00));
  const VF32 m = AsFloat(hn::Or(fraction, hn::Set(D32(), 0x3F800000)));
  const VF32 t = hn::MulAdd(m, reciprocal, hn::Set(DF32(), -1.0f));
  VF32 q = hn::Set(DF32(), p.coefficients[p.kTerms - 1]);
  for (int i = p.kTerms - 2; i >= 0; --i) q = hn::MulAdd(q, t, hn::Set(DF32(), p.coefficients[i]));
  return hn::Add(hn::BitCast(D32(), hn::MulAdd(q, t, hn::Set(DF32(), kVifLogRounder))), base);
}

#else  // four lanes: the table itself

HWY_INLINE V32 MantissaLog(V32 high) {
  HWY_ALIGN int32_t lanes[kLanes];
  hn::Store(hn::And(hn::ShiftRight<5>(high), hn::Set(D32(), 32767)), D32(), lanes);
  for (int32_t& lane : lanes) lane = VifLogTable()[lane] - kVifLogFirst;
  return hn::Load(D32(), lanes);
}

#endif

HWY_INLINE V32 Exponent(V32 high) { return hn::ShiftRight<kExponentShift>(high); }

/// Sums over the textured pixels of one group in one strip, too few to overflow the 32-bit lanes or their sums.
struct LogSums {
  V32 num_mantissa, num_exponent, den_mantissa, den_exponent;
};

static_assert(int64_t{kVifGroup} * (kVifStrip + kVifMaxLanes) * 2048 * 64 < int64_t{1} << 31);

/// Adds the logs of high halves; `count` is a multiple of the lanes.
HWY_NOINLINE void AddLogs(const VifBuffers& buffers, int count, LogSums& sums) {
  LogSums s = sums;
  for (int i = 0; i < count; i += kLanes) {
    const auto high = [&](int which) HWY_ATTR { return hn::Load(D32(), buffers.log_arguments[which] + i); };
    const V32 den = high(0), n1 = high(1), n2 = high(2);
    s.den_mantissa = hn::Add(s.den_mantissa, MantissaLog(den));
    s.den_exponent = hn::Add(s.den_exponent, Exponent(den));
    s.num_mantissa = hn::Add(s.num_mantissa, hn::Sub(MantissaLog(n2), MantissaLog(n1)));
    s.num_exponent = hn::Add(s.num_exponent, hn::Sub(Exponent(n2), Exponent(n1)));
  }
  sums = s;
}

// ---- gains

/// N + s1, n1 and n2 of half a vector of pixels. All are integers below 2^53, so the doubles are exact.
struct LogArguments {
  VF64 den, n1, n2;
};

HWY_INLINE LogArguments Gain(VF64 s1, VF64 s2, VF64 s12, VF64 gain_limit) {
  const VF64 noise = hn::Set(DF64(), kVifNoise);
  const VF64 gain = hn::Div(s12, hn::Add(s1, hn::Set(DF64(), kVifGainEpsilon)));
  const VF64 residue = hn::Sub(s2, hn::Mul(gain, s12));
  const VF64 n1 = hn::Add(hn::Trunc(hn::Max(residue, hn::Zero(DF64()))), noise);
  const VF64 limited = hn::Min(gain, gain_limit);
  return {hn::Add(s1, noise), n1, hn::Add(hn::Trunc(hn::Mul(hn::Mul(limited, limited), s1)), n1)};
}

/// High halves of the doubles' bits.
HWY_INLINE V32 HighHalves(VF64 lower, VF64 upper) {
  return hn::ConcatOdd(D32(), hn::BitCast(D32(), upper), hn::BitCast(D32(), lower));
}

/// Log arguments of the first `count` textured pixels, a multiple of the lanes.
HWY_NOINLINE void FindGains(VifBuffers& buffers, int count, double gain_limit) {
  const VF64 limit = hn::Set(DF64(), gain_limit);
  for (int i = 0; i < count; i += kLanes) {
    const auto half = [&](int from) HWY_ATTR {
      const auto variance = [&](int which) HWY_ATTR {
        return hn::PromoteTo(DF64(), hn::Load(hn::Rebind<int32_t, DF64>(), buffers.textured[which] + from));
      };
      return Gain(variance(0), variance(1), variance(2), limit);
    };
    const LogArguments lower = half(i), upper = half(i + kLanes / 2);
    hn::Store(HighHalves(lower.den, upper.den), D32(), buffers.log_arguments[0] + i);
    hn::Store(HighHalves(lower.n1, upper.n1), D32(), buffers.log_arguments[1] + i);
    hn::Store(HighHalves(lower.n2, upper.n2), D32(), buffers.log_arguments[2] + i);
  }
}

// ---- variances

/// (a * b + 2^31) >> 32, unsigned.
HWY_INLINE V32 MeanProduct(VU32 a, VU32 b) {
  const auto odd_lanes = [](VU32 v)
                             HWY_ATTR { return hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(DU64(), v))); };
  const VU64 half = hn::Set(DU64(), uint64_t{1} << 31);
  const VU64 even = hn::Add(hn::MulEven(a, b), half);
  const VU64 odd = hn::Add(hn::MulEven(odd_lanes(a), odd_lanes(b)), half);
  return hn::BitCast(D32(), hn::OddEven(hn::BitCast(DU32(), odd), hn::BitCast(DU32(), hn::ShiftRight<32>(even))));
}

/// Collects the textured pixels of the rows of a group in one strip and adds everything up.
class Totals {
 public:
  HWY_INLINE Totals(VifBuffers& buffers, double gain_limit)
      : buffers_(buffers), gain_limit_(gain_limit), flat_(hn::Zero(DU64())) {
    const V32 zero = hn::Zero(D32());
    logs_ = {zero, zero, zero, zero};
  }

  /// Adds a row: M1, M2, X, Y, Z of `columns` pixels in any order. A pixel beyond the picture has moments of 0.
  HWY_NOINLINE void AddRow(int columns) {
    for (int x = 0; x < columns; x += kLanes) AddPixels(x);
    Process(pending_ / kLanes * kLanes);
  }

  /// `pixels`: how many the picture has in the rows added.
  HWY_NOINLINE void FlushTo(int64_t pixels, std::span<int64_t, kVifSumsPerScale> sums) {
    const V32 zero = hn::Zero(D32());
    Append(zero, zero, zero, 0);  // fills the last vector with what adds no log
    Process((pending_ + kLanes - 1) / kLanes * kLanes);
    const auto sum = [](V32 v) HWY_ATTR { return int64_t{hn::GetLane(hn::SumOfLanes(D32(), v))}; };
    sums[kVifNumLog] += sum(logs_.num_mantissa) + 2048 * sum(logs_.num_exponent);
    sums[kVifDenLog] += sum(logs_.den_mantissa) + 2048 * sum(logs_.den_exponent) - 2048 * kNoiseExponent * processed_;
    sums[kVifFlatNum] += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(DU64(), flat_)));
    sums[kVifFlatCount] += pixels - textured_count_;
  }

 private:
  HWY_INLINE void AddPixels(int x) {
    const auto moment = [&](int m) HWY_ATTR { return hn::Load(D32(), buffers_.moments[m] + x); };
    const VU32 m1 = hn::BitCast(DU32(), moment(0)), m2 = hn::BitCast(DU32(), moment(1));
    const V32 zero = hn::Zero(D32());
    const V32 s1 = hn::Sub(moment(2), MeanProduct(m1, m1));
    const V32 s2 = hn::Max(hn::Sub(moment(3), MeanProduct(m2, m2)), zero);
    const M32 textured = hn::Gt(s1, hn::Set(D32(), kVifNoise - 1));
    if (hn::AllFalse(D32(), textured)) return AddFlat(s2);
    // Without s12 > 0 and s2 > 0 a pixel adds nothing to num: as does s12 = 0, which makes n2 = n1.
    const V32 positive = hn::Max(hn::Sub(moment(4), MeanProduct(m1, m2)), zero);
    const V32 s12 = hn::IfThenElseZero(hn::Gt(s2, zero), positive);
    if (hn::AllTrue(D32(), textured)) return Append(s1, s2, s12, kLanes);
    AddFlat(hn::IfThenZeroElse(textured, s2));
    Append(hn::Compress(s1, textured), hn::Compress(s2, textured), hn::Compress(s12, textured),
           static_cast<int>(hn::CountTrue(D32(), textured)));
  }

  /// Appends the first `count` lanes; whole vectors are written.
  HWY_INLINE void Append(V32 s1, V32 s2, V32 s12, int count) {
    hn::StoreU(s1, D32(), buffers_.textured[0] + pending_);
    hn::StoreU(s2, D32(), buffers_.textured[1] + pending_);
    hn::StoreU(s12, D32(), buffers_.textured[2] + pending_);
    pending_ += count;
    textured_count_ += count;
  }

  HWY_INLINE void AddFlat(V32 s2) {
    const VU64 wide = hn::BitCast(DU64(), s2);
    const VU64 low = hn::And(wide, hn::Set(DU64(), 0xFFFFFFFFu));
    flat_ = hn::Add(flat_, hn::Add(low, hn::ShiftRight<32>(wide)));
  }

  /// Adds the logs of `count` textured pixels, whole vectors, and moves the rest to the front.
  HWY_INLINE void Process(int count) {
    FindGains(buffers_, count, gain_limit_);
    AddLogs(buffers_, count, logs_);
    processed_ += count;
    pending_ = std::max(pending_ - count, 0);
    for (auto& variances : buffers_.textured) hn::Store(hn::Load(D32(), variances + count), D32(), variances);
  }

  VifBuffers& buffers_;
  const double gain_limit_;
  VU64 flat_;  // sum of s2
  LogSums logs_;
  int pending_ = 0;
  int64_t textured_count_ = 0;
  int64_t processed_ = 0;  // with the zeros that filled the last vector
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_VIF_STATS_INL_H_
