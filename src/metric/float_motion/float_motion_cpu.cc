// A running float sum cannot be split, so each lane of a vector walks along a row of its own, filtering and adding as
// it goes. The vertical filter before it works along the columns of a tile. README.md says why no bit depends on this.
#include "metric/float_motion/float_motion.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>

#include "base/int_math.h"
#include "metric/blocks/border.h"
#include "metric/blocks/words.h"
#include "simd/mirror.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/float_motion/float_motion_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane walks along one row, as the plain loops do

void RowSums(const FloatMotionInput& input, RowBand band, FloatMotionTile&, int64_t* words) {
  const FloatMotionTaps& t = input.taps;
  const std::array<float, 5> taps = {t.outer, t.inner, t.middle, t.inner, t.outer};
  FloatMotionRowSumsRef({input.earlier, input.current, input.bit_depth, taps, input.half != nullptr}, band, words);
}

#else

using D = hn::CappedTag<float, FloatMotionTile::kMaxLanes>;
using V = hn::Vec<D>;
using OneLane = hn::CappedTag<float, 1>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kStride = FloatMotionTile::kStride;
constexpr int kBlock = 4;  // columns that are transposed at once

template <class DF>
struct Taps {
  hn::Vec<DF> outer, inner, middle;

  HWY_INLINE explicit Taps(const FloatMotionTaps& taps)
      : outer(hn::Set(DF(), taps.outer)), inner(hn::Set(DF(), taps.inner)), middle(hn::Set(DF(), taps.middle)) {}
};

// The filter over a stream of samples: each Push completes the value around the sample before the last. Every value
// takes its five products in their order, one at a time; a product serves all values that need it.
template <class DF>
class RunningFilter {
 public:
  using VF = hn::Vec<DF>;

  HWY_INLINE RunningFilter()
      : after1_(hn::Zero(DF())), after2_(hn::Zero(DF())), after3_(hn::Zero(DF())), after4_(hn::Zero(DF())) {}

  HWY_INLINE VF Push(const Taps<DF>& taps, VF sample) {
    const VF outer = hn::Mul(taps.outer, sample);
    const VF inner = hn::Mul(taps.inner, sample);
    const VF value = hn::Add(after4_, outer);
    after4_ = hn::Add(after3_, inner);
    after3_ = hn::Add(after2_, hn::Mul(taps.middle, sample));
    after2_ = hn::Add(after1_, inner);
    after1_ = outer;
    return value;
  }

 private:
  VF after1_, after2_, after3_, after4_;  // values that have 1 to 4 products
};

template <class DF, class Sample>
HWY_INLINE hn::Vec<DF> LoadCentred(const Sample* samples, int middle) {
  const hn::RebindToSigned<DF> di;
  return hn::ConvertTo(DF(), hn::Sub(LoadSamples(di, samples), hn::Set(di, static_cast<int32_t>(middle))));
}

// Filters columns [begin, end) down `count` rows into `tile`; rows: those to read, from two above to two below. The
// last block is pulled left to end inside the picture.
template <class DF, class Sample>
void FilterColumns(const FloatMotionInput& input, const Sample* const* rows, int count, int begin, int end,
                   float* tile) {
  constexpr int kWidth = static_cast<int>(hn::MaxLanes(DF()));
  const int middle = FloatMotionMiddleSample(input.bit_depth);
  const Taps<DF> taps(ScaleForSamples(input.taps, input.bit_depth));
  for (int x = begin; x < end; x += kWidth) {
    const int at = std::min(x, end - kWidth);
    RunningFilter<DF> filter;
    for (int r = 0; r < 4; ++r) filter.Push(taps, LoadCentred<DF>(rows[r] + at, middle));
    // The next tile's: these are more rows than hardware follows by itself. A prefetch past the end does no harm.
    for (int r = 0; r < count + 4; ++r) hwy::Prefetch(rows[r] + at + FloatMotionTile::kColumns);
    for (int r = 0; r < count; ++r)
      hn::StoreU(filter.Push(taps, LoadCentred<DF>(rows[r + 4] + at, middle)), DF(), tile + r * kStride + at - begin);
  }
}

// Four floats of each of the rows 0, 4, 8...
template <class DF>
HWY_INLINE hn::Vec<DF> LoadEveryFourthRow(DF df, const float* const* rows, int at) {
  if constexpr (hn::MaxLanes(DF()) == 4) {
    return hn::LoadU(df, rows[0] + at);
  } else {
    const hn::Half<DF> dh;
    return hn::Combine(df, LoadEveryFourthRow(dh, rows + hn::MaxLanes(dh), at), LoadEveryFourthRow(dh, rows, at));
  }
}

// Columns at..at+3 of kLanes rows, a row in each lane.
HWY_INLINE void LoadColumns(const float* const* rows, int at, V (&columns)[kBlock]) {
  const D d;
  const hn::Repartition<uint64_t, D> pairs;
  const V row0 = LoadEveryFourthRow(d, rows, at), row1 = LoadEveryFourthRow(d, rows + 1, at);
  const V row2 = LoadEveryFourthRow(d, rows + 2, at), row3 = LoadEveryFourthRow(d, rows + 3, at);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row0, row1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row2, row3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row0, row1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row2, row3));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

// Rows of the tile, one for each lane; what lies beyond the last row repeats it and is not used.
struct LaneRows {
  const float* row[kLanes];

  HWY_INLINE void FilterBlock(const Taps<D>& taps, int at, RunningFilter<D>& filter, V (&values)[kBlock]) const {
    LoadColumns(row, at, values);
    for (int k = 0; k < kBlock; ++k) values[k] = filter.Push(taps, values[k]);
  }
};

// Columns of a tile: real ones, and at the ends of the picture two mirrored ones.
struct TileColumns {
  int begin;  // -2 in the first tile
  int end;
  int width;  // of the picture

  int RealBegin() const { return std::max(begin, 0); }
  int RealEnd() const { return std::min(end, width); }
};

// kLanes rows of a plane as it is.
class WholeLanes {
 public:
  static constexpr int kGroupRows = FloatMotionTile::kRows;

  HWY_INLINE WholeLanes() : sum_(hn::Zero(D())) {}

  void Place(const FloatMotionInput&, RowBand group, int first_lane, FloatMotionTile& tile) {
    for (int i = 0; i < kLanes; ++i) {
      const int row = std::min(first_lane + i, group.end - 1) - group.begin;
      earlier_rows_.row[i] = tile.samples[0] + row * kStride;
      current_rows_.row[i] = tile.samples[1] + row * kStride;
    }
  }

  void Walk(const FloatMotionInput& input, TileColumns columns) {
    const Taps<D> taps(input.taps);
    RunningFilter<D> earlier = earlier_, current = current_;
    V sum = sum_;
    for (int x = columns.begin; x < columns.end; x += kBlock) {
      V a[kBlock], b[kBlock];
      earlier_rows_.FilterBlock(taps, x - columns.begin, earlier, a);
      current_rows_.FilterBlock(taps, x - columns.begin, current, b);
      if (x < 2) continue;  // no value is complete
      const int count = std::min(columns.width + 2 - x, kBlock);
      if (count == kBlock) {
        for (int k = 0; k < kBlock; ++k) sum = hn::Add(sum, hn::Abs(hn::Sub(a[k], b[k])));
      } else {
        for (int k = 0; k < count; ++k) sum = hn::Add(sum, hn::Abs(hn::Sub(a[k], b[k])));
      }
    }
    earlier_ = earlier;
    current_ = current;
    sum_ = sum;
  }

  HWY_INLINE V sum() const { return sum_; }

 private:
  LaneRows earlier_rows_, current_rows_;
  RunningFilter<D> earlier_, current_;
  V sum_;
};

// kLanes rows of a halved plane: each from two rows of the plane.
class HalfLanes {
 public:
  static constexpr int kGroupRows = FloatMotionTile::kRows / 2;  // 16 of them lie within 32 rows of the plane

