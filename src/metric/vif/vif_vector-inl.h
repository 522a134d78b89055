// Vectors of VIF's SIMD implementation: pairs of 16-bit samples in 32-bit lanes. Included once
// per instruction set.
//
// A block is 2N neighbouring columns (N lanes of 32 bits). It lives in two forms: 2N words in natural order, and two
// vectors of 32-bit lanes, "even" (columns 0, 2, 4, ...) and "odd" (columns 1, 3, 5, ...). Going from one to the other
// is a shift and a blend, never a shuffle across lanes.
#if defined(ACUTANCE_VIF_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_VIF_VECTOR_INL_H_
#undef ACUTANCE_VIF_VECTOR_INL_H_
#else
#define ACUTANCE_VIF_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include "metric/vif/vif.h"
#include "simd/pair_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

using D32 = hn::CappedTag<int32_t, kVifMaxLanes>;
using DU32 = hn::RebindToUnsigned<D32>;
using D16 = hn::Repartition<int16_t, D32>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;
using V16 = hn::Vec<D16>;

constexpr int kLanes = hn::MaxLanes(D32());
constexpr int kBlock = 2 * kLanes;  // columns

HWY_INLINE V32 Words32(V16 v) { return hn::BitCast(D32(), v); }
HWY_INLINE V16 Words16(V32 v) { return hn::BitCast(D16(), v); }

/// Low (high) words of the lanes of a block, in natural order.
HWY_INLINE V16 LowWords(V32 even, V32 odd) { return hn::OddEven(Words16(hn::ShiftLeft<16>(odd)), Words16(even)); }
HWY_INLINE V16 HighWords(V32 even, V32 odd) { return hn::OddEven(Words16(odd), Words16(hn::ShiftRight<16>(even))); }

/// Two 16-bit taps k and k + 1 as the words of a lane. A tap that does not fit int16 is spread over two layers.
template <int kFilter>
constexpr int32_t PackedTaps(int k, int layer) {
  const auto word = [&](int i) {
    const int tap = kVifFilters[kFilter].Tap(i);
    const int first = tap > 32767 ? tap / 2 : tap;
    return layer == 0 ? first : tap - first;
  };
  return PackPair(word(k), word(k + 1));
}

template <int kFilter, int kTap>
HWY_INLINE void AddTaps(V32& acc, V16 samples) {
  constexpr int32_t kFirst = PackedTaps<kFilter>(kTap, 0), kSecond = PackedTaps<kFilter>(kTap, 1);
  if constexpr (kFirst != 0) acc = AddPairProducts(acc, samples, Words16(hn::Set(D32(), kFirst)));
  if constexpr (kSecond != 0) acc = AddPairProducts(acc, samples, Words16(hn::Set(D32(), kSecond)));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_VIF_VECTOR_INL_H_
