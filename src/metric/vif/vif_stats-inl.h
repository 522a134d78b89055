// Statistics of VIF (docs/spec/core.md 1.5): from filtered moments to variances, gains, logarithms
// and sums. Included once per instruction set.
//
// Two loops over a row, each with a short chain of dependent steps so that the CPU overlaps many pixels: variances
// (which drops flat pixels), then gains in float64 and logarithms. The reference alone decides which pixels
// are flat, and makes the denominator.
#if defined(ACUTANCE_VIF_STATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_VIF_STATS_INL_H_
#undef ACUTANCE_VIF_STATS_INL_H_
#else
#define ACUTANCE_VIF_STATS_INL_H_
#endif

#include <algorithm>

#include "metric/vif/vif_filter-inl.h"

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

/// 2048 * log2 of the leading bits of numbers, less constants: 2048 / kLogSegments for each segment of an octave from
/// the smallest number on, and `rest`.
struct Logs {
  V32 segment, rest;

  HWY_INLINE void Add(const Logs& logs) {
    segment = hn::Add(segment, logs.segment);
    rest = hn::Add(rest, logs.rest);
  }
  HWY_INLINE Logs Less(const Logs& logs) const { return {hn::Sub(segment, logs.segment), hn::Sub(rest, logs.rest)}; }
};

#if HWY_MAX_BYTES >= 32  // all such targets have FMA

HWY_INLINE constexpr const auto& LogPolynomial() {
  if constexpr (kLanes == 16) return kVifLogOf16;
  else return kVifLogOf8;
}

constexpr int kLogSegments = kLanes;
constexpr int32_t kLogOrigin = std::bit_cast<int32_t>(kVifLogRounder);

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

/// The log of T[32768 + the 15 leading mantissa bits] - kVifLogFirst + kLogOrigin + 2048 * exponent.
template <int kShift>
HWY_INLINE Logs LogsOf(V32 x) {
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
  return {segment, hn::BitCast(D32(), hn::MulAdd(q, t, LookUp(kRoundedBase, segment)))};
}

#else  // four lanes: the table itself

constexpr int kLogSegments = 1;
constexpr int32_t kLogOrigin = 0;

template <int kShift>
HWY_INLINE Logs LogsOf(V32 x) {
  HWY_ALIGN int32_t lanes[kLanes];
  hn::Store(hn::And(hn::ShiftRight<kShift - 15>(x), hn::Set(D32(), 32767)), D32(), lanes);
  for (int32_t& lane : lanes) lane = VifLogTable()[lane] - kVifLogFirst;
  return {hn::ShiftRight<kShift>(x), hn::Load(D32(), lanes)};
}

#endif

// ---- gains