  HWY_INLINE HalfLanes()  // spelled out: a generated one would not be compiled for the target
      : upper_before_{hn::Zero(D()), hn::Zero(D())},
        lower_before_{hn::Zero(D()), hn::Zero(D())},
        upper_weight_(hn::Zero(D())),
        lower_weight_(hn::Zero(D())),
        sum_(hn::Zero(D())) {}

  void Place(const FloatMotionInput& input, RowBand group, int first_lane, FloatMotionTile& tile) {
    const HalfSample* rows = input.half->rows.data();
    alignas(64) float weights[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      const HalfSample& from = rows[std::min(first_lane + i, group.end - 1)];
      weights[i] = from.weight;
      for (int p = 0; p < 2; ++p) {
        upper_rows_[p].row[i] = tile.samples[p] + (from.first - rows[group.begin].first) * kStride;
        lower_rows_[p].row[i] = upper_rows_[p].row[i] + kStride;
      }
    }
    lower_weight_ = hn::Load(D(), weights);
    upper_weight_ = hn::Sub(hn::Set(D(), 1.0f), lower_weight_);
  }

  void Walk(const FloatMotionInput& input, TileColumns columns) {
    const Taps<D> taps(input.taps);
    for (int x = columns.begin; x < columns.end; x += kBlock) {
      V upper[2][kBlock], lower[2][kBlock];
      for (int p = 0; p < 2; ++p) {
        upper_rows_[p].FilterBlock(taps, x - columns.begin, upper_filters_[p], upper[p]);
        lower_rows_[p].FilterBlock(taps, x - columns.begin, lower_filters_[p], lower[p]);
      }
      if (x < 2) continue;  // no value is complete
      const int count = std::min(columns.width + 2 - x, kBlock);
      for (int k = 0; k < count; ++k) {
        AddColumn(input.half->columns, x - 2 + k, upper[0][k], upper[1][k], lower[0][k], lower[1][k]);
        for (int p = 0; p < 2; ++p) {
          upper_before_[p] = upper[p][k];
          lower_before_[p] = lower[p][k];
        }
      }
    }
  }

  HWY_INLINE V sum() const { return sum_; }

 private:
  // Column x of both blurred pictures: [0] earlier, [1] current.
  HWY_INLINE void AddColumn(const std::vector<HalfSample>& halved, int x, V upper0, V upper1, V lower0, V lower1) {
    if (next_ == halved.size() || x != halved[next_].first + 1) return;
    const V right = hn::Set(D(), halved[next_].weight), left = hn::Set(D(), 1.0f - halved[next_].weight);
    const V weights[4] = {hn::Mul(upper_weight_, left), hn::Mul(upper_weight_, right), hn::Mul(lower_weight_, left),
                          hn::Mul(lower_weight_, right)};
    const V earlier = Weigh(weights, upper_before_[0], upper0, lower_before_[0], lower0);
    const V current = Weigh(weights, upper_before_[1], upper1, lower_before_[1], lower1);
    sum_ = hn::Add(sum_, hn::Abs(hn::Sub(earlier, current)));
    ++next_;
  }

  static HWY_INLINE V Weigh(const V (&weights)[4], V upper_left, V upper_right, V lower_left, V lower_right) {
    const V upper = hn::Add(hn::Mul(weights[0], upper_left), hn::Mul(weights[1], upper_right));
    return hn::Add(hn::Add(upper, hn::Mul(weights[2], lower_left)), hn::Mul(weights[3], lower_right));
  }

  LaneRows upper_rows_[2], lower_rows_[2];  // [0] earlier, [1] current
  RunningFilter<D> upper_filters_[2], lower_filters_[2];
  V upper_before_[2], lower_before_[2];  // the column before
  V upper_weight_, lower_weight_;
  V sum_;
  size_t next_ = 0;  // halved column
};

// Goes down a band by groups of rows, and along each group by tiles.
template <class Sample, class Lanes>
class BandSums {
 public:
  BandSums(const FloatMotionInput& input, FloatMotionTile& tile) : input_(input), tile_(tile) {}

  void Run(RowBand band, int64_t* words) {
    for (int y = band.begin; y < band.end; y += Lanes::kGroupRows)
      SumGroup({y, std::min(y + Lanes::kGroupRows, band.end)}, words);
  }

 private:
  void SumGroup(RowBand group, int64_t* words) {
    Lanes lanes[Lanes::kGroupRows / kLanes];
    const int used = CeilDiv(group.end - group.begin, kLanes);
    for (int i = 0; i < used; ++i) lanes[i].Place(input_, group, group.begin + i * kLanes, tile_);
    FindRows(group);
    const int width = input_.current.width;
    for (TileColumns columns = {-2, 0, width}; columns.begin < width; columns.begin = columns.end) {
      columns.end = columns.begin + FloatMotionTile::kColumns;
      if (columns.end + FloatMotionTile::kMaxLanes > width) columns.end = width + 2;
      FilterTile(columns);
      for (int i = 0; i < used; ++i) lanes[i].Walk(input_, columns);
    }
    for (int i = 0; i < used; ++i) StoreSums(lanes[i].sum(), {group.begin + i * kLanes, group.end}, words);
  }

  static void StoreSums(V sum, RowBand rows, int64_t* words) {
    alignas(64) float values[kLanes];
    hn::Store(sum, D(), values);
    std::transform(values, values + std::min(rows.end - rows.begin, kLanes), words + rows.begin, WordFromFloat);
  }

  // The rows of the plane that the group's vertical filter reads.
  void FindRows(RowBand group) {
    RowBand rows = group;
    if (input_.half != nullptr)
      rows = {input_.half->rows[group.begin].first, input_.half->rows[group.end - 1].first + 2};
    row_count_ = rows.end - rows.begin;
    for (int r = 0; r < row_count_ + 4; ++r) {
      const int y = mirror_index(rows.begin + r - 2, input_.current.height);
      rows_[0][r] = input_.earlier.Row<Sample>(y);
      rows_[1][r] = input_.current.Row<Sample>(y);
    }
  }

  void FilterTile(TileColumns columns) {
    for (int p = 0; p < 2; ++p) {
      float* real = tile_.samples[p] + (columns.RealBegin() - columns.begin);
      const auto filter = columns.width < kLanes ? FilterColumns<OneLane, Sample> : FilterColumns<D, Sample>;
      filter(input_, rows_[p], row_count_, columns.RealBegin(), columns.RealEnd(), real);
      Mirror(columns, tile_.samples[p]);
    }
  }

  void Mirror(TileColumns columns, float* row) const {
    const int after = columns.width - columns.begin;
    for (int r = 0; r < row_count_; ++r, row += kStride) {
      if (columns.begin < 0) MirrorBefore(row + 2, 2);
      if (columns.end > columns.width) MirrorAfter(row + after - 1, 2);
    }
  }

  const FloatMotionInput& input_;
  FloatMotionTile& tile_;
  const Sample* rows_[2][FloatMotionTile::kRows + 4];  // [0] earlier, [1] current
  int row_count_ = 0;
};

template <class Sample>
void RowSumsOf(const FloatMotionInput& input, RowBand band, FloatMotionTile& tile, int64_t* words) {
  if (input.half != nullptr) BandSums<Sample, HalfLanes>(input, tile).Run(band, words);
  else BandSums<Sample, WholeLanes>(input, tile).Run(band, words);
}

void RowSums(const FloatMotionInput& input, RowBand band, FloatMotionTile& tile, int64_t* words) {
  if (input.bit_depth == 8) RowSumsOf<uint8_t>(input, band, tile, words);
  else RowSumsOf<uint16_t>(input, band, tile, words);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(RowSums);

void FloatMotionRowSums(const FloatMotionInput& input, RowBand band, FloatMotionTile& tile, int64_t* words) {
  HWY_DYNAMIC_DISPATCH(RowSums)(input, band, tile, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
