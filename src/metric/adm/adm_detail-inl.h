// Types and steps that the detail rows of all scales share.
#if defined(ACUTANCE_ADM_DETAIL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_ADM_DETAIL_INL_H_
#undef ACUTANCE_ADM_DETAIL_INL_H_
#else
#define ACUTANCE_ADM_DETAIL_INL_H_
#endif

#include <array>
#include <bit>

#include "metric/adm/adm_rows.h"
#include "metric/adm/adm_wavelet-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

/// What the gain limit does: nothing at scale 0, an integer product, or a double one.
enum class Gain { kOne, kInteger, kReal };

/// One row of detail bands: its columns and its outputs. The reference's bands are made once for all
/// distorted videos.
struct DetailRow {
  AdmSplitRow low[2], high[2];  // filtered rows, by picture
  AdmBandRows reference;        // its detail bands
  AdmDecoupledRow decoupled;    // of a distorted video
  int column;                   // first
  int count;
  AdmRange scored;                  // of the count
  AdmSignalRow restored, additive;  // element 0: the first column
  int64_t* den;                     // row sums of the reference by band; null: not wanted
};

template <class D>
HWY_INLINE hn::Mask<D> FirstLanes(D d, int count) {
  return hn::FirstN(d, static_cast<size_t>(std::clamp(count, 0, static_cast<int>(hn::MaxLanes(d)))));
}

/// Those of lanes i.. that lie in `range`.
template <class D>
HWY_INLINE hn::Mask<D> LanesOf(const AdmRange& range, int i) {
  return hn::AndNot(FirstLanes(D(), range.begin - i), FirstLanes(D(), range.end - i));
}

struct AngleTest {
  hn::Mask<DF> flag;
  hn::Mask<DF> ambiguous;  // too close for floats

  HWY_INLINE V32 Flags() const { return hn::BitCast(D32(), hn::VecFromMask(DF(), flag)); }
};

/// Tests |o x t| <= tan(1 degree) o.t, whose floats may be off by 2^-11 (README.md).
HWY_INLINE AngleTest TestAngle(VF dot, VF cross) {
  const DF d;
  const VF sine = hn::Abs(cross);
  const auto sure = hn::Le(sine, hn::Mul(dot, hn::Set(d, 0.017446348f)));  // tan * (1 - 2^-11)
  const auto maybe = hn::Le(sine, hn::Mul(dot, hn::Set(d, 0.017463394f)));
  return {sure, hn::Xor(sure, maybe)};
}

// --- Sums of cubes of the reference's bands, for the denominator.

/// Of int16 lanes at scale 0, up to 22929: o^2 = 32768 r + e with |e| <= 16384, so that r * o and e * o of four lanes
/// fit 32 bits.
class CubeSum0 {
 public:
  HWY_INLINE CubeSum0() : r_(hn::Zero(DU64())), e_(hn::Zero(DU64())) {}

  HWY_INLINE void Add(V16 first, V16 second) {
    V32 r = hn::Zero(D32()), e = hn::Set(D32(), kBias);
    for (const V16 o : {first, second}) {
      const V16 root = hn::MulFixedPoint15(o, o);
      r = AddPairProducts(r, o, root);
      e = AddPairProducts(e, o, hn::Sub(hn::Mul(o, o), hn::ShiftLeft<15>(root)));
    }
    r_ = hn::Add(r_, SumPairs(AsU32(r)));
    e_ = hn::Add(e_, SumPairs(AsU32(e)));
    bias_ += kBias;
  }

  HWY_INLINE int64_t Total() const {
    const auto sum = [](VU64 v) HWY_ATTR { return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(DU64(), v))); };
    return (sum(r_) << 15) + sum(e_) - bias_ * kLanes32;
  }

 private:
  static constexpr int32_t kBias = 1536 << 20;  // above 4 * 22929 * 16384

  VU64 r_, e_;
  int64_t bias_ = 0;
};

/// Of scales 1 to 3.
template <int kScale>
HWY_INLINE V64 AddDenCubes(V64 sum, VU32 o, int cube_shift) {
  constexpr int kShift = adm::reference_square_shift(kScale);
  const DU64 d;
  const VU64 round = hn::Set(d, uint64_t{1} << (cube_shift - 1));
  const VU64 square_round = hn::Set(d, uint64_t{1} << kShift);
  const auto cube = [&](VU32 v) HWY_ATTR {
    const VU64 square = hn::ShiftRight<kShift>(hn::Add(hn::MulEven(v, v), square_round));
    return ShiftRightBy(hn::Add(hn::MulEven(AsU32(square), v), round), cube_shift);
  };
  return hn::Add(sum, hn::BitCast(D64(), hn::Add(cube(o), cube(hn::DupOdd(o)))));
}

// --- Contrast masking of one row: thresholds from the masker's 3x3 neighbourhoods, and the cubes of the magnitudes
// above them.

