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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif
