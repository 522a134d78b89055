// Types and steps that the detail rows of all scales share.
#if defined(ACUTANCE_ADM_DETAIL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_ADM_DETAIL_INL_H_
#undef ACUTANCE_ADM_DETAIL_INL_H_
#else
#define ACUTANCE_ADM_DETAIL_INL_H_
#endif

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

template <class D>
HWY_INLINE hn::Mask<D> ScoredLanes(const DetailRow& row, int i) {
  return hn::AndNot(FirstLanes(D(), row.scored.begin - i), FirstLanes(D(), row.scored.end - i));
}

struct AngleTest {
  hn::Mask<DF> flag;
  hn::Mask<DF> ambiguous;  // too close for floats

  HWY_INLINE V32 Flags() const { return hn::BitCast(D32(), hn::VecFromMask(DF(), flag)); }
};

/// Tests dp^2 >= cos^2 * om * tm in float. The relative error of the inputs is at most
/// 2^-kInputBits (that of dp relative to sqrt(om * tm)), so that the error of both sides is below
/// 2^(3 - kInputBits).
template <int kInputBits>
HWY_INLINE AngleTest TestAngle(VF dp, VF om, VF tm) {
  const DF d;
  constexpr double kMargin = 8.0 / (1 << kInputBits);
  const VF left = hn::Mul(dp, dp), right = hn::Mul(om, tm);
  const auto sure = hn::Ge(left, hn::Mul(right, hn::Set(d, static_cast<float>(adm::kCosSquared * (1 + kMargin)))));
  const auto maybe = hn::Ge(left, hn::Mul(right, hn::Set(d, static_cast<float>(adm::kCosSquared * (1 - kMargin)))));
  const auto ahead = hn::Ge(dp, hn::Zero(d));
  return {hn::And(ahead, sure), hn::And(ahead, hn::Xor(sure, maybe))};
}

// --- Sums of cubes of the reference's bands, for the denominator.

/// Of lanes 0..22929 at scale 0, order free.
HWY_INLINE V64 AddCubes(V64 sum, V16 magnitude) {
  const D32 d32;
  const VU32 pairs = AsU32(AsU16(magnitude));
  const VU32 lanes[2] = {hn::And(pairs, hn::Set(DU32(), 0xffffu)), hn::ShiftRight<16>(pairs)};
  for (const VU32 v : lanes) {
    const V16 v16 = hn::BitCast(D16(), v);
    const VU32 square = AsU32(AddPairProducts(hn::Zero(d32), v16, v16));
    const Wide cube = MulWide(square, v);
    sum = hn::Add(sum, hn::BitCast(D64(), hn::Add(cube.even, cube.odd)));
  }
  return sum;
}

/// Of scales 1 to 3.
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

// --- Contrast masking of one row: thresholds from the masker's 3x3 neighbourhoods, and the cubes of
// the magnitudes above them.

/// Sums of three rows of shares; count columns and one more on either side.
HWY_INLINE void SumColumns(const int32_t* above, const int32_t* here, const int32_t* below, int count, int32_t* out) {
  const D32 d;
  for (int i = 0; i < count + 2; i += kLanes32) {
    const V32 sum = hn::Add(hn::Add(hn::Load(d, above + i), hn::Load(d, here + i)), hn::Load(d, below + i));
    hn::Store(sum, d, out + i);
  }
}

/// A shift of 64-bit lanes: only where factors wrap can a lane be negative.
template <bool kWide>
HWY_INLINE V64 ShiftCube(V64 v, int shift) {
  if constexpr (kWide) return hn::ShiftRightSame(v, shift);
  else return hn::BitCast(D64(), hn::ShiftRightSame(hn::BitCast(DU64(), v), shift));
}

