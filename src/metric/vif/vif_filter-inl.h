// Vectors of VIF's SIMD implementation: pairs of 16-bit samples in 32-bit lanes. Included once
// per instruction set.
//
// A block is 2N neighbouring columns (N lanes of 32 bits). It lives in two forms: 2N words in natural order, and two
// vectors of 32-bit lanes, "even" (columns 0, 2, 4, ...) and "odd" (columns 1, 3, 5, ...). Going from one to the other
// is a shift and a blend, never a shuffle across lanes.
#if defined(ACUTANCE_VIF_FILTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_VIF_FILTER_INL_H_
#undef ACUTANCE_VIF_FILTER_INL_H_
#else
#define ACUTANCE_VIF_FILTER_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <utility>

#include "metric/vif/vif.h"
#include "simd/pair_products-inl.h"
#include "simd/samples-inl.h"

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
HWY_INLINE V16 TapsAt() {
  return Words16(hn::Set(D32(), PackedTaps<kFilter>(kTap, 0)));
}

/// `taps` are TapsAt, wherever they lie.
template <bool kVnni, int kFilter, int kTap>
HWY_INLINE void AddTaps(V32& acc, V16 samples, V16 taps) {
  constexpr int32_t kFirst = PackedTaps<kFilter>(kTap, 0), kSecond = PackedTaps<kFilter>(kTap, 1);
  if constexpr (kFirst != 0) acc = AddPairProducts<kVnni>(acc, samples, taps);
  if constexpr (kSecond != 0) acc = AddPairProducts<kVnni>(acc, samples, Words16(hn::Set(D32(), kSecond)));
}

// Planes that are filtered at a time, down columns and along rows: as many as registers hold sums of.
#define ACU_VIF_LOADS_TAPS (HWY_TARGET == HWY_AVX2 && HWY_COMPILER_GCC_ACTUAL)
#if ACU_VIF_LOADS_TAPS
constexpr int kPlanesDown = 2, kPlanesAlong = 6;
#else
constexpr int kPlanesDown = 3, kPlanesAlong = 2;
#endif

/// TapsAt, with AVX2 out of memory for all planes, and not before a loop: there are more of them than registers.
template <int kFilter, int kTap>
HWY_INLINE V16 LoadTaps() {
  V16 taps = TapsAt<kFilter, kTap>();
#if ACU_VIF_LOADS_TAPS
  static constexpr int32_t kTaps = PackedTaps<kFilter>(kTap, 0);
  asm volatile("vpbroadcastd %1, %0" : "=x"(taps.raw) : "m"(kTaps));
#endif
  return taps;
}

// --- The vertical and horizontal passes of one strip of columns.
//
// Samples p of b bits are stored as p' = p - 2^(b-1), which fits int16; moments of p' stand in for moments of p:
//   sum f r        = sum f r' + 2^(b-1) 65536
//   sum f r d      = sum f r'd' + 2^(b-1) (sum f r' + sum f d') + 2^(2b-2) 65536
// At 8 bits r'd' fits int16. Above, r'd' = 65536 h + l with signed words h and l, and as S = 2(b-8) <= 16,
//   (65536 H + L + rnd) >> S = (H << (16 - S)) + ((L + rnd) >> S)   with H = sum f h, L = sum f l in int32.
// The vertical results q (uint32) are stored as u = q - 2^31 = 65536 h + l, again two words for the horizontal pass.

/// How moments are held: 8-bit samples, 9 to 15 bits, 16 bits.
enum class Depth { k8, kMiddle, k16 };

/// kVnniOnAvx2: the CPU has AVX-VNNI, which is no target of its own.
template <int kScaleIndex, Depth kDepthKind, bool kVnniOnAvx2 = false>
struct Config {
  static constexpr bool kVnni = kVnniOnAvx2;
  static constexpr int kScale = kScaleIndex;
  static constexpr Depth kDepth = kDepthKind;
  static constexpr int kRadius = kVifFilters[kScale].radius;
  static constexpr int kPad = (kRadius + 1) / 2 * 2;  // reach of the window, in whole pairs
  static constexpr int kPairs = (kVifGroup + 2 * kPad) / 2;
  static constexpr int kWords = kDepth == Depth::k8 ? 1 : 2;  // of a product: the high one, then the low one
};

