// Vector types and idioms of ADM's SIMD implementation. Included once per instruction set.
#if defined(ACUTANCE_ADM_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_ADM_SIMD_INL_H_
#undef ACUTANCE_ADM_SIMD_INL_H_
#else
#define ACUTANCE_ADM_SIMD_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "metric/adm/adm_math.h"
#include "simd/pair_products-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

using D16 = hn::CappedTag<int16_t, 32>;  // a vector of pixels fits the narrowest picture, 33 wide
using D32 = hn::RepartitionToWide<D16>;
using D64 = hn::RepartitionToWide<D32>;
using DU16 = hn::RebindToUnsigned<D16>;
using DU32 = hn::RebindToUnsigned<D32>;
using DU64 = hn::RebindToUnsigned<D64>;
using DF = hn::Rebind<float, D32>;
using DHalf16 = hn::Half<D16>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;
using VU16 = hn::Vec<DU16>;
using VU32 = hn::Vec<DU32>;
using VU64 = hn::Vec<DU64>;
using VF = hn::Vec<DF>;

inline constexpr int kLanes16 = static_cast<int>(hn::MaxLanes(D16()));
inline constexpr int kLanes32 = kLanes16 / 2;

HWY_INLINE VU16 AsU16(V16 v) { return hn::BitCast(DU16(), v); }
HWY_INLINE V16 AsI16(VU16 v) { return hn::BitCast(D16(), v); }
template <class V>
HWY_INLINE VU32 AsU32(V v) {
  return hn::BitCast(DU32(), v);
}
template <class V>
HWY_INLINE V32 AsI32(V v) {
  return hn::BitCast(D32(), v);
}

/// The lanes of a vector of 32 bits widened to 64: even lanes, odd lanes. Products and sums are made on the two halves
/// and merged; a merge keeps the low 32 bits of each lane shifted right, for which a logical shift of the 64 bits does.
struct Wide {
  VU64 even;
  VU64 odd;
};

HWY_INLINE VU64 OddToEven(VU32 v) { return hn::ShiftRight<32>(hn::BitCast(DU64(), v)); }

HWY_INLINE Wide MulWide(V32 a, V32 b) {
  const DU64 d;
  const V32 a_odd = AsI32(OddToEven(AsU32(a))), b_odd = AsI32(OddToEven(AsU32(b)));
  return {hn::BitCast(d, hn::MulEven(a, b)), hn::BitCast(d, hn::MulEven(a_odd, b_odd))};
}
HWY_INLINE Wide MulWide(VU32 a, VU32 b) {
  return {hn::MulEven(a, b), hn::MulEven(AsU32(OddToEven(a)), AsU32(OddToEven(b)))};
}
/// b is the same in every lane.
HWY_INLINE Wide MulWideBy(V32 a, V32 b) {
  const DU64 d;
  return {hn::BitCast(d, hn::MulEven(a, b)), hn::BitCast(d, hn::MulEven(AsI32(OddToEven(AsU32(a))), b))};
}
HWY_INLINE Wide MulWideBy(VU32 a, VU32 b) { return {hn::MulEven(a, b), hn::MulEven(AsU32(OddToEven(a)), b)}; }

HWY_INLINE Wide AddWide(Wide a, Wide b) { return {hn::Add(a.even, b.even), hn::Add(a.odd, b.odd)}; }
HWY_INLINE Wide AddWide(Wide a, VU64 b) { return {hn::Add(a.even, b), hn::Add(a.odd, b)}; }

/// Low 32 bits of each lane >> kShift, kShift <= 32.
template <int kShift>
HWY_INLINE VU32 MergeShifted(Wide v) {
  const VU32 even = AsU32(hn::ShiftRight<kShift>(v.even));
  if constexpr (kShift == 32) return hn::OddEven(AsU32(v.odd), even);
  else return hn::OddEven(AsU32(hn::ShiftLeft<32 - kShift>(v.odd)), even);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif
