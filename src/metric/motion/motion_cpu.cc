// Exactness (README.md has the proofs): a 17-bit signed value v is kept as half = floor(v / 2), which fits int16, and
// bit = v - 2 * half. With H = sum G*half and B = sum G*bit, (sum G*v + 2^15) >> 16 = (H + ((B + 2^15) >> 1)) >> 15,
// and nothing leaves int32.
#include "metric/motion/motion_cpu.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/int_math.h"
#include "image/border.h"
#include "metric/motion/motion_math.h"
#include "metric/motion/motion_ref.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/motion/motion_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane cannot hold a pair; the plain loops are as good

int64_t Sad(const Plane& earlier, const Plane& current, int bit_depth, RowBand band, MotionRows&) {
  return MotionSadRef(earlier, current, bit_depth, band);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::CappedTag<int16_t, MotionRows::kMaxLanes>;
using D32 = hn::RepartitionToWide<D16>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128

// acc + a[2i]*b[2i] + a[2i+1]*b[2i+1] in 32-bit lane i.
HWY_INLINE V32 AddPairProducts(V32 acc, V16 a, V16 b) {
  V32 unused = hn::Zero(D32());
  return hn::ReorderWidenMulAccumulate(D32(), a, b, acc, unused);  // pmaddwd: exactly these pairs
}

#else

HWY_INLINE V32 EvenLanes(V16 v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(D32(), v))); }
HWY_INLINE V32 OddLanes(V16 v) { return hn::ShiftRight<16>(hn::BitCast(D32(), v)); }

HWY_INLINE V32 AddPairProducts(V32 acc, V16 a, V16 b) {
  const V32 even = hn::Mul(EvenLanes(a), EvenLanes(b));
  return hn::Add(acc, hn::Add(even, hn::Mul(OddLanes(a), OddLanes(b))));
}

#endif

HWY_INLINE V16 TapPair(int first, int second) {
  return hn::BitCast(D16(), hn::Set(D32(), static_cast<int32_t>(first | (second << 16))));
}

// Six consecutive samples as three vectors of pairs. Even() filters around the third sample, Odd() around the fourth.
struct Taps {
  static constexpr int k0 = kMotionTaps[2], k1 = kMotionTaps[1], k2 = kMotionTaps[0];
  const V16 even[3];
  const V16 odd[3];

  HWY_INLINE Taps()  // spelled out: a generated one would not be compiled for the target
      : even{TapPair(k2, k1), TapPair(k0, k1), TapPair(k2, 0)}, odd{TapPair(0, k2), TapPair(k1, k0), TapPair(k1, k2)} {}

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
  } else if constexpr (sizeof(typename Format::Sample) == 1) {
    const hn::Rebind<uint8_t, D16> d8;
    return {hn::Sub(hn::PromoteTo(d, hn::LoadU(d8, earlier)), hn::PromoteTo(d, hn::LoadU(d8, current))), hn::Zero(d)};
  } else {
    const hn::RebindToUnsigned<D16> du;
    return {hn::BitCast(d, hn::Sub(hn::LoadU(du, earlier), hn::LoadU(du, current))), hn::Zero(d)};
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
  using D64 = hn::RepartitionToWide<hn::RebindToUnsigned<D32> >;
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(D16()));

  void RunStrip(const Strip& strip, RowBand band) {
    LoadPair(strip, band.begin - 2, 0);
    LoadPair(strip, band.begin, 1);
    int oldest = 0;
    for (int y = band.begin; y < band.end; y += 2) {
      FilterColumns(strip, y, oldest);
      FilterRow(strip, 0);
      if (y + 1 < band.end) FilterRow(strip, 1);
      oldest ^= 1;
    }
  }

  // Rows past the mirror's reach are asked for, but never used, when a band ends on an odd row count.
  const Sample* Row(const Plane& plane, int y, int slot) {
    const Sample* row = plane.Row<Sample>(MirrorIndex(std::min(y, plane.height + 1), plane.height));
    if (plane.width >= kLanes) return row;
    std::memcpy(rows_.narrow[slot], row, plane.width * sizeof(Sample));
    return reinterpret_cast<const Sample*>(rows_.narrow[slot]);
  }

  struct RowPair {
    const Sample* earlier[2];
    const Sample* current[2];
  };
  RowPair Rows(int y) {
    return {{Row(earlier_, y, 0), Row(earlier_, y + 1, 1)}, {Row(current_, y, 2), Row(current_, y + 1, 3)}};
  }

  // Rows y and y + 1 interleaved: [0] the lower, [1] the upper half of each 128-bit block.
  struct PairVectors {
    V16 half[2];
    V16 bit[2];
  };
  static HWY_INLINE PairVectors Interleave(const RowPair& pair, int x) {
    const D16 d;
    const Difference a = LoadDifference<Format>(pair.earlier[0] + x, pair.current[0] + x);
    const Difference b = LoadDifference<Format>(pair.earlier[1] + x, pair.current[1] + x);
    PairVectors result{{hn::InterleaveLower(d, a.half, b.half), hn::InterleaveUpper(d, a.half, b.half)}, {}};
    if constexpr (Format::kSplit) {
      result.bit[0] = hn::InterleaveLower(d, a.bit, b.bit);
      result.bit[1] = hn::InterleaveUpper(d, a.bit, b.bit);
    }
    return result;
  }

  HWY_INLINE void StorePair(const PairVectors& pair, int slot, int block) {
    for (int part = 0; part < 2; ++part) {
      const int at = (2 * block + part) * kLanes;
      hn::Store(pair.half[part], D16(), rows_.pair_halves[slot] + at);
      if constexpr (Format::kSplit) hn::Store(pair.bit[part], D16(), rows_.pair_bits[slot] + at);
    }
  }

  void LoadPair(const Strip& strip, int y, int slot) {
    const RowPair pair = Rows(y);
    for (int block = 0; block < strip.BlockCount(kLanes); ++block)
      StorePair(Interleave(pair, strip.BlockColumn(block, kLanes)), slot, block);
  }

  // Vertical sums, unshifted, of one half of a block: [0] row y, [1] row y + 1.
  struct RowSums {
    V32 row[2];
  };
  HWY_INLINE RowSums SumColumns(const Taps& taps, const PairVectors& next, int part, int at, int oldest) const {
    const D16 d;
    const D32 d32;
    const V16 p = hn::Load(d, rows_.pair_halves[oldest] + at), q = hn::Load(d, rows_.pair_halves[oldest ^ 1] + at);
    if constexpr (!Format::kSplit) {
      const V32 round = hn::Set(d32, 1 << (Format::kShift - 1));
      return {{taps.Even(round, p, q, next.half[part]), taps.Odd(round, p, q, next.half[part])}};
    } else {
      const V32 zero = hn::Zero(d32), round = hn::Set(d32, 32768);
      const V16 pb = hn::Load(d, rows_.pair_bits[oldest] + at), qb = hn::Load(d, rows_.pair_bits[oldest ^ 1] + at);
      return {{Join(taps.Even(zero, p, q, next.half[part]), taps.Even(round, pb, qb, next.bit[part])),
               Join(taps.Odd(zero, p, q, next.half[part]), taps.Odd(round, pb, qb, next.bit[part]))}};
    }
  }

  // y = sum >> kShift, split and stored. ReorderDemote2To undoes the order of InterleaveLower and InterleaveUpper.
  HWY_INLINE void StoreFiltered(V32 lower, V32 upper, int row, int column) {
    const D16 d;
    const V32 one = hn::Set(D32(), 1);
    constexpr int kShift = Format::kShift;
    const V32 lower_half = hn::ShiftRight<kShift + 1>(lower), upper_half = hn::ShiftRight<kShift + 1>(upper);
    const V32 lower_bit = hn::And(hn::ShiftRight<kShift>(lower), one);
    const V32 upper_bit = hn::And(hn::ShiftRight<kShift>(upper), one);
    hn::StoreU(hn::ReorderDemote2To(d, lower_half, upper_half), d, rows_.halves[row] + column);
    hn::StoreU(hn::ReorderDemote2To(d, lower_bit, upper_bit), d, rows_.bits[row] + column);
  }

  // Rows y and y + 1, vertically filtered, into halves and bits; rows y + 2 and y + 3 take the oldest pair's place.
  void FilterColumns(const Strip& strip, int y, int oldest) {
    const Taps taps;
    const RowPair rows = Rows(y + 2);
    for (int block = 0; block < strip.BlockCount(kLanes); ++block) {
      const int x = strip.BlockColumn(block, kLanes);
      const PairVectors next = Interleave(rows, x);
      const RowSums lower = SumColumns(taps, next, 0, 2 * block * kLanes, oldest);
      const RowSums upper = SumColumns(taps, next, 1, (2 * block + 1) * kLanes, oldest);
      StorePair(next, oldest, block);
      for (int row = 0; row < 2; ++row)
        StoreFiltered(lower.row[row], upper.row[row], row, x - strip.begin + MotionRows::kMargin);
    }
    for (int row = 0; row < 2; ++row) {
      Mirror(strip, rows_.halves[row]);
      Mirror(strip, rows_.bits[row]);
    }
  }

  static void Mirror(const Strip& strip, int16_t* row) {
    int16_t* first = row + MotionRows::kMargin;
    int16_t* last = first + (strip.end - strip.begin - 1);
    for (int k = 1; k <= 2; ++k) {
      if (strip.begin == 0) first[-k] = first[k];
      if (strip.end == strip.width) last[k] = last[-k];
    }
  }

  struct Filtered {
    V32 even;
    V32 odd;
  };
  HWY_INLINE Filtered FilterBlock(const Taps& taps, const int16_t* halves, const int16_t* bits) const {
    const D16 d;
    const V32 zero = hn::Zero(D32()), round = hn::Set(D32(), 32768);
    const V16 p = hn::LoadU(d, halves - 2), q = hn::LoadU(d, halves), r = hn::LoadU(d, halves + 2);
    const V16 pb = hn::LoadU(d, bits - 2), qb = hn::LoadU(d, bits), rb = hn::LoadU(d, bits + 2);
    const V32 even = Join(taps.Even(zero, p, q, r), taps.Even(round, pb, qb, rb));
    const V32 odd = Join(taps.Odd(zero, p, q, r), taps.Odd(round, pb, qb, rb));
    return {hn::Abs(hn::ShiftRight<15>(even)), hn::Abs(hn::ShiftRight<15>(odd))};
  }

  // Adds |x| of one row of the strip to sad_. A 32-bit lane takes at most kStripWidth / 2 values of 65535.
  void FilterRow(const Strip& strip, int row) {
    const D32 d32;
    const Taps taps;
    const int16_t* halves = rows_.halves[row] + MotionRows::kMargin;
    const int16_t* bits = rows_.bits[row] + MotionRows::kMargin;
    const int width = strip.end - strip.begin;
    V32 sum = hn::Zero(d32);
    int x = 0;
    for (; x + kLanes <= width; x += kLanes) {
      const Filtered filtered = FilterBlock(taps, halves + x, bits + x);
      sum = hn::Add(sum, hn::Add(filtered.even, filtered.odd));
    }
    if (x < width) {
      const Filtered filtered = FilterBlock(taps, halves + x, bits + x);
      const auto even = hn::FirstN(d32, static_cast<size_t>((width - x + 1) / 2));
      const auto odd = hn::FirstN(d32, static_cast<size_t>((width - x) / 2));
      sum = hn::Add(sum, hn::IfThenElseZero(even, filtered.even));
      sum = hn::Add(sum, hn::IfThenElseZero(odd, filtered.odd));
    }
    const auto sum64 = hn::BitCast(D64(), sum);
    const auto low = hn::And(sum64, hn::Set(D64(), uint64_t{0xFFFFFFFF}));
    sad_ = hn::Add(sad_, hn::Add(low, hn::ShiftRight<32>(sum64)));
  }

  const Plane& earlier_;
  const Plane& current_;
  MotionRows& rows_;
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
