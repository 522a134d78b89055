// Each lane has columns of the picture and walks down a few rows; sums of pairs of columns go to a row of 32-bit
// numbers, of which blocks then take their parts. Lanes of 16 bits hold all that is summed, up to 12 bits a sample.
#include <algorithm>
#include <cstring>

#include "metric/xpsnr/xpsnr.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/xpsnr/xpsnr_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/pair_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane cannot hold a pair; the plain loops are as good

void BlockRow(const XpsnrGrid& grid, const XpsnrFrame& frame, int row, std::span<int64_t> words, XpsnrBuffers&) {
  XpsnrBlockRowRef(grid, frame, row, words);
}

#else

constexpr int kChunk = 8;              // rows that lanes walk down
constexpr int kMostRows = 64;          // so often a pair of columns adds to 32 bits: 64 * 2 * 4095^2 < 2^31
constexpr int kAbove = 2, kBelow = 3;  // rows and columns beyond a cell of 2x2 samples that its activity reads

using D16 = hn::ScalableTag<uint16_t>;
using D32 = hn::ScalableTag<uint32_t>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

template <class V>
HWY_INLINE V AbsoluteDifference(V a, V b) {
  return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

HWY_INLINE V16 Load(const uint16_t* from) { return hn::LoadU(D16(), from); }
HWY_INLINE V16 Load(const uint8_t* from) {
  const D16 d;
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, D16>(), from));
}

HWY_INLINE V32 AddSquares(V32 sum, V16 error) {
  const auto signed_error = hn::BitCast(hn::RebindToSigned<D16>(), error);
  return hn::BitCast(D32(), AddPairProducts(hn::BitCast(hn::RebindToSigned<D32>(), sum), signed_error, signed_error));
}

template <class V>
HWY_INLINE void AddTo(uint32_t* sums, V value) {
  hn::StoreU(hn::Add(hn::LoadU(D32(), sums), value), D32(), sums);
}

/// The rows that a chunk reads, each from the column `offset` on.
template <class Sample>
struct Rows {
  const Sample* now[kChunk + kAbove + kBelow];  // from kAbove rows above the chunk on
  const Sample* distorted[kChunk];
  const Sample* before[kChunk + 1];
  const Sample* before_that[kChunk + 1];
};

/// Copies of columns that reach beyond a picture's edge: those outside are the nearest one.
template <class Sample>
class EdgeRows {
 public:
  EdgeRows(const Rows<Sample>& rows, int x, int count, int width) {
    int used = 0;
    const auto copy = [&](const Sample* from, const Sample*& to) {
      Sample* copied = samples_[used++];
      for (int i = 0; i < count + kAbove + kBelow; ++i) copied[i] = from[std::clamp(x - kAbove + i, 0, width - 1)];
      to = copied;
    };
    for (int r = 0; r < kChunk + kAbove + kBelow; ++r) copy(rows.now[r], rows_.now[r]);
    for (int r = 0; r < kChunk; ++r) copy(rows.distorted[r], rows_.distorted[r]);
    for (int r = 0; r < kChunk + 1; ++r) copy(rows.before[r], rows_.before[r]);
    for (int r = 0; r < kChunk + 1; ++r) copy(rows.before_that[r], rows_.before_that[r]);
  }
  const Rows<Sample>& rows() const { return rows_; }

 private:
  static constexpr int kColumns = 2 * hn::MaxLanes(D16()) + kAbove + kBelow + hn::MaxLanes(D16());
  Sample samples_[4 * kChunk + kAbove + kBelow + 2][kColumns];
  Rows<Sample> rows_;
};

/// Ones in the lanes whose columns, `step` apart from x on, lie in [begin, end).
template <class D>
HWY_INLINE hn::Vec<D> ColumnsWithin(D d, int x, int step, int begin, int end) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    const int column = x + step * static_cast<int>(i);
    lanes[i] = column >= begin && column < end ? hwy::LimitsMax<T>() : T{0};
  }
  return hn::Load(d, lanes);
}

/// The rows of a chunk whose activity counts.
struct InnerRows {
  int begin, end;
};

/// Where a tile's sums go, from its first pair of columns on.
struct PairSums {
  uint32_t* error;
  uint32_t* spatial;
  uint32_t* temporal;
  PairSums From(int column) const { return {error + column / 2, spatial + column / 2, temporal + column / 2}; }
};

template <class Sample>
HWY_INLINE V16 BlurredRow(const Sample* row) {
  const V16 centre = Load(row);
  return hn::Add(hn::Add(Load(row - 1), Load(row + 1)), hn::Add(centre, centre));
}

/// A lane has a column. 12 times a sample without what surrounds it is 16 times it without the blur by 1 2 1 both ways.
template <bool second_order, class Sample>
void AddTile(const Rows<Sample>& rows, int x, int count, InnerRows inner_rows, V16 inside, V16 inner,
             const PairSums& sums) {
  V32 error = hn::Zero(D32()), spatial = error, temporal = error;
  V16 above = BlurredRow(rows.now[kAbove - 1] + x), current = BlurredRow(rows.now[kAbove] + x);
  for (int r = 0; r < count; ++r) {
    const V16 centre = Load(rows.now[r + kAbove] + x), below = BlurredRow(rows.now[r + kAbove + 1] + x);
    if (r >= inner_rows.begin && r < inner_rows.end) {
      const V16 blurred = hn::Add(hn::Add(above, below), hn::Add(current, current));
      spatial = hn::Add(spatial, SumPairs(hn::And(AbsoluteDifference(hn::ShiftLeft<4>(centre), blurred), inner)));
    }
    error = AddSquares(error, hn::And(AbsoluteDifference(centre, Load(rows.distorted[r] + x)), inside));
    const V16 before = Load(rows.before[r] + x);
    const V16 change = second_order
                           ? AbsoluteDifference(hn::Add(centre, Load(rows.before_that[r] + x)), hn::Add(before, before))
                           : AbsoluteDifference(centre, before);
    temporal = hn::Add(temporal, SumPairs(hn::And(change, inside)));
    above = current;
    current = below;
  }
  AddTo(sums.error, error);
  AddTo(sums.spatial, spatial);
  AddTo(sums.temporal, temporal);
}

/// Even and odd columns apart, each in lanes of twice the width.
template <class Sample>
struct Split {
  using D = hn::ScalableTag<hwy::MakeWide<Sample> >;
  using V = hn::Vec<D>;

  HWY_INLINE explicit Split(const Sample* from) {
    const D d;
    const V both = hn::BitCast(d, hn::LoadU(hn::ScalableTag<Sample>(), from));
    even = hn::And(both, hn::Set(d, hwy::LimitsMax<Sample>()));
    odd = hn::ShiftRight<8 * sizeof(Sample)>(both);
  }
  HWY_INLINE Split(const Sample* one, const Sample* other) : Split(one) {
    const Split second(other);
    even = hn::Add(even, second.even);
    odd = hn::Add(odd, second.odd);
  }
  HWY_INLINE V Sum() const { return hn::Add(even, odd); }

  V even, odd;
};

/// Three neighbouring pairs of columns of two rows' sum.
template <class Sample>
struct SixColumns {
  using V = typename Split<Sample>::V;

  HWY_INLINE SixColumns(const Sample* one, const Sample* other)
      : left(one - 2, other - 2), middle(one, other), right(one + 2, other + 2) {}
  HWY_INLINE V Centre() const { return middle.Sum(); }
  HWY_INLINE V Beside() const { return hn::Add(left.odd, right.even); }
  HWY_INLINE V Outside() const { return hn::Add(left.even, right.odd); }

  Split<Sample> left, middle, right;
};

template <class V>
HWY_INLINE V Times3(V v) {
  return hn::Add(v, hn::Add(v, v));
}

/// Lanes have a cell of 2x2 samples each.
template <class Sample>
HWY_INLINE typename Split<Sample>::V CellActivity(const Sample* const* rows, int x) {
  const SixColumns<Sample> outer(rows[0] + x, rows[5] + x), middle(rows[1] + x, rows[4] + x),
      inner(rows[2] + x, rows[3] + x);
  const auto cell = inner.Centre();
  const auto sides = hn::Add(inner.Beside(), middle.Centre());
  const auto corners = middle.Beside();
  const auto ring = hn::Add(hn::Add(inner.Outside(), middle.Outside()), hn::Add(outer.Centre(), outer.Beside()));
  const auto around = hn::Add(hn::Add(Times3(sides), hn::Add(corners, corners)), ring);
  return AbsoluteDifference(hn::ShiftLeft<2>(Times3(cell)), around);
}

HWY_INLINE void AddCells(uint32_t* sums, V32 cells) { AddTo(sums, cells); }
HWY_INLINE void AddCells(uint32_t* sums, V16 cells) {
  const hn::Half<D16> half;
  AddTo(sums, hn::PromoteTo(D32(), hn::LowerHalf(half, cells)));
  AddTo(sums + hn::Lanes(D32()), hn::PromoteTo(D32(), hn::UpperHalf(half, cells)));
}