constexpr int kPairBlock = 2 * kBlock;  // int16 of one pair of rows of one image in one block

/// Pairs of rows of all images, a block of each image in turn.
struct PairRows {
  const int16_t* const* rows;  // the reference's block 0
  ptrdiff_t stride;            // from block to block
  int blocks;
};

/// The first distorted video is filtered together with the reference, whose moments serve the others, too.
enum class Part { kFirst, kOther };

// Planes of moments of a part: in the first one the reference and the words of its square; then the distorted image
// (kImage), the words of its square and those of r' d'.
template <class C, Part kPart>
constexpr int kImage = kPart == Part::kFirst ? 1 + C::kWords : 0;
template <class C, Part kPart>
constexpr int kProduct = kImage<C, kPart> + 1 + C::kWords;
template <class C, Part kPart>
constexpr int kPlanes = kProduct<C, kPart> + C::kWords;
constexpr int kMaxPlanes = 8;

/// Plane kPlane of one pair of rows; `image` is the distance from the reference to the distorted image.
/// The ring holds r' and d' alone; the products cost less to make again than to fetch from L2.
template <class C, Part kPart, int kPlane>
HWY_INLINE V16 LoadMoment(const int16_t* HWY_RESTRICT pair, ptrdiff_t image) {
  constexpr int kOfImage = kPlane < kImage<C, kPart> ? 0 : kImage<C, kPart>;
  const V16 a = hn::Load(D16(), kPlane < kImage<C, kPart> ? pair : pair + image);
  if constexpr (kPlane == kOfImage) return a;
  const V16 b = kPlane < kProduct<C, kPart> ? a : hn::Load(D16(), pair);
  const V16 low = hn::Mul(a, b);
  if constexpr ((kPlane - kOfImage) % C::kWords == 0) return low;
  return hn::Sub(hn::MulHigh(a, b), hn::ShiftRight<15>(low));  // a b = 65536 high + low, both signed
}

/// Two rows of an image, less `centre`, into the ring, `stride` from block to block. Each lane gets
/// row 0 as low word and row 1 as high word.
template <class Sample>
HWY_NOINLINE void StorePair(const Sample* const (&rows)[2], int blocks, int16_t centre, int16_t* HWY_RESTRICT to,
                            ptrdiff_t stride) {
  const V16 offset = hn::Set(D16(), centre);
  for (int b = 0; b < blocks; ++b, to += stride) {
    const auto row = [&](int i) HWY_ATTR { return Words32(hn::Sub(LoadSamples(D16(), rows[i] + b * kBlock), offset)); };
    const V32 row0 = row(0), row1 = row(1);
    hn::Store(LowWords(row0, row1), D16(), to);
    hn::Store(HighWords(row0, row1), D16(), to + kBlock);
  }
}

// ---- vertical pass

/// Adds a pair of rows of some planes to the sums of one row, at tap kTap.
template <bool kVnni, int kFilter, int kTap, int kCount>
HWY_INLINE void AddToRow(const V16 (&moments)[kCount], V32* acc) {
  for (int p = 0; p < kCount; ++p) AddTaps<kVnni, kFilter, kTap>(acc[p], moments[p], TapsAt<kFilter, kTap>());
}

template <bool kVnni, int kFilter, int kTap, int kStep, int kCount, int... kRow>
HWY_INLINE void AddToRows(const V16 (&moments)[kCount], V32* acc, std::integer_sequence<int, kRow...>) {
  (AddToRow<kVnni, kFilter, kTap - kRow * kStep>(moments, acc + kRow * kCount), ...);
}

