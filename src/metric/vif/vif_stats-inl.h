// Statistics of VIF (docs/spec/core.md 1.5): from filtered moments to variances, gains, logarithms
// and sums. Included once per instruction set.
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

/// Where the exponent field of a number's bits begins: the number as a float, or the high half of a double.
constexpr int kOfFloat = 23, kOfDouble = 20;

constexpr int kDenExponent = 127 + 17;  // of N = 2^17 as a float

/// 2048 * log2(x) of the leading bits of x >= 1 is 2048 * Exponent(x) + MantissaLog(x), less constants (LogOrigin).
template <int kShift>
HWY_INLINE V32 Exponent(V32 x) {
  return hn::ShiftRight<kShift>(x);
}

#if HWY_MAX_BYTES >= 32  // all such targets have FMA

HWY_INLINE constexpr const auto& LogPolynomial() {
  if constexpr (kLanes == 16) return kVifLogOf16;
  else return kVifLogOf8;
}

constexpr int32_t kMantissaLogOrigin = std::bit_cast<int32_t>(kVifLogRounder);

HWY_INLINE VF32 AsFloat(V32 v) { return hn::BitCast(DF32(), v); }

/// The entry of `table` that the three or four lowest bits of each lane name.
HWY_INLINE VF32 LookUp(const std::array<float, kLanes>& table, V32 index) {
#if HWY_TARGET == HWY_AVX2  // Highway would clear the other bits first
  return VF32{_mm256_permutevar8x32_ps(hn::LoadU(DF32(), table.data()).raw, index.raw)};
#elif HWY_ARCH_X86
  return VF32{_mm512_permutexvar_ps(index.raw, hn::LoadU(DF32(), table.data()).raw)};
#else
  const auto indices = hn::IndicesFromVec(D32(), hn::And(index, hn::Set(D32(), kLanes - 1)));
  return hn::TableLookupLanes(hn::LoadU(DF32(), table.data()), indices);
#endif
}

/// T[32768 + the 15 leading mantissa bits] - kVifLogFirst + kMantissaLogOrigin.
template <int kShift>
HWY_INLINE V32 MantissaLog(V32 x) {
  constexpr const auto& p = LogPolynomial();
  static constexpr auto kRoundedBase = p.RoundedBase();
  const V32 segment = hn::ShiftRight < kLanes == 16 ? kShift - 4 : kShift - 3 > (x);
  V32 fraction = x;
  if constexpr (kShift == kOfDouble) fraction = hn::ShiftLeft<kOfFloat - kOfDouble>(x);
  const V32 one = hn::Set(D32(), 0x3F800000);
  const VF32 m = AsFloat(hn::OrAnd(one, fraction, hn::Set(D32(), 0x007FFF00)));
  const VF32 t = hn::MulAdd(m, LookUp(p.reciprocal, segment), hn::Set(DF32(), -1.0f));
  VF32 q = hn::Set(DF32(), p.coefficients[p.kTerms - 1]);
  for (int i = p.kTerms - 2; i >= 0; --i) q = hn::MulAdd(q, t, hn::Set(DF32(), p.coefficients[i]));
  return hn::BitCast(D32(), hn::MulAdd(q, t, LookUp(kRoundedBase, segment)));
}

#else  // four lanes: the table itself

constexpr int32_t kMantissaLogOrigin = 0;

template <int kShift>
HWY_INLINE V32 MantissaLog(V32 x) {
  HWY_ALIGN int32_t lanes[kLanes];
  hn::Store(hn::And(hn::ShiftRight<kShift - 15>(x), hn::Set(D32(), 32767)), D32(), lanes);
  for (int32_t& lane : lanes) lane = VifLogTable()[lane] - kVifLogFirst;
  return hn::Load(D32(), lanes);
}

#endif

// ---- gains

/// What logs are taken of, for a vector of pixels: N + s1 as floats, n1 and n2 as high halves of doubles.
struct LogArguments {
  V32 den, n1, n2;
};

/// n1 and n2 of half a vector: n1 < 2^32 and n2 < 2^45, whose fraction no log looks at.
struct GainTerms {
  VF64 n1, n2;
};