/// Activities of cells; errors are added apart.
template <bool second_order, class Sample>
void AddCellTile(const Rows<Sample>& rows, int x, int count, InnerRows inner_rows, typename Split<Sample>::V inside,
                 typename Split<Sample>::V inner, const PairSums& sums) {
  using Two = Split<Sample>;
  for (int r = 0; r < count; r += 2) {
    if (r >= inner_rows.begin && r < inner_rows.end)
      AddCells(sums.spatial, hn::And(CellActivity(rows.now + r, x), inner));
    auto now = Two(rows.now[r + kAbove] + x, rows.now[r + kAbove + 1] + x).Sum();
    auto before = Two(rows.before[r] + x, rows.before[r + 1] + x).Sum();
    if (second_order) {
      now = hn::Add(now, Two(rows.before_that[r] + x, rows.before_that[r + 1] + x).Sum());
      before = hn::Add(before, before);
    }
    AddCells(sums.temporal, hn::And(AbsoluteDifference(now, before), inside));
  }
}

template <class Sample>
void AddErrors(const Plane& reference, const Plane& distorted, int y, int count, uint32_t* sums) {
  const int lanes = static_cast<int>(hn::Lanes(D16())), width = reference.width;
  for (int x = 0; x < width; x += lanes) {
    const bool is_whole = x + lanes <= width;
    V32 sum = hn::Zero(D32());
    for (int r = 0; r < count; ++r) {
      const Sample *a = reference.Row<Sample>(y + r) + x, *b = distorted.Row<Sample>(y + r) + x;
      HWY_ALIGN Sample part[2][hn::MaxLanes(D16())];
      if (!is_whole) {
        std::memset(part, 0, sizeof part);
        a = std::copy_n(a, width - x, part[0]) - (width - x);
        b = std::copy_n(b, width - x, part[1]) - (width - x);
      }
      sum = AddSquares(sum, AbsoluteDifference(Load(a), Load(b)));
    }
    AddTo(sums + x / 2, sum);
  }
}

/// The sums of one row of blocks.
template <class Sample>
class BlockRowSums {
 public:
  BlockRowSums(const XpsnrGrid& grid, const XpsnrFrame& frame, int row, std::span<int64_t> words, XpsnrBuffers& buffers)
      : grid_(grid), frame_(frame), row_(row), words_(words), buffers_(buffers), stride_(buffers.pairs.size() / 3) {}

  void Add() {
    std::ranges::fill(words_, 0);
    AddLuma();
    for (int p = 1; p < grid_.format.PlaneCount(); ++p) AddChroma(p);
  }

 private:
  void AddLuma() {
    const int end = grid_.Top(row_) + grid_.Height(row_);
    for (int y = grid_.Top(row_); y < end; y += kMostRows) {
      const int stop = std::min(y + kMostRows, end);
      std::ranges::fill(buffers_.pairs, 0u);
      for (int top = y; top < stop; top += kChunk) AddChunk(top, std::min(kChunk, stop - top));
      for (int column = 0; column < grid_.columns; ++column) {
        const XpsnrGrid::Part part = PartOf(0, column);
        int64_t* word = words_.data() + XPSNR_WORDS * column;
        word[XPSNR_ERROR] += Sum(0, part);
        word[XPSNR_SPATIAL] += Sum(1, part);
        word[XPSNR_TEMPORAL] += 2 * Sum(2, part);
      }
    }
  }

  void AddChroma(int plane) {
    const XpsnrGrid::Part rows = PartOf(plane, 0);
    for (int y = rows.y0; y < rows.y1; y += kMostRows) {
      std::ranges::fill(buffers_.pairs, 0u);
      const int stop = std::min(y + kMostRows, rows.y1);
      for (int top = y; top < stop; top += kChunk)
        AddErrors<Sample>(frame_.reference[plane], frame_.distorted[plane], top, std::min(kChunk, stop - top),
                          buffers_.pairs.data());
      for (int column = 0; column < grid_.columns; ++column)
        words_[XPSNR_WORDS * column + XPSNR_ERROR_U + plane - 1] += Sum(0, PartOf(plane, column));
      if (plane > 1) continue;
      for (int column = 0; column < grid_.columns; ++column)
        words_[XPSNR_WORDS * column + XPSNR_CHROMA] = PartOf(plane, column).samples();
    }
  }

  XpsnrGrid::Part PartOf(int plane, int column) const {
    return grid_.PartOf(plane, frame_.reference[plane], column, row_);
  }

  int64_t Sum(int which, const XpsnrGrid::Part& part) const {
    const uint32_t* pairs = buffers_.pairs.data() + stride_ * which;
    int64_t sum = 0;
    for (int i = part.x0 / 2; i < (part.x1 + 1) / 2; ++i) sum += pairs[i];
    return sum;
  }

  void AddChunk(int y, int count) {
    if (frame_.order == XpsnrOrder::kSecond) AddChunk<true>(y, count);
    else AddChunk<false>(y, count);
  }

  Rows<Sample> RowsFrom(int y) const {
    Rows<Sample> rows;
    const Plane &now = frame_.reference[0], &distorted = frame_.distorted[0];
    const auto row_of = [&](const Plane* plane, int at) {
      if (!plane) return reinterpret_cast<const Sample*>(buffers_.zeros.data());
      return plane->Row<Sample>(std::clamp(at, 0, plane->height - 1));
    };
    for (int r = 0; r < kChunk + kAbove + kBelow; ++r) rows.now[r] = row_of(&now, y - kAbove + r);
    for (int r = 0; r < kChunk; ++r) rows.distorted[r] = row_of(&distorted, y + r);
    // Without changes over time, the picture before is the picture itself.
    const Plane* before = frame_.order == XpsnrOrder::kNone ? &now : frame_.before;
    for (int r = 0; r < kChunk + 1; ++r) rows.before[r] = row_of(before, y + r);
    for (int r = 0; r < kChunk + 1; ++r) rows.before_that[r] = row_of(frame_.before_that, y + r);
    return rows;
  }

  template <bool second_order>
  void AddChunk(int y, int count) {
    const Rows<Sample> rows = RowsFrom(y);
    const int edge = grid_.is_big ? 2 : 1, height = grid_.format.height;
    const InnerRows inner_rows = {std::max(0, edge - y), std::min(count, height - edge - y)};
    uint32_t* pairs = buffers_.pairs.data();
    const PairSums sums = {pairs, pairs + stride_, pairs + 2 * stride_};
    if (grid_.is_big) {
      AddErrors<Sample>(frame_.reference[0], frame_.distorted[0], y, count, pairs);
      WalkColumns<hn::DFromV<typename Split<Sample>::V> >(
          2, rows, [&](const auto& tile, int x, int column, auto inside, auto inner) {
            AddCellTile<second_order>(tile, x, count, inner_rows, inside, inner, sums.From(column));
          });
    } else {
      WalkColumns<D16>(1, rows, [&](const auto& tile, int x, int column, auto inside, auto inner) {
        AddTile<second_order>(tile, x, count, inner_rows, inside, inner, sums.From(column));
      });
    }
  }

  /// Calls `add` with each tile: its rows and where in them it begins, its column in the picture, and masks of its
  /// lanes that are inside of the picture and of those whose spatial activity counts. A lane has `step` columns.
  template <class D, class AddTile>
  void WalkColumns(int step, const Rows<Sample>& rows, const AddTile& add) {
    const D d;
    const int width = grid_.format.width, columns = step * static_cast<int>(hn::Lanes(d));
    const auto all = hn::Set(d, hwy::LimitsMax<hn::TFromD<D> >());
    for (int x = 0; x < width; x += columns) {
      if (x >= kAbove && x + columns + kBelow <= width) {
        add(rows, x, x, all, all);
        continue;
      }
      const EdgeRows<Sample> copied(rows, x, columns, width);
      add(copied.rows(), kAbove, x, ColumnsWithin(d, x, step, 0, width), ColumnsWithin(d, x, step, step, width - step));
    }
  }

  const XpsnrGrid& grid_;
  const XpsnrFrame& frame_;
  const int row_;
  const std::span<int64_t> words_;
  XpsnrBuffers& buffers_;
  const size_t stride_;
};

void BlockRow(const XpsnrGrid& grid, const XpsnrFrame& frame, int row, std::span<int64_t> words,
              XpsnrBuffers& buffers) {
  constexpr int kMostBits = 12;
  if (!grid.is_weighted || grid.format.bit_depth > kMostBits) XpsnrBlockRowRef(grid, frame, row, words);
  else if (grid.format.bit_depth > 8) BlockRowSums<uint16_t>(grid, frame, row, words, buffers).Add();
  else BlockRowSums<uint8_t>(grid, frame, row, words, buffers).Add();
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(BlockRow);

void XpsnrBlockRow(const XpsnrGrid& grid, const XpsnrFrame& frame, int row, std::span<int64_t> words,
                   XpsnrBuffers& buffers) {
  HWY_DYNAMIC_DISPATCH(BlockRow)(grid, frame, row, words, buffers);
}

}  // namespace acutance
#endif  // HWY_ONCE