/// What logs are taken of, for a vector of pixels: n1 and n2 as high halves of doubles, N + s1 as a float.
struct LogArguments {
  V32 n1, n2, den;
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

/// max(trunc(v), 0) + N, |v| < 2^51.
HWY_INLINE VF64 TruncatedPlusNoise(VF64 v) {
#if HWY_TARGET <= HWY_AVX3
  // From 2^52 to 2^53 doubles are the integers, so the addition truncates.
  using D = hn::RebindToSigned<DU64>;
  const VF64 least = hn::Set(DF64(), 0x1p52 + vif::kNoise);
  const VF64 sum{_mm512_add_round_pd(v.raw, least.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
  const auto limited = hn::Max(hn::BitCast(D(), sum), hn::BitCast(D(), least));
  return hn::Sub(hn::BitCast(DF64(), limited), hn::Set(DF64(), 0x1p52));
#else
  return hn::Add(hn::Trunc(hn::Max(v, hn::Zero(DF64()))), hn::Set(DF64(), vif::kNoise));
#endif
}

/// Half a vector of pixels whose division s12 / s1 is on its way.
struct Division {
  VF64 s1, s12, gain;

  HWY_INLINE Division(const int32_t* s1_of_pixels, const int32_t* s12_of_pixels)
      : s1(Promoted(s1_of_pixels)), s12(Promoted(s12_of_pixels)) {
    gain = hn::Div(s12, hn::Add(s1, hn::Set(DF64(), kVifGainEpsilon)));
  }

  static HWY_INLINE VF64 Promoted(const int32_t* variances) {
    return hn::PromoteTo(DF64(), hn::Load(hn::Rebind<int32_t, DF64>(), variances));
  }

  HWY_INLINE GainTerms Terms(const int32_t* s2_of_pixels, VF64 gain_limit) const {
    const VF64 residue = hn::Sub(Promoted(s2_of_pixels), hn::Mul(gain, s12));
    const VF64 n1 = TruncatedPlusNoise(residue);
    const VF64 limited = MinOfPositive(gain, gain_limit);
    return {n1, AddFraction(hn::Mul(hn::Mul(limited, limited), s1), n1)};
  }
};

/// High halves of the doubles' bits.
HWY_INLINE V32 HighHalves(VF64 lower, VF64 upper) {
  return hn::ConcatOdd(D32(), hn::BitCast(D32(), upper), hn::BitCast(D32(), lower));
}

/// Bits of x, 0 < x < 2^31, as a float whose 24 leading bits are those of x: without the first bit behind them nothing
/// is rounded up.
HWY_INLINE V32 BitsOfFloat(V32 x) {
#if HWY_TARGET <= HWY_AVX3
  const VF32 truncated{_mm512_cvt_roundepi32_ps(x.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
  return hn::BitCast(D32(), truncated);
#else
  return hn::BitCast(D32(), hn::ConvertTo(DF32(), hn::AndNot(hn::ShiftRight<24>(x), x)));
#endif
}

/// The gains of pixels [i, i + kLanes) of `textured` (s2, s12), with their s1.
struct Gains {
  Division lower, upper;

  HWY_INLINE Gains(const int32_t* s1, const VifBuffers& buffers, int i)
      : lower(s1 + i, buffers.textured[1] + i), upper(s1 + i + kLanes / 2, buffers.textured[1] + i + kLanes / 2) {}

  HWY_INLINE LogArguments Arguments(const int32_t* s1, const VifBuffers& buffers, int i, VF64 limit) const {
    const GainTerms a = lower.Terms(buffers.textured[0] + i, limit);
    const GainTerms b = upper.Terms(buffers.textured[0] + i + kLanes / 2, limit);
    const V32 den = BitsOfFloat(hn::Add(hn::Load(D32(), s1 + i), hn::Set(D32(), vif::kNoise)));
    return {HighHalves(a.n1, b.n1), HighHalves(a.n2, b.n2), den};
  }
};

/// The sum over the textured pixels of one group in one strip: too few to overflow the 32-bit lanes or their sums.
HWY_INLINE int64_t SumOfLogs(const Logs& logs) {
  const auto sum = [](V32 v) HWY_ATTR { return int64_t{hn::GetLane(hn::SumOfLanes(D32(), v))}; };
  return sum(logs.rest) + 2048 / kLogSegments * sum(logs.segment);
}

static_assert(int64_t{kVifGroup} * (kVifStrip + kVifMaxLanes) * 2048 * 64 < int64_t{1} << 31);

/// The logarithms of num and, in the first part, those of den, which the reference alone decides.
template <Part kPart>
HWY_INLINE void AddLogs(const LogArguments& a, Logs& num, Logs& den) {
  if constexpr (kPart == Part::kFirst) den.Add(LogsOf<kOfFloat>(a.den));
  num.Add(LogsOf<kOfDouble>(a.n2).Less(LogsOf<kOfDouble>(a.n1)));
}

/// Adds the first `count` textured pixels, a multiple of the lanes, in three stages: while the logs of a vector are
/// taken, the gains of the next one are used and those of the one after it are divided. No stage waits for its input,
/// and so none fills the CPU's queues. What lies beyond the last vector is divided, too, for nothing.
template <Part kPart>
HWY_NOINLINE void AddTextured(const int32_t* s1, const VifBuffers& buffers, int count, double gain_limit,
                              Logs& num_logs, Logs& den_logs) {
  if (count == 0) return;
  const VF64 limit = hn::Set(DF64(), gain_limit);
  Logs num = num_logs, den = den_logs;
  LogArguments before = Gains(s1, buffers, 0).Arguments(s1, buffers, 0, limit);
  Gains gains(s1, buffers, kLanes);
  for (int i = kLanes; i < count; i += kLanes) {
    const Gains next(s1, buffers, i + kLanes);
    AddLogs<kPart>(before, num, den);
    before = gains.Arguments(s1, buffers, i, limit);
    gains = next;
  }
  AddLogs<kPart>(before, num, den);
  num_logs = num, den_logs = den;
}

// ---- variances

/// (a * b + 2^31) >> 32, unsigned.
HWY_INLINE V32 MeanProduct(VU32 a, VU32 b) {
  const auto odd_lanes = [](VU32 v)
                             HWY_ATTR { return hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(DU64(), v))); };
  const VU64 half = hn::Set(DU64(), uint64_t{1} << 31);
  const VU64 even = hn::Add(hn::MulEven(a, b), half);
  const VU64 odd = hn::Add(hn::MulEven(odd_lanes(a), odd_lanes(b)), half);
#if HWY_TARGET <= HWY_AVX3
  alignas(64) static constexpr int32_t kHighHalves[] = {1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31};
  return V32{_mm512_permutex2var_epi32(even.raw, hn::Load(D32(), kHighHalves).raw, odd.raw)};
#else
  return hn::BitCast(D32(), hn::OddEven(hn::BitCast(DU32(), odd), hn::BitCast(DU32(), hn::ShiftRight<32>(even))));
#endif
}

/// What the reference alone adds up to in the rows of a group in one strip: all videos share it.
struct ReferenceTotals {
  void AddTo(VifSums sums) const {
    sums[kVifDenLog] += den_log;
    sums[kVifFlatCount] += flat_count;
  }

  int64_t den_log = 0;
  int64_t flat_count = 0;
};

/// The moments of a row of pixels.
struct MomentRow {
  const int32_t* m1;
  int32_t* x;  // s1 in the other parts
  const int32_t *m2, *y, *z;
};

/// What a distorted video adds up to in the rows of a group in one strip. The first one collects what the others need
/// of the reference: its variances s1 in the place of X, and those of textured pixels packed.
template <Part kPart>
class Totals {
 public:
  /// `several`: other videos follow, which need s1.
  HWY_INLINE Totals(VifBuffers& buffers, double gain_limit, bool several)
      : buffers_(buffers), gain_limit_(gain_limit), several_(several), flat_(hn::Zero(DU64())) {
    num_ = den_ = {hn::Zero(D32()), hn::Zero(D32())};
  }

  /// Adds a row of `columns` pixels in any order. A pixel beyond the picture has 0 everywhere.
  HWY_NOINLINE void AddRow(const MomentRow& row, int columns) {
    int pending = pending_;  // in a register: stores of variances could be stores to a member
    VU64 flat = flat_;
    for (int x = 0; x < columns; x += kLanes) AddPixels(row, x, pending, flat);
    pending_ = pending;
    flat_ = flat;
    Process(pending_ / kLanes * kLanes);
  }

  HWY_NOINLINE void FlushTo(VifSums sums) {
    Store(hn::Zero(D32()), hn::Zero(D32()), hn::Zero(D32()), pending_);  // fills the last vector with what adds no log
    textured_count_ = processed_ + pending_;
    Process((pending_ + kLanes - 1) / kLanes * kLanes);
    sums[kVifNumLog] += SumOfLogs(num_);
    sums[kVifFlatNum] += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(DU64(), flat_)));
  }

  /// After FlushTo; `pixels`: how many the picture has in the rows added.
  HWY_NOINLINE ReferenceTotals OfReference(int64_t pixels) {
    const auto origin = static_cast<int32_t>(static_cast<uint32_t>(kLogOrigin) * (processed_ / kLanes));
    const Logs den = {den_.segment, hn::Sub(den_.rest, hn::Set(D32(), origin))};
    return {SumOfLogs(den) - int64_t{2048} * kDenExponent * processed_, pixels - textured_count_};
  }

 private:
  HWY_INLINE void AddPixels(const MomentRow& row, int x, int& pending, VU64& flat) const {
    const auto mean = [&](const int32_t* m) HWY_ATTR { return hn::BitCast(DU32(), hn::Load(D32(), m + x)); };
    const VU32 m1 = mean(row.m1), m2 = mean(row.m2);
    const V32 zero = hn::Zero(D32());
    V32 s1 = hn::Load(D32(), row.x + x);
    if constexpr (kPart == Part::kFirst) {
      s1 = hn::Sub(s1, MeanProduct(m1, m1));
      if (several_) hn::Store(s1, D32(), row.x + x);
    }
    const V32 s2 = hn::Max(hn::Sub(hn::Load(D32(), row.y + x), MeanProduct(m2, m2)), zero);
    const M32 textured = hn::Gt(s1, hn::Set(D32(), vif::kNoise - 1));
    if (hn::AllFalse(D32(), textured)) return AddFlat(s2, flat);
    // Without s12 > 0 and s2 > 0 a pixel adds nothing to num: as does s12 = 0, which makes n2 = n1.
    const V32 positive = hn::Max(hn::Sub(hn::Load(D32(), row.z + x), MeanProduct(m1, m2)), zero);
    const V32 s12 = hn::IfThenElseZero(hn::Gt(s2, zero), positive);
    if (hn::AllTrue(D32(), textured)) {
      Store(s1, s2, s12, pending);
      pending += kLanes;
      return;
    }
    AddFlat(hn::IfThenZeroElse(textured, s2), flat);
    if constexpr (kPart == Part::kFirst) s1 = hn::Compress(s1, textured);
    Store(s1, hn::Compress(s2, textured), hn::Compress(s12, textured), pending);
    pending += static_cast<int>(hn::CountTrue(D32(), textured));
  }

  /// Whole vectors at pixel `at` of the textured ones.
  HWY_INLINE void Store(V32 s1, V32 s2, V32 s12, int at) const {
    if constexpr (kPart == Part::kFirst) hn::StoreU(s1, D32(), buffers_.textured_s1 + processed_ + at);
    hn::StoreU(s2, D32(), buffers_.textured[0] + at);
    hn::StoreU(s12, D32(), buffers_.textured[1] + at);
  }

  static HWY_INLINE void AddFlat(V32 s2, VU64& flat) { flat = hn::Add(flat, SumPairs(hn::BitCast(DU32(), s2))); }

  /// Adds the logs of `count` textured pixels, whole vectors, and moves the rest to the front.
  HWY_INLINE void Process(int count) {
    AddTextured<kPart>(buffers_.textured_s1 + processed_, buffers_, count, gain_limit_, num_, den_);
    processed_ += count;
    pending_ = std::max(pending_ - count, 0);
    for (auto& variances : buffers_.textured) hn::Store(hn::Load(D32(), variances + count), D32(), variances);
  }

  VifBuffers& buffers_;
  const double gain_limit_;
  const bool several_;
  VU64 flat_;  // sum of s2
  Logs num_, den_;
  int pending_ = 0;
  int processed_ = 0;  // with the zeros that filled the last vector
  int textured_count_ = 0;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_VIF_STATS_INL_H_