/// Adds pair kPair of planes from kFirst on to the rows' sums. Row t is kStep * t below the window's centre.
template <class C, Part kPart, int kFilter, int kFirst, int kRows, int kStep, int kPair, int... kPlane>
HWY_INLINE void AddPair(const int16_t* HWY_RESTRICT pair, ptrdiff_t image, V32* acc,
                        std::integer_sequence<int, kPlane...>) {
  constexpr int kTap = 2 * kPair - C::kPad + kVifFilters[kFilter].radius;
  const V16 moments[] = {LoadMoment<C, kPart, kFirst + kPlane>(pair, image)...};
  AddToRows<C::kVnni, kFilter, kTap, kStep>(moments, acc, std::make_integer_sequence<int, kRows>());
}

/// What the vertical sums of each plane begin with: all that the definition adds to them later. Means: the rounding
/// term 2^(b-1). Squares come out as w = q - 2^31 + 2^15; q has 2^30 from the offset of the samples, and the means'
/// rounding term, which the squares get through r', adds 2^15 too much: -2^30 in all, in units of H 2^(S-16) times
/// that; L takes the rounding term of the squares.
using InitialSums = std::array<int32_t, kMaxPlanes>;

template <class C, Part kPart>
InitialSums MakeInitialSums(int bit_depth) {
  constexpr bool kFirst = kPart == Part::kFirst;
  const int32_t mean = 1 << (bit_depth - 1), square = -(1 << 30);
  if constexpr (C::kDepth == Depth::k8)
    return kFirst ? InitialSums{mean, square, mean, square, square} : InitialSums{mean, square, square};
  const int shift = vif::square_shift(bit_depth);
  const int32_t high = -(1 << (14 + shift)), low = static_cast<int32_t>(VifHalf(shift));
  return kFirst ? InitialSums{mean, high, low, mean, high, low, high, low} : InitialSums{mean, high, low, high, low};
}

/// Vertical sums of one block: sums[plane][row][even or odd][lane].
template <int kRows>
struct BlockSums {
  alignas(64) int32_t lanes[kMaxPlanes][kRows][2][kLanes];

  HWY_INLINE V32 Load(int plane, int row, int half) const { return hn::Load(D32(), lanes[plane][row][half]); }
};

/// Other work for the execution units that multiplications leave idle: SumPlanes calls it with 0 to 3 on the way.
struct NoInterlude {
  HWY_INLINE void operator()(int) const {}
};

template <class C, Part kPart, int kFilter, int kFirst, int kRows, int kStep, int kPair, class Planes, class Interlude>
HWY_INLINE void AddPairAndMore(const int16_t* HWY_RESTRICT pair, ptrdiff_t image, V32* acc, int half, Planes planes,
                               const Interlude& interlude) {
  AddPair<C, kPart, kFilter, kFirst, kRows, kStep, kPair>(pair, image, acc, planes);
  if constexpr (kPair == C::kPairs / 3) interlude(half * 2);
  if constexpr (kPair == C::kPairs * 2 / 3) interlude(half * 2 + 1);
}

template <class C, Part kPart, int kFilter, int kPlane, int kPlaneCount, int kRows, int kStep, class Interlude,
          int... kPair>
HWY_INLINE void SumPlanes(const int16_t* const* pairs, ptrdiff_t offset, ptrdiff_t image, const InitialSums& initial,
                          BlockSums<kRows>& sums, const Interlude& interlude, std::integer_sequence<int, kPair...>) {
  for (int half = 0; half < 2; ++half) {
    V32 acc[kRows * kPlaneCount];
    for (int i = 0; i < kRows * kPlaneCount; ++i) acc[i] = hn::Set(D32(), initial[kPlane + i % kPlaneCount]);
    (AddPairAndMore<C, kPart, kFilter, kPlane, kRows, kStep, kPair>(
         pairs[kPair] + offset + half * kBlock, image, acc, half, std::make_integer_sequence<int, kPlaneCount>(),
         interlude),
     ...);
    for (int t = 0; t < kRows; ++t)
      for (int p = 0; p < kPlaneCount; ++p) hn::Store(acc[t * kPlaneCount + p], D32(), sums.lanes[kPlane + p][t][half]);
  }
}