/// a + b, both at least 0, such that no fraction is rounded up to an integer.
HWY_INLINE VF64 AddFraction(VF64 fraction, VF64 integer) {
#if HWY_TARGET <= HWY_AVX3
  return VF64{_mm512_add_round_pd(fraction.raw, integer.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
#else
  return hn::Add(hn::Trunc(fraction), integer);
#endif
}

/// Bits of doubles that are not negative are in the order of the doubles, and integers are quicker to compare.
HWY_INLINE VF64 MinOfPositive(VF64 a, VF64 b) {
#if HWY_MAX_BYTES == 64
  using D = hn::RebindToSigned<DU64>;
  return hn::BitCast(DF64(), hn::Min(hn::BitCast(D(), a), hn::BitCast(D(), b)));
#else
  return hn::Min(a, b);
#endif
}

HWY_INLINE VF64 ZeroIfNegative(VF64 v) {
#if HWY_MAX_BYTES == 64
  using D = hn::RebindToSigned<DU64>;
  return hn::BitCast(DF64(), hn::Max(hn::BitCast(D(), v), hn::Zero(D())));
#else
  return hn::Max(v, hn::Zero(DF64()));
#endif
}

HWY_INLINE GainTerms Gain(VF64 s1, VF64 s2, VF64 s12, VF64 gain_limit) {
  const VF64 gain = hn::Div(s12, hn::Add(s1, hn::Set(DF64(), kVifGainEpsilon)));
  const VF64 residue = hn::Sub(s2, hn::Mul(gain, s12));
  const VF64 n1 = hn::Add(hn::Trunc(ZeroIfNegative(residue)), hn::Set(DF64(), vif::kNoise));
  const VF64 limited = MinOfPositive(gain, gain_limit);
  return {n1, AddFraction(hn::Mul(hn::Mul(limited, limited), s1), n1)};
}

/// High halves of the doubles' bits.
HWY_INLINE V32 HighHalves(VF64 lower, VF64 upper) {
  return hn::ConcatOdd(D32(), hn::BitCast(D32(), upper), hn::BitCast(D32(), lower));
}

/// Bits of x, 0 < x < 2^31, as a float whose 24 leading bits are those of x: without the first bit behind them nothing
/// is rounded up.
HWY_INLINE V32 BitsOfFloat(V32 x) {
  return hn::BitCast(D32(), hn::ConvertTo(DF32(), hn::AndNot(hn::ShiftRight<24>(x), x)));
}

HWY_INLINE LogArguments FindGains(const VifBuffers& buffers, int i, VF64 limit) {
  const auto half = [&](int from) HWY_ATTR {
    const auto variance = [&](int which) HWY_ATTR {
      return hn::PromoteTo(DF64(), hn::Load(hn::Rebind<int32_t, DF64>(), buffers.textured[which] + from));
    };
    return Gain(variance(0), variance(1), variance(2), limit);
  };
  const GainTerms lower = half(i), upper = half(i + kLanes / 2);
  const V32 den = hn::Add(hn::Load(D32(), buffers.textured[0] + i), hn::Set(D32(), vif::kNoise));
  return {BitsOfFloat(den), HighHalves(lower.n1, upper.n1), HighHalves(lower.n2, upper.n2)};
}

/// Sums over the textured pixels of one group in one strip. Each MantissaLog of den adds kMantissaLogOrigin; without
/// it they are too few to overflow the 32-bit lanes or their sums.
struct LogSums {
  V32 num_mantissa, num_exponent, den_mantissa, den_exponent;
};

static_assert(int64_t{kVifGroup} * (kVifStrip + kVifMaxLanes) * 2048 * 64 < int64_t{1} << 31);

HWY_INLINE void AddLogs(const LogArguments& a, LogSums& s) {
  s.den_mantissa = hn::Add(s.den_mantissa, MantissaLog<kOfFloat>(a.den));
  s.den_exponent = hn::Add(s.den_exponent, Exponent<kOfFloat>(a.den));
  s.num_mantissa = hn::Add(s.num_mantissa, hn::Sub(MantissaLog<kOfDouble>(a.n2), MantissaLog<kOfDouble>(a.n1)));
  s.num_exponent = hn::Add(s.num_exponent, hn::Sub(Exponent<kOfDouble>(a.n2), Exponent<kOfDouble>(a.n1)));
}

/// Adds the first `count` textured pixels, a multiple of the lanes. The logs of one vector are taken while the gains
/// of the next are on their way.
HWY_NOINLINE void AddTextured(const VifBuffers& buffers, int count, double gain_limit, LogSums& sums) {
  if (count == 0) return;
  const VF64 limit = hn::Set(DF64(), gain_limit);
  LogSums s = sums;
  LogArguments before = FindGains(buffers, 0, limit);
  for (int i = kLanes; i < count; i += kLanes) {
    const LogArguments next = FindGains(buffers, i, limit);
    AddLogs(before, s);
    before = next;
  }
  AddLogs(before, s);
  sums = s;
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
    const auto origin = static_cast<int32_t>(static_cast<uint32_t>(kMantissaLogOrigin) * (processed_ / kLanes));
    logs_.den_mantissa = hn::Sub(logs_.den_mantissa, hn::Set(D32(), origin));
    const auto sum = [](V32 v) HWY_ATTR { return int64_t{hn::GetLane(hn::SumOfLanes(D32(), v))}; };
    sums[kVifNumLog] += sum(logs_.num_mantissa) + 2048 * sum(logs_.num_exponent);
    sums[kVifDenLog] += sum(logs_.den_mantissa) + 2048 * sum(logs_.den_exponent) - 2048 * kDenExponent * processed_;
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
    const M32 textured = hn::Gt(s1, hn::Set(D32(), vif::kNoise - 1));
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

  HWY_INLINE void AddFlat(V32 s2) { flat_ = hn::Add(flat_, SumPairs(hn::BitCast(DU32(), s2))); }

  /// Adds the logs of `count` textured pixels, whole vectors, and moves the rest to the front.
  HWY_INLINE void Process(int count) {
    AddTextured(buffers_, count, gain_limit_, logs_);
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