/// The masker of a row.
struct Masker {
  const int32_t* share[3];  // of the rows above, here and below
  const int32_t* less_centre;
};

/// The thresholds of a row, negative, vector by vector. Neighbours to the left and right come from registers: loads
/// that cross cache lines take twice as long.
class Thresholds {
 public:
  HWY_INLINE Thresholds(const Masker& masker, int begin)
      : masker_(masker), before_(ColumnSum(begin - kLanes32)), here_(ColumnSum(begin)) {}

  /// Of elements i.., vectors in order.
  HWY_INLINE V32 NextNegative(int i) {
    const D32 d;
    const V32 after = ColumnSum(i + kLanes32);
    const V32 sides = hn::Add(LanesBefore(), LanesAfter(after));
    const V32 centre = hn::Sub(hn::LoadU(d, masker_.less_centre + i), here_);
    before_ = here_;
    here_ = after;
    return hn::Sub(centre, sides);
  }

 private:
  HWY_INLINE V32 ColumnSum(int i) const {
    const D32 d;
    return hn::Add(hn::Add(hn::LoadU(d, masker_.share[0] + i), hn::LoadU(d, masker_.share[1] + i)),
                   hn::LoadU(d, masker_.share[2] + i));
  }

#if HWY_TARGET <= HWY_AVX3
  HWY_INLINE V32 LanesBefore() const { return V32{_mm512_alignr_epi32(here_.raw, before_.raw, kLanes32 - 1)}; }
  HWY_INLINE V32 LanesAfter(V32 after) const { return V32{_mm512_alignr_epi32(after.raw, here_.raw, 1)}; }
#else
  HWY_INLINE V32 LanesBefore() const {
    const D32 d;
    const V32 low = kLanes32 == 4 ? before_ : hn::ConcatLowerUpper(d, here_, before_);
    return hn::CombineShiftRightBytes<12>(d, here_, low);
  }
  HWY_INLINE V32 LanesAfter(V32 after) const {
    const D32 d;
    const V32 high = kLanes32 == 4 ? after : hn::ConcatLowerUpper(d, after, here_);
    return hn::CombineShiftRightBytes<4>(d, high, here_);
  }
#endif

  const Masker masker_;
  V32 before_, here_;
};

/// A shift of 64-bit lanes: only where factors wrap can a lane be negative.
template <bool kWide>
HWY_INLINE V64 ShiftCube(V64 v, int shift) {
  if constexpr (kWide) return hn::ShiftRightSame(v, shift);
  else return hn::BitCast(D64(), ShiftRightBy(hn::BitCast(DU64(), v), shift));
}

/// Sum of ((y^2 + round) >> kSquareShift) * y, each rounded and shifted.
template <int kSquareShift, bool kWide>
int64_t SumOfMaskedCubes(const int32_t* y, const int32_t* end, int shift) {
  const D32 d;
  const D64 d64;
  const V64 square_round = hn::Set(d64, int64_t{1} << (kSquareShift - 1));
  const V64 round = hn::Set(d64, int64_t{1} << (shift - 1));
  const auto cube = [&](V32 v) HWY_ATTR {
    const VU64 square = hn::BitCast(DU64(), hn::Add(hn::MulEven(v, v), square_round));
    const V64 product = hn::MulEven(AsI32(hn::ShiftRight<kSquareShift>(square)), v);
    return ShiftCube<kWide>(hn::Add(product, round), shift);
  };
  V64 even = hn::Zero(d64), odd = hn::Zero(d64);
  for (; y < end; y += kLanes32) {
    even = hn::Add(even, cube(hn::LoadU(d, y)));
    odd = hn::Add(odd, cube(hn::LoadU(d, y + 1)));
  }
  return hn::GetLane(hn::SumOfLanes(d64, hn::Add(even, odd)));
}

/// What of a row exceeds the thresholds, by band: most of the signals does not.
template <int kScale, bool kWide>
class PositiveRow {
 public:
  HWY_INLINE explicit PositiveRow(const AdmBandRows& space)
      : end_{space.Band<int32_t>(0), space.Band<int32_t>(1), space.Band<int32_t>(2)} {}

  HWY_INLINE void Add(int band, V32 excess) {
    const auto positive = hn::Gt(excess, hn::Zero(D32()));
#if HWY_TARGET == HWY_AVX2
    const unsigned bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(positive.raw)));
    const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<int64_t>(kLanesOf[bits])));
    hn::StoreU(V32{_mm256_permutevar8x32_epi32(excess.raw, lanes)}, D32(), end_[band]);
    end_[band] += std::popcount(bits);
#else
    hn::StoreU(hn::Compress(excess, positive), D32(), end_[band]);
    end_[band] += hn::CountTrue(D32(), positive);