/// Sum of ((y^2 + round) >> kSquareShift) * y, each rounded and shifted.
template <int kSquareShift, bool kWide>
HWY_INLINE V64 AddMaskedCubes(V64 sum, V32 y, V64 round, int shift) {
  const V64 square_round = hn::Set(D64(), int64_t{1} << (kSquareShift - 1));
  const auto cube = [&](V32 v) HWY_ATTR {
    const VU64 square = hn::BitCast(DU64(), hn::Add(hn::MulEven(v, v), square_round));
    const V64 product = hn::MulEven(AsI32(hn::ShiftRight<kSquareShift>(square)), v);
    return ShiftCube<kWide>(hn::Add(product, round), shift);
  };
  return hn::Add(sum, hn::Add(cube(y), cube(AsI32(OddToEven(AsU32(y))))));
}

/// The part of lanes i.. of a band of `signal` that exceeds the threshold.
template <bool kScale0, int kBand>
HWY_INLINE V32 ExcessOf(const AdmSignalRow& signal, int i, V32 factor, V32 threshold) {
  const D32 d;
  if constexpr (kScale0) {
    const V32 x = hn::PromoteTo(d, hn::LoadU(DHalf16(), signal.magnitudes.Band<int16_t>(kBand) + i));
    const V32 mask = hn::ShiftLeft<adm::threshold_shift(0, kBand)>(threshold);
    return hn::Max(hn::Sub(hn::Mul(x, factor), mask), hn::Zero(d));
  } else {
    return hn::Max(hn::Sub(hn::LoadU(d, signal.magnitudes.Band<int32_t>(kBand) + i), threshold), hn::Zero(d));
  }
}

/// Sums over `columns` of the scored ones, by band.
template <bool kScale0, bool kWide>
void MaskRow(const AdmScale& s, const AdmRange& columns, const AdmSignalRow& signal, const AdmSignalRow& masker,
             const int32_t* column_sums, int64_t* row_sums) {
  const D32 d;
  const D64 d64;
  V64 sums[kAdmBands] = {hn::Zero(d64), hn::Zero(d64), hn::Zero(d64)};
  const V64 round_hv = hn::Set(d64, int64_t{1} << (s.cube_shift[0] - 1));
  const V64 round_d = hn::Set(d64, int64_t{1} << (s.cube_shift[2] - 1));
  const V32 factor_hv = hn::Set(d, static_cast<int32_t>(s.factor[0]));
  const V32 factor_d = hn::Set(d, static_cast<int32_t>(s.factor[2]));
  constexpr int kShiftHv = adm::square_shift(kScale0 ? 0 : 1, 0);
  constexpr int kShiftD = adm::square_shift(kScale0 ? 0 : 1, 2);
  for (int i = columns.begin; i < columns.end; i += kLanes32) {
    const V32 box = hn::Add(hn::Add(hn::LoadU(d, column_sums + i), hn::LoadU(d, column_sums + i + 1)),
                            hn::LoadU(d, column_sums + i + 2));
    const V32 threshold = hn::Add(box, hn::LoadU(d, masker.centre + i + 1));
    const auto inside = FirstLanes(d, columns.end - i);
    const V32 h = ExcessOf<kScale0, 0>(signal, i + 1, factor_hv, threshold);
    const V32 v = ExcessOf<kScale0, 1>(signal, i + 1, factor_hv, threshold);
    const V32 diagonal = ExcessOf<kScale0, 2>(signal, i + 1, factor_d, threshold);
    sums[0] = AddMaskedCubes<kShiftHv, kWide>(sums[0], hn::IfThenElseZero(inside, h), round_hv, s.cube_shift[0]);
    sums[1] = AddMaskedCubes<kShiftHv, kWide>(sums[1], hn::IfThenElseZero(inside, v), round_hv, s.cube_shift[1]);
    sums[2] = AddMaskedCubes<kShiftD, kWide>(sums[2], hn::IfThenElseZero(inside, diagonal), round_d, s.cube_shift[2]);
  }
  for (int band = 0; band < kAdmBands; ++band) row_sums[band] = hn::GetLane(hn::SumOfLanes(d64, sums[band]));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_ADM_DETAIL_INL_H_