/// Sums of planes [0, kCount), as many at a time as registers hold.
template <class C, Part kPart, int kFilter, int kCount, int kRows, int kStep, int kFrom = 0, class Interlude>
HWY_INLINE void SumAllPlanes(const int16_t* const* pairs, ptrdiff_t offset, ptrdiff_t image, const InitialSums& initial,
                             BlockSums<kRows>& sums, const Interlude& interlude) {
  constexpr int kNow = std::min(kCount - kFrom, kPlanesDown);
  SumPlanes<C, kPart, kFilter, kFrom, kNow, kRows, kStep>(pairs, offset, image, initial, sums, interlude,
                                                          std::make_integer_sequence<int, C::kPairs>());
  if constexpr (kFrom + kNow < kCount)
    SumAllPlanes<C, kPart, kFilter, kCount, kRows, kStep, kFrom + kNow>(pairs, offset, image, initial, sums,
                                                                        NoInterlude());
}

/// Words of a block of vertical means, each minus 32768: sum >> bit_depth.
HWY_INLINE V16 MeanWords(V32 even, V32 odd, int bit_depth) {
  const V32 high = hn::ShiftLeftSame(odd, 16 - bit_depth);
  return hn::OddEven(Words16(high), Words16(hn::ShiftRightSame(even, bit_depth)));
}

/// The square of the image whose plane is `plane` after the vertical pass, half a block of it, from the sums that began
/// at InitialSums: w = q - 2^31 + 2^15, modulo 2^32.
template <class C>
HWY_INLINE V32 FinishSquare(const BlockSums<kVifGroup>& sums, int plane, int t, int half, int bit_depth) {
  const V32 image = sums.Load(plane, t, half), high = sums.Load(plane + 1, t, half);
  if constexpr (C::kDepth == Depth::k8) return hn::Add(high, hn::ShiftLeft<8>(image));
  const V32 low = sums.Load(plane + C::kWords, t, half);
  if constexpr (C::kDepth == Depth::k16) return hn::Add(hn::Add(high, hn::ShiftRight<16>(low)), image);
  const int shift = vif::square_shift(bit_depth);
  return hn::Add(hn::Add(hn::ShiftLeftSame(high, 16 - shift), hn::ShiftRightSame(low, shift)),
                 hn::ShiftLeftSame(image, 16 - bit_depth));
}

/// The same for the product of both images; `r` are the vertical sums of the reference.
template <class C, Part kPart>
HWY_INLINE V32 FinishProduct(const BlockSums<kVifGroup>& sums, V32 r, int t, int half, int bit_depth) {
  const V32 d = sums.Load(kImage<C, kPart>, t, half), high = sums.Load(kProduct<C, kPart>, t, half);
  if constexpr (C::kDepth == Depth::k8) return hn::Add(high, hn::ShiftLeft<7>(hn::Add(r, d)));
  const V32 low = sums.Load(kProduct<C, kPart> + C::kWords - 1, t, half);
  if constexpr (C::kDepth == Depth::k16) {
    // (65536 H + L + 2^15 (r + d)) >> 16 with r + d = 2k + e: H + k + ((L >> 15) + e >> 1).
    const V32 one = hn::Set(D32(), 1);
    const V32 k = hn::Add(hn::Add(hn::ShiftRight<1>(r), hn::ShiftRight<1>(d)), hn::And(hn::And(r, d), one));
    const V32 e = hn::And(hn::Xor(r, d), one);
    return hn::Add(hn::Add(high, k), hn::ShiftRight<1>(hn::Add(hn::ShiftRight<15>(low), e)));
  }
  const int shift = vif::square_shift(bit_depth);
  return hn::Add(hn::Add(hn::ShiftLeftSame(high, 16 - shift), hn::ShiftRightSame(low, shift)),
                 hn::ShiftLeftSame(hn::Add(r, d), 15 - bit_depth));
}

/// Words h and l of u = q - 2^31 = 65536 h + l out of w = u + 2^15: h = w >> 16, l = (w mod 2^16) - 2^15.
HWY_INLINE void StoreSquareWords(V32 even, V32 odd, int16_t* HWY_RESTRICT high, int16_t* HWY_RESTRICT low) {
  hn::Store(HighWords(even, odd), D16(), high);
  hn::Store(hn::Xor(LowWords(even, odd), hn::Set(D16(), INT16_MIN)), D16(), low);
}

/// Planes of the horizontal pass: a1, a2, then high and low words of q11, q22, q12. This is a1 or a2, and its square.
template <class C>
HWY_INLINE void StoreImage(const BlockSums<kVifGroup>& sums, int plane, int t, int bit_depth, int16_t* mean,
                           int16_t* high, int16_t* low) {
  hn::Store(MeanWords(sums.Load(plane, t, 0), sums.Load(plane, t, 1), bit_depth), D16(), mean);
  StoreSquareWords(FinishSquare<C>(sums, plane, t, 0, bit_depth), FinishSquare<C>(sums, plane, t, 1, bit_depth), high,
                   low);
}

/// Where a block's planes of row t go. `several`: other videos will need the sums of the reference.
template <class C, Part kPart>
HWY_INLINE void StoreFiltered(const BlockSums<kVifGroup>& sums, int t, int bit_depth, int column, bool several,
                              VifBuffers& buffers) {
  auto& rows = buffers.rows[t];
  int32_t* r_sums = buffers.reference_sums[t] + column;
  V32 even, odd;  // sums of the reference
  if constexpr (kPart == Part::kFirst) {
    StoreImage<C>(sums, 0, t, bit_depth, rows[0] + column, rows[2] + column, rows[3] + column);
    even = sums.Load(0, t, 0), odd = sums.Load(0, t, 1);
    if (several) hn::Store(even, D32(), r_sums), hn::Store(odd, D32(), r_sums + kLanes);
  } else {
    even = hn::Load(D32(), r_sums), odd = hn::Load(D32(), r_sums + kLanes);
  }
  StoreImage<C>(sums, kImage<C, kPart>, t, bit_depth, rows[1] + column, rows[4] + column, rows[5] + column);
  StoreSquareWords(FinishProduct<C, kPart>(sums, even, t, 0, bit_depth),
                   FinishProduct<C, kPart>(sums, odd, t, 1, bit_depth), rows[6] + column, rows[7] + column);
}

/// Finishes one row of the block before while the next block is summed.
template <class C, Part kPart>
struct FinishBlock {
  HWY_INLINE void operator()(int t) const {
    if (column >= 0) StoreFiltered<C, kPart>(sums, t, bit_depth, column, several, buffers);
  }

  const BlockSums<kVifGroup>& sums;
  int bit_depth;
  int column;  // negative: there is no block before
  bool several;
  VifBuffers& buffers;
};

/// Memory of an image that is needed soon, fetched a block at a time.
struct Ahead {
  HWY_INLINE void Fetch(int block) const {
    for (const std::byte* row : read) __builtin_prefetch(row + block * kBlock * bytes);
    for (const int16_t* row : written)
      if (row) __builtin_prefetch(row + block * kBlock / 2, 1);
  }

  int bytes = 1;  // of a sample that is read
  std::array<const std::byte*, kVifGroup> read{};
  std::array<const int16_t*, kVifGroup / 2> written{};
};

/// Filters the moments of a part; `image` is the distance from the reference to the distorted image.
template <class C, Part kPart>
HWY_NOINLINE void VerticalPass(const PairRows& pairs, ptrdiff_t image, int bit_depth, std::span<const Ahead> ahead,
                               bool several, VifBuffers& buffers) {
  const int bits = C::kDepth == Depth::k8 ? 8 : C::kDepth == Depth::k16 ? 16 : bit_depth;  // mostly a constant
  const InitialSums initial = MakeInitialSums<C, kPart>(bits);
  BlockSums<kVifGroup> sums[2];
  for (int b = 0; b < pairs.blocks; ++b) {
    for (const Ahead& rows : ahead) rows.Fetch(b);
    const FinishBlock<C, kPart> before = {sums[(b + 1) % 2], bits, (b - 1) * kBlock, several, buffers};
    SumAllPlanes<C, kPart, C::kScale, kPlanes<C, kPart>, kVifGroup, 1>(pairs.rows, b * pairs.stride, image, initial,
                                                                       sums[b % 2], before);
  }
  const FinishBlock<C, kPart> last = {sums[(pairs.blocks + 1) % 2], bits, (pairs.blocks - 1) * kBlock, several,
                                      buffers};
  for (int t = 0; t < kVifGroup; ++t) last(t);
}

/// Vertical pass of the next scale's filter over an image, at even rows.
template <class C>
HWY_NOINLINE void HalvingVerticalPass(const PairRows& pairs, ptrdiff_t image, int bit_depth, VifBuffers& buffers) {
  constexpr int kRows = kVifGroup / 2;
  const int bits = C::kDepth == Depth::k8 ? 8 : C::kDepth == Depth::k16 ? 16 : bit_depth;
  constexpr Part kPart = Part::kOther;  // whose first plane is the image
  const InitialSums initial = MakeInitialSums<C, kPart>(bits);
  for (int b = 0; b < pairs.blocks; ++b) {
    BlockSums<kRows> sums;
    SumAllPlanes<C, kPart, C::kScale + 1, 1, kRows, 2>(pairs.rows, b * pairs.stride, image, initial, sums,
                                                       NoInterlude());
    for (int t = 0; t < kRows; ++t)
      hn::Store(MeanWords(sums.Load(0, t, 0), sums.Load(0, t, 1), bits), D16(), buffers.halved_rows[t] + b * kBlock);
  }
}

// ---- horizontal pass

/// Pair kPair of each lane's window. kAligned: `row` is at a block. Loads that straddle cache lines would be a bound as
/// low as the multiplications, so some are shifts of two that do not.
template <bool kAligned, int kPair>
HWY_INLINE V16 LoadColumns(const int16_t* HWY_RESTRICT row) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (kAligned && kPair % 3 == 1) {
    const V16 block = hn::Load(D16(), row), next = hn::Load(D16(), row + kBlock);
    return V16{_mm512_alignr_epi32(next.raw, block.raw, kPair)};
  }
#endif
  return hn::LoadU(D16(), row + 2 * kPair);
}

/// The even and odd columns of a block of kCount planes of words, filtered along the row.
template <int kCount>
struct ColumnSums {
  V32 even[kCount], odd[kCount];
};

/// Adds pair kPair of the windows in all planes.
template <bool kVnni, int kFilter, bool kAligned, int kPair, int kCount>
HWY_INLINE void AddColumns(const int16_t* row, ColumnSums<kCount>& sums) {
  constexpr int kPad = (kVifFilters[kFilter].radius + 1) / 2 * 2;
  constexpr int kTap = 2 * kPair - kPad + kVifFilters[kFilter].radius;
  const V16 even = LoadTaps<kFilter, kTap>(), odd = LoadTaps<kFilter, kTap - 1>();
  for (int i = 0; i < kCount; ++i) {
    V16 columns = LoadColumns<kAligned, kPair>(row + i * kVifMaxColumns);
#if ACU_VIF_LOADS_TAPS
    asm("" : "+x"(columns.raw));  // g++ would load them once for each sum
#endif
    AddTaps<kVnni, kFilter, kTap>(sums.even[i], columns, even);
    AddTaps<kVnni, kFilter, kTap - 1>(sums.odd[i], columns, odd);
  }
}

/// Adds the filtered columns of a block; `row` begins at the window of its first column, in the first plane.
template <bool kVnni, int kFilter, bool kAligned, int kCount, int... kPair>
HWY_INLINE void FilterColumns(const int16_t* row, ColumnSums<kCount>& sums, std::integer_sequence<int, kPair...>) {
  (AddColumns<kVnni, kFilter, kAligned, kPair>(row, sums), ...);
}

template <bool kVnni, int kFilter, bool kAligned, int kCount>
HWY_INLINE void FilterColumns(const int16_t* row, ColumnSums<kCount>& sums) {
  constexpr int kPad = (kVifFilters[kFilter].radius + 1) / 2 * 2;
  FilterColumns<kVnni, kFilter, kAligned>(row, sums, std::make_integer_sequence<int, kPad + 1>());
}

/// Planes of a row after the vertical pass.
using FilteredRow = const int16_t (&)[kVifMoments][kVifMaxColumns];

/// The means of a row in kCount planes, each block as even lanes, then odd lanes.
template <class C, int kFirst, int kCount>
HWY_INLINE void FilterMeans(FilteredRow rows, int x, int32_t* const* to) {
  ColumnSums<kCount> sums;
  for (int i = 0; i < kCount; ++i) sums.even[i] = sums.odd[i] = hn::Set(D32(), INT32_MIN);  // sum f * 32768 as uint32
  FilterColumns<C::kVnni, C::kScale, true>(rows[kFirst] + x, sums);
  for (int i = 0; i < kCount; ++i) {
    hn::Store(sums.even[i], D32(), to[i] + x);
    hn::Store(sums.odd[i], D32(), to[i] + x + kLanes);
  }
}

/// The same of kCount second moments, whose words are planes from kFirst on.
template <class C, int kFirst, int kCount>
HWY_INLINE void FilterSquares(FilteredRow rows, int x, int32_t* const* to) {
  constexpr int kAtOnce = std::min(kCount, kPlanesAlong / 2);
  ColumnSums<2 * kAtOnce> sums;
  for (int i = 0; i < 2 * kAtOnce; i += 2) {
    sums.even[i] = sums.odd[i] = hn::Set(D32(), INT32_MIN);      // sum f * 2^31 / 65536 as uint32
    sums.even[i + 1] = sums.odd[i + 1] = hn::Set(D32(), 32768);  // the rounding term
  }
  FilterColumns<C::kVnni, C::kScale, true>(rows[kFirst] + x, sums);
  for (int i = 0; i < kAtOnce; ++i) {
    hn::Store(hn::Add(sums.even[2 * i], hn::ShiftRight<16>(sums.even[2 * i + 1])), D32(), to[i] + x);
    hn::Store(hn::Add(sums.odd[2 * i], hn::ShiftRight<16>(sums.odd[2 * i + 1])), D32(), to[i] + x + kLanes);
  }
  if constexpr (kAtOnce < kCount) FilterSquares<C, kFirst + 2 * kAtOnce, kCount - kAtOnce>(rows, x, to + kAtOnce);
}

/// M2, Y and Z of a row and, in the first part, M1 and X.
template <class C, Part kPart>
HWY_NOINLINE void HorizontalPass(FilteredRow rows, int columns, int32_t (&reference)[2][kVifStrip],
                                 int32_t (&moments)[3][kVifStrip]) {
  int32_t* const means[] = {reference[0], moments[0]};
  int32_t* const squares[] = {reference[1], moments[1], moments[2]};
  for (int x = 0; x < columns; x += kBlock) {
    if constexpr (kPart == Part::kFirst) {
      FilterMeans<C, 0, 2>(rows, x, means);
      FilterSquares<C, 2, 3>(rows, x, squares);
    } else {
      FilterMeans<C, 1, 1>(rows, x, means + 1);
      FilterSquares<C, 4, 2>(rows, x, squares + 1);
    }
  }
}

/// Even columns of the next scale's filter: half a block of the next image for each block.
template <class C>
HWY_NOINLINE void HalvingHorizontalPass(const int16_t* row, int columns, int16_t* HWY_RESTRICT to) {
  constexpr int kNextPad = (kVifFilters[C::kScale + 1].radius + 1) / 2 * 2;
  for (int x = 0; x < columns; x += kBlock) {
    ColumnSums<1> sums;
    sums.even[0] = sums.odd[0] = hn::Set(D32(), 32768);
    FilterColumns<C::kVnni, C::kScale + 1, false>(row + x + C::kPad - kNextPad, sums);
    hn::StoreU(hn::DemoteTo(hn::Rebind<int16_t, D32>(), hn::ShiftRight<16>(sums.even[0])), hn::Rebind<int16_t, D32>(),
               to + x / 2);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_VIF_FILTER_INL_H_
