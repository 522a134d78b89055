// The wavelet by rows: vertical filters of four input rows, then horizontal filters of the rounded row.
#if defined(ACUTANCE_ADM_WAVELET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_ADM_WAVELET_INL_H_
#undef ACUTANCE_ADM_WAVELET_INL_H_
#else
#define ACUTANCE_ADM_WAVELET_INL_H_
#endif

#include "image/picture.h"
#include "metric/adm/adm_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

/// The four input rows of output row y.
template <class T>
struct InputRows {
  const T* row[4];
  InputRows(const Plane& plane, int y) {
    for (int k = 0; k < 4; ++k) row[k] = plane.Row<T>(adm::WaveletIndex(2 * y - 1 + k, plane.height));
  }
};

/// Columns [begin, end) of an input row of `width`.
struct Span {
  int begin;
  int end;
  int width;
};

/// Gives a filtered row the three samples beyond its ends that the horizontal filter reads.
template <class T>
HWY_INLINE void PadRow(T* row, int width) {
  row[-1] = row[1];
  row[width] = row[width - 1];
  row[width + 1] = row[width - 2];
}

// --- Scale 0, from pixels. At 8 to 12 bits a pixel fits int16 and the bias joins the rounding constant; 16-bit pixels
// are made signed first, which takes the bias away (the high filter's taps sum to 0).

template <class Sample>
HWY_INLINE V16 LoadPixels(const Sample* p, V16 flip) {
  const D16 d;
  if constexpr (sizeof(Sample) == 1) {
    (void)flip;
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, D16>(), p));
  } else {
    return hn::Xor(AsI16(hn::LoadU(DU16(), p)), flip);
  }
}

struct PixelPairs {
  V16 first_lower, first_upper, second_lower, second_upper;
};

HWY_INLINE V16 FilterPixels(const PixelPairs& p, const int16_t (&taps)[4], V32 add, int shift) {
  const V16 t01 = TapPair(taps[0], taps[1]), t23 = TapPair(taps[2], taps[3]);
  const V32 lower = AddPairProducts(AddPairProducts(add, p.first_lower, t01), p.second_lower, t23);
  const V32 upper = AddPairProducts(AddPairProducts(add, p.first_upper, t01), p.second_upper, t23);
  // The interleaved halves of each 128-bit block fall back into order.
  return hn::ReorderDemote2To(D16(), hn::ShiftRightSame(lower, shift), hn::ShiftRightSame(upper, shift));
}

/// low and, unless null, high.
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
    const V16 p0 = LoadPixels(in.row[0] + x, flip), p1 = LoadPixels(in.row[1] + x, flip);
    const V16 p2 = LoadPixels(in.row[2] + x, flip), p3 = LoadPixels(in.row[3] + x, flip);
    const PixelPairs pairs{hn::InterleaveLower(d, p0, p1), hn::InterleaveUpper(d, p0, p1),
                           hn::InterleaveLower(d, p2, p3), hn::InterleaveUpper(d, p2, p3)};
    hn::StoreU(FilterPixels(pairs, adm::kLow, low_add, bit_depth), d, low + x);
    if (high) hn::StoreU(FilterPixels(pairs, adm::kHigh, high_add, bit_depth), d, high + x);
  }
}

/// Two vectors of neighbouring pairs of a filtered row: outputs [i, i + kLanes16) of it.
struct RowPairs {
  V16 p01[2], p23[2];
  HWY_INLINE RowPairs(const int16_t* row, int i) {
    for (int half = 0; half < 2; ++half) {
      p01[half] = hn::LoadU(D16(), row + 2 * i - 1 + half * kLanes16);
      p23[half] = hn::LoadU(D16(), row + 2 * i + 1 + half * kLanes16);
    }
  }
};

HWY_INLINE V16 HorizontalPixels(const RowPairs& p, const int16_t (&taps)[4]) {
  static_assert(adm::kHorizontal0.shift == 16);
  const V16 t01 = TapPair(taps[0], taps[1]), t23 = TapPair(taps[2], taps[3]);
  const V32 add = hn::Set(D32(), adm::kHorizontal0.add);
  const V32 first = AddPairProducts(AddPairProducts(add, p.p01[0], t01), p.p23[0], t23);
  const V32 second = AddPairProducts(AddPairProducts(add, p.p01[1], t01), p.p23[1], t23);
  return hn::ConcatOdd(D16(), hn::BitCast(D16(), second), hn::BitCast(D16(), first));  // >> 16
}

HWY_INLINE void LowPassRow(const int16_t* row, int width, int16_t* out) {
  for (int i = 0; i < width; i += kLanes16) hn::StoreU(HorizontalPixels(RowPairs(row, i), adm::kLow), D16(), out + i);
}

