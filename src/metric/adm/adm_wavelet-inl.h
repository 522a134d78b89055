// Vector types and idioms of ADM's SIMD implementation. Included once per instruction set.
#if defined(ACUTANCE_ADM_WAVELET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_ADM_WAVELET_INL_H_
#undef ACUTANCE_ADM_WAVELET_INL_H_
#else
#define ACUTANCE_ADM_WAVELET_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "image/picture.h"
#include "metric/adm/adm_math.h"
#include "metric/adm/adm_rows.h"
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
  return {hn::BitCast(d, hn::MulEven(a, b)), hn::BitCast(d, hn::MulEven(hn::DupOdd(a), hn::DupOdd(b)))};
}
HWY_INLINE Wide MulWide(VU32 a, VU32 b) { return {hn::MulEven(a, b), hn::MulEven(hn::DupOdd(a), hn::DupOdd(b))}; }
/// b is the same in every lane.
HWY_INLINE Wide MulWideBy(V32 a, V32 b) {
  const DU64 d;
  return {hn::BitCast(d, hn::MulEven(a, b)), hn::BitCast(d, hn::MulEven(hn::DupOdd(a), b))};
}
HWY_INLINE Wide MulWideBy(VU32 a, VU32 b) { return {hn::MulEven(a, b), hn::MulEven(hn::DupOdd(a), b)}; }

HWY_INLINE Wide AddWide(Wide a, Wide b) { return {hn::Add(a.even, b.even), hn::Add(a.odd, b.odd)}; }
HWY_INLINE Wide AddWide(Wide a, VU64 b) { return {hn::Add(a.even, b), hn::Add(a.odd, b)}; }

/// Low 32 bits of each lane >> kShift, kShift <= 32.
template <int kShift>
HWY_INLINE VU32 MergeShifted(Wide v) {
  if constexpr (kShift == 32) return hn::OddEven(AsU32(v.odd), hn::DupOdd(AsU32(v.even)));
  else return hn::OddEven(AsU32(hn::ShiftLeft<32 - kShift>(v.odd)), AsU32(hn::ShiftRight<kShift>(v.even)));
}

/// A shift by a number that is known at run time alone. x86 takes an operation less for it as a vector, where it can.
template <class V>
HWY_INLINE V ShiftRightBy(V v, int shift) {
#if HWY_TARGET <= HWY_AVX2
  return hn::Shr(v, hn::Set(hn::DFromV<V>(), static_cast<hn::TFromV<V>>(shift)));
#else
  return hn::ShiftRightSame(v, shift);
#endif
}

// --- The wavelet by rows: vertical filters of four input rows, then horizontal filters of the rounded row.

/// The four input rows of output row y, and the two that row y + 1 adds to them.
template <class T>
struct InputRows {
  const T* row[4];
  const T* ahead[2];

  InputRows(const Plane& plane, int y) {
    for (int k = 0; k < 4; ++k) row[k] = plane.Row<T>(adm::wavelet_index(2 * y - 1 + k, plane.height));
    for (int k = 0; k < 2; ++k) ahead[k] = plane.Row<T>(std::min(2 * y + 3 + k, plane.height - 1));
  }

  /// Hardware prefetchers stop at page ends, which rows of pictures cross often.
  HWY_INLINE void Prefetch(int x) const {
    constexpr int kCacheLine = 64 / sizeof(T);
    if (x % kCacheLine > 0) return;
    hwy::Prefetch(ahead[0] + x);
    hwy::Prefetch(ahead[1] + x);
  }
};

/// Columns [begin, end) of an input row of `width`.
struct Span {
  int begin;
  int end;
  int width;
};

/// Gives a filtered row the three samples beyond its ends that the horizontal filter reads.
HWY_INLINE void PadRow(int16_t* row, int width) {
  row[-1] = row[1];
  row[width] = row[width - 1];
  row[width + 1] = row[width - 2];
}

// --- Scale 0, from pixels. At 8 to 12 bits a pixel fits int16 and the bias joins the rounding constant; 16-bit pixels
// are made signed first, which takes the bias away (the high filter's taps sum to 0).

template <class Sample>
HWY_INLINE V16 LoadPixels(const Sample* p, [[maybe_unused]] V16 flip) {
  if constexpr (sizeof(Sample) == 1) return LoadSamples(D16(), p);
  else return hn::Xor(LoadSamples(D16(), p), flip);
}

/// Four vectors of neighbouring rows, interleaved in pairs.
struct RowPairs {
  V16 lower01, upper01, lower23, upper23;
  HWY_INLINE RowPairs(V16 r0, V16 r1, V16 r2, V16 r3)
      : lower01(hn::InterleaveLower(D16(), r0, r1)),
        upper01(hn::InterleaveUpper(D16(), r0, r1)),
        lower23(hn::InterleaveLower(D16(), r2, r3)),
        upper23(hn::InterleaveUpper(D16(), r2, r3)) {}
};

HWY_INLINE V32 FilterPairs(V32 add, V16 p01, V16 p23, const int16_t (&taps)[4]) {
  return AddPairProducts(AddPairProducts(add, p01, TapPair(D16(), taps[0], taps[1])), p23,
                         TapPair(D16(), taps[2], taps[3]));
}

HWY_INLINE V16 FilterPixels(const RowPairs& p, const int16_t (&taps)[4], V32 add, int shift) {
  const V32 lower = FilterPairs(add, p.lower01, p.lower23, taps);
  const V32 upper = FilterPairs(add, p.upper01, p.upper23, taps);
  // The interleaved halves of each 128-bit block fall back into order.
  return hn::ReorderDemote2To(D16(), ShiftRightBy(lower, shift), ShiftRightBy(upper, shift));
}

/// Input columns of `span` to low and, unless null, high.
template <class Sample>
void VerticalPixels(const InputRows<Sample>& in, Span span, int bit_depth, int16_t* low, int16_t* high) {
  const D16 d;
  const bool is_signed = bit_depth > 15;
  const V16 flip = hn::Set(d, static_cast<int16_t>(is_signed ? -32768 : 0));
  const int32_t half = 1 << (bit_depth - 1);
  const V32 high_add = hn::Set(D32(), half);
  const V32 low_add = hn::Set(D32(), is_signed ? half : half - adm::kLowSum * half);
  for (int begin = span.begin; begin < span.end; begin += kLanes16) {
    const int x = std::min(begin, span.width - kLanes16);  // the last vector may overlap the one before
    in.Prefetch(x);
    const RowPairs pairs(LoadPixels(in.row[0] + x, flip), LoadPixels(in.row[1] + x, flip),
                         LoadPixels(in.row[2] + x, flip), LoadPixels(in.row[3] + x, flip));
    hn::StoreU(FilterPixels(pairs, adm::kLow, low_add, bit_depth), d, low + x);
    if (high) hn::StoreU(FilterPixels(pairs, adm::kHigh, high_add, bit_depth), d, high + x);
  }
}

/// Neighbouring pairs of a filtered row for outputs [i, i + kLanes16), in two vectors each.
struct ColumnPairs {
  V16 p01[2], p23[2];
  HWY_INLINE ColumnPairs(const int16_t* row, int i) {
    for (int half = 0; half < 2; ++half) {
      p01[half] = hn::LoadU(D16(), row + 2 * i - 1 + half * kLanes16);
      p23[half] = hn::LoadU(D16(), row + 2 * i + 1 + half * kLanes16);
    }
  }
};

/// 65536 times the filtered samples, and something below that: the first kLanes32 of them, or the rest.
template <int kHalf>
HWY_INLINE V16 FilterColumns(const ColumnPairs& p, const int16_t (&taps)[4]) {
  static_assert(adm::row_shift(0) == 16);
  const V32 add = hn::Set(D32(), 1 << (adm::row_shift(0) - 1));
  return hn::BitCast(D16(), FilterPairs(add, p.p01[kHalf], p.p23[kHalf], taps));
}

/// Detail bands of scale 0 are stored halved: lane i of 32 bits has sample i of a vector, and sample i + kLanes32 above
/// it.
HWY_INLINE V16 HorizontalHalved(const ColumnPairs& p, const int16_t (&taps)[4]) {
  const V16 first = FilterColumns<0>(p, taps), second = FilterColumns<1>(p, taps);
  return hn::OddEven(second, hn::BitCast(D16(), hn::ShiftRight<16>(AsU32(first))));
}

HWY_INLINE void LowPassRow(const int16_t* row, int width, int16_t* out) {
  for (int i = 0; i < width; i += kLanes16) {
    const ColumnPairs pairs(row, i);
    const V16 first = FilterColumns<0>(pairs, adm::kLow), second = FilterColumns<1>(pairs, adm::kLow);
    hn::StoreU(hn::ConcatOdd(D16(), second, first), D16(), out + i);
  }
}

// --- Scales 1 to 3: int32 rows are stored as two of int16, so that products stay in pairs of 16 bits (README.md).

/// Values in the order that interleaving left them in.
HWY_INLINE void StoreInterleaved(V32 lower, V32 upper, const AdmSplitRow& row, int i) {
  const D16 d;
  const auto biased = [](V32 v)
                          HWY_ATTR { return hn::Sub(hn::And(v, hn::Set(D32(), 0xffff)), hn::Set(D32(), 0x8000)); };
  hn::StoreU(hn::ReorderDemote2To(d, hn::ShiftRight<16>(lower), hn::ShiftRight<16>(upper)), d, row.top + i);
  hn::StoreU(hn::ReorderDemote2To(d, biased(lower), biased(upper)), d, row.rest + i);
}

/// Values in order, in two vectors.
HWY_INLINE void StoreOrdered(V32 first, V32 second, const AdmSplitRow& row, int i) {
  const D16 d;
  const V16 a = hn::BitCast(d, first), b = hn::BitCast(d, second);
  hn::StoreU(hn::ConcatOdd(d, b, a), d, row.top + i);
  hn::StoreU(hn::Xor(hn::ConcatEven(d, b, a), hn::Set(d, int16_t{-32768})), d, row.rest + i);
}

/// (65536 * tops + rests + 32768 * kTapSum + add) >> shift, for shift 15 or 16, from the filtered halves.
template <int kTapSum, int kShift>
HWY_INLINE V32 JoinSplit(V32 tops, V32 rests) {
  static_assert(kShift == 15 || kShift == 16);
  const V32 bias = hn::Set(D32(), kShift == 15 ? kTapSum : kTapSum / 2);
  if constexpr (kShift == 15) tops = hn::Add(tops, tops);
  return hn::Add(hn::Add(tops, bias), hn::ShiftRight<kShift>(rests));
}

HWY_INLINE RowPairs LoadRowPairs(const int16_t* const (&row)[4], ptrdiff_t x) {
  const D16 d;
  return RowPairs(hn::LoadU(d, row[0] + x), hn::LoadU(d, row[1] + x), hn::LoadU(d, row[2] + x),
                  hn::LoadU(d, row[3] + x));
}

/// Scale 1, from int16: the vertical sums are not rounded.
HWY_INLINE void VerticalWhole(const InputRows<int16_t>& in, int begin, int end, const AdmSplitRow& low,
                              const AdmSplitRow* high) {
  const V32 zero = hn::Zero(D32());
  for (int x = begin; x < end; x += kLanes16) {
    in.Prefetch(x);
    const RowPairs rows = LoadRowPairs(in.row, x);
    const auto filter = [&](const int16_t(&taps)[4], const AdmSplitRow& out) HWY_ATTR {
      StoreInterleaved(FilterPairs(zero, rows.lower01, rows.lower23, taps),
                       FilterPairs(zero, rows.upper01, rows.upper23, taps), out, x);
    };
    filter(adm::kLow, low);
    if (high) filter(adm::kHigh, *high);
  }
}

/// Scales 2 and 3, from split rows: the rest of a row follows its top by `rest` elements.
HWY_INLINE void VerticalSplit(const InputRows<int16_t>& in, ptrdiff_t rest, int begin, int end, const AdmSplitRow& low,
                              const AdmSplitRow* high) {
  constexpr int kShift = adm::kColumnShift;
  const V32 zero = hn::Zero(D32()), add = hn::Set(D32(), 1 << (kShift - 1));
  for (int x = begin; x < end; x += kLanes16) {
    const RowPairs tops = LoadRowPairs(in.row, x), rests = LoadRowPairs(in.row, x + rest);
    const auto filter = [&]<int kTapSum>(const int16_t(&taps)[4], const AdmSplitRow& out) HWY_ATTR {
      const V32 lower = JoinSplit<kTapSum, kShift>(FilterPairs(zero, tops.lower01, tops.lower23, taps),
                                                   FilterPairs(add, rests.lower01, rests.lower23, taps));
      const V32 upper = JoinSplit<kTapSum, kShift>(FilterPairs(zero, tops.upper01, tops.upper23, taps),
                                                   FilterPairs(add, rests.upper01, rests.upper23, taps));
      StoreInterleaved(lower, upper, out, x);
    };
    filter.template operator()<adm::kLowSum>(adm::kLow, low);
    if (high) filter.template operator()<0>(adm::kHigh, *high);
  }
}

/// Neighbouring pairs of a filtered row: outputs [i, i + kLanes32) of it.
struct SplitPairs {
  V16 top01, top23, rest01, rest23;
  HWY_INLINE SplitPairs(const AdmSplitRow& row, int i)
      : top01(hn::LoadU(D16(), row.top + 2 * i - 1)),
        top23(hn::LoadU(D16(), row.top + 2 * i + 1)),
        rest01(hn::LoadU(D16(), row.rest + 2 * i - 1)),
        rest23(hn::LoadU(D16(), row.rest + 2 * i + 1)) {}
};

template <int kScale, int kTapSum>
HWY_INLINE V32 Horizontal(const SplitPairs& p, const int16_t (&taps)[4]) {
  constexpr int kShift = adm::row_shift(kScale);
  const V32 tops = FilterPairs(hn::Zero(D32()), p.top01, p.top23, taps);
  const V32 rests = FilterPairs(hn::Set(D32(), 1 << (kShift - 1)), p.rest01, p.rest23, taps);
  return JoinSplit<kTapSum, kShift>(tops, rests);
}
template <int kScale>
HWY_INLINE V32 HorizontalLow(const SplitPairs& p) {
  return Horizontal<kScale, adm::kLowSum>(p, adm::kLow);
}
template <int kScale>
HWY_INLINE V32 HorizontalHigh(const SplitPairs& p) {
  return Horizontal<kScale, 0>(p, adm::kHigh);
}

template <int kScale>
HWY_INLINE void LowPassRow(const AdmSplitRow& row, int width, const AdmSplitRow& out) {
  for (int i = 0; i < width; i += kLanes16)
    StoreOrdered(HorizontalLow<kScale>(SplitPairs(row, i)), HorizontalLow<kScale>(SplitPairs(row, i + kLanes32)), out,
                 i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_ADM_WAVELET_INL_H_