#endif
  }

  HWY_INLINE void SumCubes(const AdmScale& s, const AdmBandRows& space, int64_t* row_sums) const {
    constexpr int kShiftHv = adm::square_shift(kScale, 0), kShiftD = adm::square_shift(kScale, 2);
    for (int band = 0; band < kAdmBands; ++band) {
      hn::StoreU(hn::Zero(D32()), D32(), end_[band]);
      const auto sum = band < 2 ? SumOfMaskedCubes<kShiftHv, kWide> : SumOfMaskedCubes<kShiftD, kWide>;
      row_sums[band] = sum(space.Band<int32_t>(band), end_[band], s.cube_shift[band]);
    }
  }

 private:
#if HWY_TARGET == HWY_AVX2
  /// The lanes that eight bits name, a byte each. Highway's Compress takes several times as long here (g++ 12).
  static constexpr std::array<uint64_t, 256> kLanesOf = [] {
    std::array<uint64_t, 256> all{};
    for (unsigned bits = 0; bits < 256; ++bits)
      for (int lane = 7; lane >= 0; --lane)
        if (bits >> lane & 1) all[bits] = all[bits] << 8 | static_cast<unsigned>(lane);
    return all;
  }();
#endif

  int32_t* end_[kAdmBands];
};

/// A factor of scale 0 as two that fit int16 (three where it may have 16 bits), for the lower or upper halves of lanes.
template <bool kWide>
struct Factor0 {
  V16 parts[2][2 + kWide];

  HWY_INLINE explicit Factor0(uint32_t factor) {
    const int half = static_cast<int>(factor / 2), rest = static_cast<int>(factor) - half;
    const int split[3] = {half, kWide ? half : rest, static_cast<int>(factor % 2)};
    for (int i = 0; i < 2 + kWide; ++i) {
      parts[0][i] = TapPair(D16(), split[i], 0);
      parts[1][i] = TapPair(D16(), 0, split[i]);
    }
  }

  template <int kHalf>
  HWY_INLINE V32 AddProduct(V32 sum, V16 x) const {
    for (const V16 part : parts[kHalf]) sum = AddPairProducts(sum, x, part);
    return sum;
  }
};

/// What of a signal exceeds the thresholds.
template <bool kScale0, bool kWide>
struct ExcessFinder {
  AdmBandRows magnitudes;
  Factor0<kWide> hv, d;

  /// Of elements i.., a vector of the lower or upper halves of scale 0's.
  template <int kHalf>
  HWY_INLINE void Find(int i, V32 threshold, V32 (&excess)[kAdmBands]) const {
    for (int band = 0; band < kAdmBands; ++band) {
      if constexpr (kScale0) {
        const V32 mask = band == 2 ? hn::ShiftLeft<adm::threshold_shift(0, 2)>(threshold)
                                   : hn::ShiftLeft<adm::threshold_shift(0, 0)>(threshold);
        const V16 x = hn::Load(D16(), magnitudes.Band<int16_t>(band) + i);
        excess[band] = (band == 2 ? d : hv).template AddProduct<kHalf>(mask, x);
      } else {
        const V32 x = hn::LoadU(D32(), magnitudes.Band<int32_t>(band) + i + kHalf * kLanes32);
        excess[band] = hn::Add(x, threshold);
      }
    }
  }
};

/// Sums over `columns` of the scored ones, by band; `space` for what exceeds the thresholds. Vectors stand where those
/// of the signal do.
template <bool kScale0, bool kWide>
void MaskRow(const AdmScale& s, const AdmRange& columns, const AdmSignalRow& signal, const Masker& masker,
             const AdmBandRows& space, int64_t* row_sums) {
  const AdmRange elements = {columns.begin + 1, columns.end + 1};
  const int begin = elements.begin / kLanes16 * kLanes16;
  const ExcessFinder<kScale0, kWide> finder{signal.magnitudes, Factor0<kWide>(s.factor[0]),
                                            Factor0<kWide>(s.factor[2])};
  PositiveRow<kScale0 ? 0 : 1, kWide> row(space);
  Thresholds thresholds(masker, begin);
  const auto add = [&]<int kHalf, bool kEdge>(int i) HWY_ATTR {
    const int at = i + kHalf * kLanes32;
    if (kEdge && at >= elements.end) return;
    V32 excess[kAdmBands];
    finder.template Find<kHalf>(i, thresholds.NextNegative(at), excess);
    for (int band = 0; band < kAdmBands; ++band)
      row.Add(band, kEdge ? hn::IfThenElseZero(LanesOf<D32>(elements, at), excess[band]) : excess[band]);
  };
  for (int i = begin; i < elements.end; i += kLanes16) {
    if (HWY_UNLIKELY(i < elements.begin || i + kLanes16 > elements.end)) {
      add.template operator()<0, true>(i);
      add.template operator()<1, true>(i);
    } else {
      add.template operator()<0, false>(i);
      add.template operator()<1, false>(i);
    }
  }
  row.SumCubes(s, space, row_sums);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_ADM_DETAIL_INL_H_