// --- Scales 1 to 3. Scale 1 reads int16 and keeps its vertical sums whole: they fit int32.

HWY_INLINE V32 PairRows(const int16_t* first, const int16_t* second) {
  const hn::Half<DU16> half;
  const VU32 a = hn::PromoteTo(DU32(), hn::LoadU(half, reinterpret_cast<const uint16_t*>(first)));
  const VU32 b = hn::PromoteTo(DU32(), hn::LoadU(half, reinterpret_cast<const uint16_t*>(second)));
  return AsI32(hn::Or(a, hn::ShiftLeft<16>(b)));
}

template <int kScale>
void Vertical(const InputRows<int16_t>& in, Span span, int32_t* low, int32_t* high) {
  static_assert(kScale == 1);
  const D16 d;
  const D32 d32;
  for (int x = span.begin; x < span.end; x += kLanes32) {
    const V16 p01 = hn::BitCast(d, PairRows(in.row[0] + x, in.row[1] + x));
    const V16 p23 = hn::BitCast(d, PairRows(in.row[2] + x, in.row[3] + x));
    const auto filter = [&](const int16_t(&taps)[4]) HWY_ATTR {
      const V32 first = AddPairProducts(hn::Zero(d32), p01, TapPair(taps[0], taps[1]));
      return AddPairProducts(first, p23, TapPair(taps[2], taps[3]));
    };
    hn::StoreU(filter(adm::kLow), d32, low + x);
    if (high) hn::StoreU(filter(adm::kHigh), d32, high + x);
  }
}

HWY_INLINE V64 MulTap(VU64 v, int16_t tap) { return hn::MulEven(AsI32(v), hn::Set(D32(), tap)); }

HWY_INLINE VU64 FilterEven(const VU64 (&v)[4], const int16_t (&taps)[4], int32_t add) {
  const V64 first = hn::Add(MulTap(v[0], taps[0]), MulTap(v[1], taps[1]));
  const V64 second = hn::Add(MulTap(v[2], taps[2]), MulTap(v[3], taps[3]));
  return hn::BitCast(DU64(), hn::Add(hn::Add(first, second), hn::Set(D64(), add)));
}

template <int kScale>
void Vertical(const InputRows<int32_t>& in, Span span, int32_t* low, int32_t* high) {
  static_assert(adm::kVertical[kScale].shift == 16);
  const D32 d32;
  for (int x = span.begin; x < span.end; x += kLanes32) {
    VU64 even[4], odd[4];
    for (int k = 0; k < 4; ++k) {
      const VU32 v = AsU32(hn::LoadU(d32, in.row[k] + x));
      even[k] = hn::BitCast(DU64(), v);
      odd[k] = OddToEven(v);
    }
    const auto filter = [&](const int16_t(&taps)[4]) HWY_ATTR {
      constexpr int32_t kAdd = adm::kVertical[kScale].add;
      return AsI32(MergeShifted<16>({FilterEven(even, taps, kAdd), FilterEven(odd, taps, kAdd)}));
    };
    hn::StoreU(filter(adm::kLow), d32, low + x);
    if (high) hn::StoreU(filter(adm::kHigh), d32, high + x);
  }
}

/// The four samples of outputs [i, i + kLanes32) in 64-bit lanes, two vectors of each.
struct RowQuads {
  VU64 sample[2][4];
  HWY_INLINE RowQuads(const int32_t* row, int i) {
    for (int half = 0; half < 2; ++half) {
      const VU32 v01 = AsU32(hn::LoadU(D32(), row + 2 * i - 1 + half * kLanes32));
      const VU32 v23 = AsU32(hn::LoadU(D32(), row + 2 * i + 1 + half * kLanes32));
      sample[half][0] = hn::BitCast(DU64(), v01);
      sample[half][1] = OddToEven(v01);
      sample[half][2] = hn::BitCast(DU64(), v23);
      sample[half][3] = OddToEven(v23);
    }
  }
};

template <int kScale>
HWY_INLINE V32 Horizontal(const RowQuads& q, const int16_t (&taps)[4]) {
  constexpr adm::Rounding kRounding = adm::kHorizontal[kScale];
  const VU64 first = hn::ShiftRight<kRounding.shift>(FilterEven(q.sample[0], taps, kRounding.add));
  const VU64 second = hn::ShiftRight<kRounding.shift>(FilterEven(q.sample[1], taps, kRounding.add));
  return AsI32(hn::ConcatEven(DU32(), AsU32(second), AsU32(first)));
}

template <int kScale>
HWY_INLINE void LowPassRow(const int32_t* row, int width, int32_t* out) {
  for (int i = 0; i < width; i += kLanes32) hn::StoreU(Horizontal<kScale>(RowQuads(row, i), adm::kLow), D32(), out + i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif
