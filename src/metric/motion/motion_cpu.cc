// Exactness (README.md has the proofs): a 17-bit signed value v is stored as half = floor(v / 2), which fits int16, and
// bit = v - 2 * half. With H = sum G*half and B = sum G*bit, (sum G*v + 2^15) >> 16 = (H + ((B + 2^15) >> 1)) >> 15,
// and nothing leaves int32.
#include "metric/motion/motion.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/int_math.h"
#include "metric/blocks/border.h"
#include "simd/mirror.h"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/motion/motion_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/pair_products-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane cannot hold a pair; the plain loops are as good

int64_t Sad(const Plane& earlier, const Plane& current, int bit_depth, RowBand band, MotionRows&) {
  return MotionSadRef(earlier, current, bit_depth, band);
}

#else

using D16 = hn::CappedTag<int16_t, MotionRows::kMaxLanes>;
using D32 = hn::RepartitionToWide<D16>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

HWY_INLINE V16 Pair(int first, int second) { return TapPair(D16(), first, second); }

// Six consecutive samples as three vectors of pairs. Even() filters around the third sample, Odd() around the fourth.
struct Taps {
  static constexpr int k0 = motion::kMiddleTap, k1 = motion::kInnerTap, k2 = motion::kOuterTap;
  const V16 even[3];
  const V16 odd[3];

  HWY_INLINE Taps()  // spelled out: a generated one would not be compiled for the target
      : even{Pair(k2, k1), Pair(k0, k1), Pair(k2, 0)}, odd{Pair(0, k2), Pair(k1, k0), Pair(k1, k2)} {}

  HWY_INLINE V32 Even(V32 acc, V16 p, V16 q, V16 r) const {
    return AddPairProducts(AddPairProducts(AddPairProducts(acc, p, even[0]), q, even[1]), r, even[2]);
  }
  HWY_INLINE V32 Odd(V32 acc, V16 p, V16 q, V16 r) const {
    return AddPairProducts(AddPairProducts(AddPairProducts(acc, p, odd[0]), q, odd[1]), r, odd[2]);
  }
};

// The same of a value in halves and bits, twice too small: H + ((B + 2^15) >> 1).
HWY_INLINE V32 Join(V32 half_sum, V32 bit_sum) { return hn::Add(half_sum, hn::ShiftRight<1>(bit_sum)); }

// ---- differences of samples, and how their vertical sum becomes y = sum >> kShift

template <int kDepth>
struct Narrow {  // up to 12 bit: a difference fits int16, the sum of a column int32
  using Sample = std::conditional_t<kDepth == 8, uint8_t, uint16_t>;
  static constexpr bool kSplit = false;
  static constexpr int kShift = kDepth;
};

struct Wide {  // 16 bit: differences in halves and bits
  using Sample = uint16_t;
  static constexpr bool kSplit = true;
  static constexpr int kShift = 15;
};

struct Difference {
  V16 half;  // the difference itself where it is not split
  V16 bit;
};

template <class Format>
HWY_INLINE Difference LoadDifference(const typename Format::Sample* earlier, const typename Format::Sample* current) {
  const D16 d;
  if constexpr (Format::kSplit) {
    const hn::RebindToUnsigned<D16> du;
    const auto a = hn::LoadU(du, earlier), b = hn::LoadU(du, current);
    // (a + (65535 - b) + 1) >> 1 = floor((a - b) / 2) + 32768
    const auto biased = hn::AverageRound(a, hn::Not(b));
    const auto half = hn::Xor(biased, hn::Set(du, uint16_t{0x8000}));
    return {hn::BitCast(d, half), hn::BitCast(d, hn::And(hn::Xor(a, b), hn::Set(du, uint16_t{1})))};
  } else {
    return {hn::Sub(LoadSamples(d, earlier), LoadSamples(d, current)), hn::Zero(d)};
  }
}

// Columns [begin, end) of the picture, and the blocks of one vector each that cover them and the filter's reach. The
// last blocks are pulled left to end inside the picture; a column in two blocks is computed twice, to the same value.
struct Strip {
  int begin;
  int end;
  int width;  // of the picture

  int FirstColumn() const { return std::max(begin - 2, 0); }
  int BlockCount(int lanes) const { return CeilDiv(std::min(end + 2, width) - FirstColumn(), lanes); }
  int BlockColumn(int block, int lanes) const {
    return std::min(FirstColumn() + block * lanes, std::max(width - lanes, 0));
  }
};

// How a vertically filtered row is stored: as it is, where every y fits int16 (nearly always), or in halves and bits.
enum Storage { kWhole, kSplit };

template <class Format>
class BandSad {
 public:
  using Sample = typename Format::Sample;

  BandSad(const Plane& earlier, const Plane& current, MotionRows& rows)
      : earlier_(earlier), current_(current), rows_(rows) {}

  int64_t Run(RowBand band) {
    const int strips = CeilDiv(current_.width, MotionRows::kStripWidth);
    const int strip_width = CeilDiv(CeilDiv(current_.width, strips), kLanes) * kLanes;
    for (int x = 0; x < current_.width; x += strip_width)
      RunStrip({x, std::min(x + strip_width, current_.width), current_.width}, band);
    return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(D64(), sad_)));
  }

 private:
  using DU32 = hn::RebindToUnsigned<D32>;
  using D64 = hn::RepartitionToWide<DU32>;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D16()));

  void RunStrip(Strip strip, RowBand band) {
    LoadPair(strip, band.begin - 2, 0);
    LoadPair(strip, band.begin, 1);
    for (int y = band.begin; y < band.end; y += 2) {
      LoadPair(strip, y + 2, 2);
      const int rows = std::min(band.end - y, 2);
      const SoonRows soon = {MirroredRow(earlier_, y + 4), MirroredRow(earlier_, y + 5), MirroredRow(current_, y + 4),
                             MirroredRow(current_, y + 5)};
      if (FilterColumns<kWhole>(strip, soon)) FilterRows<kWhole>(strip, rows);
      else if (FilterColumns<kSplit>(strip, soon)) FilterRows<kSplit>(strip, rows);
      std::rotate(slot_, slot_ + 1, slot_ + 3);
    }
  }

  // The rows of the next pair. They are prefetched while the processor multiplies: all at once, where they are read,
  // they would wait for each other.
  using SoonRows = std::array<const Sample*, 4>;
  static constexpr int kCacheLine = 64;

  static HWY_INLINE void Prefetch(const SoonRows& soon, int block, int x) {
    if (block * kLanes * sizeof(Sample) % kCacheLine > 0) return;
    for (const Sample* row : soon) hwy::Prefetch(row + x);
  }

  // Rows past the mirror's reach are asked for, but never used, when a band ends on an odd row count.
  static const Sample* MirroredRow(const Plane& plane, int y) {
    return plane.Row<Sample>(mirror_index(y, plane.height));
  }

  const Sample* Row(const Plane& plane, int y, int slot) {
    const Sample* row = MirroredRow(plane, y);
    if (plane.width >= kLanes) return row;
    std::memcpy(rows_.narrow[slot], row, plane.width * sizeof(Sample));
    return reinterpret_cast<const Sample*>(rows_.narrow[slot]);
  }

  // Differences of rows y and y + 1, interleaved: the lower, then the upper half of each 128-bit block.
  void LoadPair(Strip strip, int y, int age) {
    const D16 d;
    const Sample* earlier[2] = {Row(earlier_, y, 0), Row(earlier_, y + 1, 1)};
    const Sample* current[2] = {Row(current_, y, 2), Row(current_, y + 1, 3)};
    int16_t* halves = rows_.pair_halves[slot_[age]];
    int16_t* bits = rows_.pair_bits[slot_[age]];
    const int blocks = strip.BlockCount(kLanes);
    for (int block = 0; block < blocks; ++block, halves += 2 * kLanes, bits += 2 * kLanes) {
      const int x = strip.BlockColumn(block, kLanes);
      const Difference a = LoadDifference<Format>(earlier[0] + x, current[0] + x);
      const Difference b = LoadDifference<Format>(earlier[1] + x, current[1] + x);
      hn::Store(hn::InterleaveLower(d, a.half, b.half), d, halves);
      hn::Store(hn::InterleaveUpper(d, a.half, b.half), d, halves + kLanes);
      if constexpr (Format::kSplit) {
        hn::Store(hn::InterleaveLower(d, a.bit, b.bit), d, bits);
        hn::Store(hn::InterleaveUpper(d, a.bit, b.bit), d, bits + kLanes);
      }
    }
  }

  struct Pairs {  // oldest first
    const int16_t* halves[3];
    const int16_t* bits[3];
  };
  Pairs CurrentPairs() const {
    Pairs pairs;
    for (int age = 0; age < 3; ++age) {
      pairs.halves[age] = rows_.pair_halves[slot_[age]];
      pairs.bits[age] = rows_.pair_bits[slot_[age]];
    }
    return pairs;
  }

  // Vertical sums, unshifted, of half a block: [0] the first, [1] the second row.
  struct RowSums {
    V32 row[2];
  };
  static HWY_INLINE RowSums SumColumns(const Taps& taps, const Pairs& pairs, int at) {
    const D16 d;
    const D32 d32;
    const V16 p = hn::Load(d, pairs.halves[0] + at);
    const V16 q = hn::Load(d, pairs.halves[1] + at);
    const V16 r = hn::Load(d, pairs.halves[2] + at);
    if constexpr (!Format::kSplit) {
      const V32 round = hn::Set(d32, 1 << (Format::kShift - 1));
      return {{taps.Even(round, p, q, r), taps.Odd(round, p, q, r)}};
    } else {
      const V32 zero = hn::Zero(d32), round = hn::Set(d32, 32768);
      const V16 pb = hn::Load(d, pairs.bits[0] + at);
      const V16 qb = hn::Load(d, pairs.bits[1] + at);
      const V16 rb = hn::Load(d, pairs.bits[2] + at);
      return {{Join(taps.Even(zero, p, q, r), taps.Even(round, pb, qb, rb)),
               Join(taps.Odd(zero, p, q, r), taps.Odd(round, pb, qb, rb))}};
    }
  }

  // Filters two rows vertically into y, or halves and bits of it. ReorderDemote2To undoes the order of InterleaveLower
  // and InterleaveUpper. False: some y does not fit int16 (or is its largest or smallest value, to which others
  // saturate).
  template <Storage kStorage>
  bool FilterColumns(Strip strip, const SoonRows& soon) {
    const D16 d;
    const Taps taps;
    const V32 one = hn::Set(D32(), 1);
    V16 largest = hn::Zero(d), smallest = hn::Zero(d);
    const Pairs pairs = CurrentPairs();
    int16_t* const halves[2] = {rows_.halves[0] + MotionRows::kMargin, rows_.halves[1] + MotionRows::kMargin};
    int16_t* const bits[2] = {rows_.bits[0] + MotionRows::kMargin, rows_.bits[1] + MotionRows::kMargin};
    const int blocks = strip.BlockCount(kLanes);
    for (int block = 0; block < blocks; ++block) {
      const int x = strip.BlockColumn(block, kLanes), column = x - strip.FirstColumn();
      Prefetch(soon, block, x);
      const RowSums lower = SumColumns(taps, pairs, 2 * block * kLanes);
      const RowSums upper = SumColumns(taps, pairs, (2 * block + 1) * kLanes);
      for (int row = 0; row < 2; ++row) {
        constexpr int kHalfShift = Format::kShift + (kStorage == kSplit);
        const V16 half = hn::ReorderDemote2To(d, hn::ShiftRight<kHalfShift>(lower.row[row]),
                                              hn::ShiftRight<kHalfShift>(upper.row[row]));
        hn::StoreU(half, d, halves[row] + column);
        if constexpr (kStorage == kWhole) {
          largest = hn::Max(largest, half);
          smallest = hn::Min(smallest, half);
        } else {
          const V16 bit = hn::ReorderDemote2To(d, hn::And(hn::ShiftRight<Format::kShift>(lower.row[row]), one),
                                               hn::And(hn::ShiftRight<Format::kShift>(upper.row[row]), one));
          hn::StoreU(bit, d, bits[row] + column);
        }
      }
    }
    for (int row = 0; row < 2; ++row) {
      Mirror(strip, halves[row]);
      Mirror(strip, bits[row]);
    }
    const auto at_limit =
        hn::Or(hn::Eq(largest, hn::Set(d, int16_t{32767})), hn::Eq(smallest, hn::Set(d, int16_t{-32768})));
    return kStorage == kSplit || hn::AllFalse(d, at_limit);
  }

  static void Mirror(Strip strip, int16_t* row) {
    int16_t* first = row + (strip.begin - strip.FirstColumn());
    int16_t* last = first + (strip.end - strip.begin - 1);
    if (strip.begin == 0) MirrorBefore(first, 2);
    if (strip.end == strip.width) MirrorAfter(last, 2);
  }

  /// Adds |x| of the first `count` columns from `halves` on; where they are whole, |x| fits int16 as y does.
  template <Storage kStorage, bool kAll>
  HWY_INLINE V32 AddBlock(V32 sum, const Taps& taps, const int16_t* halves, const int16_t* bits, int count) const {
    const D16 d;
    const D32 d32;
    const V32 zero = hn::Zero(d32), round = hn::Set(d32, 32768);
    const V16 p = hn::LoadU(d, halves - 2), q = hn::LoadU(d, halves), r = hn::LoadU(d, halves + 2);
    if constexpr (kStorage == kWhole) {
      const V16 even = hn::BitCast(d, hn::ShiftRight<16>(taps.Even(round, p, q, r)));
      V16 x = hn::Abs(hn::OddEven(hn::BitCast(d, taps.Odd(round, p, q, r)), even));
      if constexpr (!kAll) x = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(count)), x);
      return AddPairProducts(sum, x, hn::Set(d, int16_t{1}));
    } else {
      const V16 pb = hn::LoadU(d, bits - 2), qb = hn::LoadU(d, bits), rb = hn::LoadU(d, bits + 2);
      V32 even = hn::ShiftRight<15>(Join(taps.Even(zero, p, q, r), taps.Even(round, pb, qb, rb)));
      V32 odd = hn::ShiftRight<15>(Join(taps.Odd(zero, p, q, r), taps.Odd(round, pb, qb, rb)));
      if constexpr (!kAll) {
        even = hn::IfThenElseZero(hn::FirstN(d32, static_cast<size_t>((count + 1) / 2)), even);
        odd = hn::IfThenElseZero(hn::FirstN(d32, static_cast<size_t>(count / 2)), odd);
      }
      return hn::Add(sum, hn::Add(hn::Abs(even), hn::Abs(odd)));
    }
  }

  // Adds |x| of the strip's rows to sad_. A 32-bit lane takes at most kStripWidth / 2 values of 65535 a row.
  template <Storage kStorage>
  void FilterRows(Strip strip, int rows) {
    const Taps taps;
    const int width = strip.end - strip.begin;
    const int first = MotionRows::kMargin + strip.begin - strip.FirstColumn();
    for (int row = 0; row < rows; ++row) {
      const int16_t* halves = rows_.halves[row] + first;
      const int16_t* bits = rows_.bits[row] + first;
      V32 sum = hn::Zero(D32());
      int x = 0;
      for (; x + kLanes <= width; x += kLanes) sum = AddBlock<kStorage, true>(sum, taps, halves + x, bits + x, kLanes);
      if (x < width) sum = AddBlock<kStorage, false>(sum, taps, halves + x, bits + x, width - x);
      sad_ = hn::Add(sad_, SumPairs(hn::BitCast(DU32(), sum)));
    }
  }

  const Plane& earlier_;
  const Plane& current_;
  MotionRows& rows_;
  int slot_[3] = {0, 1, 2};  // of the pairs in rows_, oldest first
  hn::Vec<D64> sad_ = hn::Zero(D64());
};

int64_t Sad(const Plane& earlier, const Plane& current, int bit_depth, RowBand band, MotionRows& rows) {
  switch (bit_depth) {
    case 8:
      return BandSad<Narrow<8> >(earlier, current, rows).Run(band);
    case 10:
      return BandSad<Narrow<10> >(earlier, current, rows).Run(band);
    case 12:
      return BandSad<Narrow<12> >(earlier, current, rows).Run(band);
    default:
      return BandSad<Wide>(earlier, current, rows).Run(band);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Sad);

int64_t MotionSad(const Plane& earlier, const Plane& current, int bit_depth, RowBand band, MotionRows& rows) {
  return HWY_DYNAMIC_DISPATCH(Sad)(earlier, current, bit_depth, band, rows);
}

}  // namespace acutance
#endif  // HWY_ONCE
