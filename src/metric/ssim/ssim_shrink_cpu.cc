// The shrunk planes of float_ssim and the halved ones of float_ms_ssim. README.md says why no bit depends on the order
// of the sums.
#include <algorithm>
#include <type_traits>

#include "metric/ssim/ssim.h"
#include "metric/ssim/ssim_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ssim/ssim_shrink_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/ssim/ssim_split-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

using ssim::mirrored_with_edge;

#if HWY_TARGET == HWY_SCALAR

void Shrink(const Plane& plane, int bit_depth, int factor, RowBand band, SsimRows&, PaddedPlane& shrunk) {
  ShrinkRowsRef(plane, bit_depth, factor, band, shrunk);
}

void Halve(const Plane& plane, int bit_depth, RowBand band, SsimRows&, PaddedPlane& halved) {
  HalveRowsRef(plane, bit_depth, band, halved);
}

#else

template <class DF, class Sample>
HWY_INLINE hn::Vec<DF> LoadFloats(DF df, const Sample* from) {
  if constexpr (std::is_same_v<Sample, float>) return hn::LoadU(df, from);
  else return hn::ConvertTo(df, LoadSamples(hn::RebindToSigned<DF>(), from));
}

// --- Boxes

// Adds the products of a row's samples with the weight.
template <class Sample>
void AddRow(const Sample* row, int width, float weight, double* sums) {
  using D64 = hn::ScalableTag<double>;
  const hn::Rebind<float, D64> d32;
  const int lanes = static_cast<int>(hn::Lanes(D64()));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto product = hn::PromoteTo(D64(), hn::Mul(LoadFloats(d32, row + x), hn::Set(d32, weight)));
    hn::StoreU(hn::Add(hn::LoadU(D64(), sums + x), product), D64(), sums + x);
  }
  for (; x < width; ++x) sums[x] += static_cast<double>(static_cast<float>(row[x]) * weight);
}

// Adds a row's samples, where the weight is a power of two and can wait.
template <class Sample>
void AddRow(const Sample* row, int width, float, int32_t* sums) {
  using DI = hn::ScalableTag<int32_t>;
  const int lanes = static_cast<int>(hn::Lanes(DI()));
  int x = 0;
  for (; x + lanes <= width; x += lanes)
    hn::StoreU(hn::Add(hn::LoadU(DI(), sums + x), LoadSamples(DI(), row + x)), DI(), sums + x);
  for (; x < width; ++x) sums[x] += row[x];
}

HWY_INLINE float Mean(double sum, float) { return static_cast<float>(sum); }
HWY_INLINE float Mean(int32_t sum, float weight) { return static_cast<float>(sum) * weight; }

// sums: one for each column.
template <class Sample, class Sum>
void ShrinkOf(const Plane& plane, float weight, int factor, RowBand band, Sum* sums, PaddedPlane& shrunk) {
  const int width = plane.width, before = factor / 2;
  for (int y = band.begin; y < band.end; ++y) {
    std::fill_n(sums, width, Sum());
    for (int i = 0; i < factor; ++i)
      AddRow(plane.Row<Sample>(mirrored_with_edge(factor * y - before + i, plane.height)), width, weight, sums);
    for (int i = 0; i < factor; ++i) {
      sums[-1 - i] = sums[mirrored_with_edge(-1 - i, width)];
      sums[width + i] = sums[mirrored_with_edge(width + i, width)];
    }
    float* out = shrunk.Row(y);
    for (int x = 0; x < ShrunkLength(width, factor); ++x) {
      Sum sum = 0;
      for (int j = 0; j < factor; ++j) sum += sums[factor * x - before + j];
      out[x] = Mean(sum, weight);
    }
  }
}

template <class Sample>
void ShrinkOf(const Plane& plane, int bit_depth, int factor, RowBand band, SsimRows& rows, PaddedPlane& shrunk) {
  const float weight = static_cast<float>(1.0 / (factor * factor)) / static_cast<float>(1 << (bit_depth - 8));
  if ((factor & (factor - 1)) == 0)
    ShrinkOf<Sample>(plane, weight, factor, band, rows.whole_sums.data() + SsimRows::kMargin, shrunk);
  else ShrinkOf<Sample>(plane, weight, factor, band, rows.sums.data() + SsimRows::kMargin, shrunk);
}

void Shrink(const Plane& plane, int bit_depth, int factor, RowBand band, SsimRows& rows, PaddedPlane& shrunk) {
  if (bit_depth > 8) ShrinkOf<uint16_t>(plane, bit_depth, factor, band, rows, shrunk);
  else ShrinkOf<uint8_t>(plane, bit_depth, factor, band, rows, shrunk);
}

// --- Halves of samples that are not dark: down the columns first, as sums of whole numbers of a grid and of what is
// rounded off. Rows of the table that mirror each other share their products. README.md says why the bits are those of
// the other order.

constexpr int kRadius = 4;                // of the halving filter
constexpr int kDistances = kRadius + 1;   // from its middle
constexpr int kOpenHalves = 5;            // rows of halves that meet a pair of rows
constexpr float kHalvingStep = 0x1p-14f;  // of the grid

// Taps of one column of the table, by the distance of the row, divided by the grid's step.
struct HalvingTaps {
  alignas(64) float taps[kDistances][kLanes];

  explicit HalvingTaps(int column) {
    for (int row = 0; row < kDistances; ++row)
      for (float& tap : taps[row]) tap = ssim::kHalvingTaps[kDistances * row + column] / kHalvingStep;
  }
};

// Both sums of the rows of halves that are open: row y at y % 5. Rows 2q and 2q + 1 meet halves q - 2 to q + 2.
struct OpenHalves {
  V high[kOpenHalves], low[kOpenHalves];

  // A product for two rows of halves, `first` and `second` below the pair's, of which the first may begin with it.
  template <int phase, int first, int second, bool kBegins, bool kFused>
  HWY_INLINE void Add(V value, const float* taps) {
    const V term = hn::Mul(value, hn::Load(D(), taps));
    const V whole = hn::Round(term);
    const V lost = Difference(term, whole);
    if constexpr (first != second) AddTo<Slot(phase + second), kFused>(whole, lost);
    if constexpr (kBegins) {
      high[Slot(phase + first)] = whole;
      low[Slot(phase + first)] = lost;
    } else {
      AddTo<Slot(phase + first), kFused>(whole, lost);
    }
  }

  template <int slot, bool kFused>
  HWY_INLINE void AddTo(V whole, V lost) {
    high[slot] = hn::Add(high[slot], whole);
    low[slot] = kFused && HWY_NATIVE_FMA ? hn::MulAdd(lost, hn::Set(D(), 1.0f), low[slot]) : hn::Add(low[slot], lost);
  }

  static constexpr int Slot(int row) { return (row + kOpenHalves) % kOpenHalves; }

  // What the next pair of rows meets again. phase: of that pair.
  static constexpr int kKept = kOpenHalves - 1;
  HWY_INLINE void Load(const float* from, ptrdiff_t step) {
    for (int i = 0; i < kKept; ++i) {
      high[Slot(i - 2)] = hn::Load(D(), from + 2 * i * step);
      low[Slot(i - 2)] = hn::Load(D(), from + (2 * i + 1) * step);
    }
  }
  HWY_INLINE void Save(float* to, ptrdiff_t step) const {
    for (int i = 0; i < kKept; ++i) {
      hn::Store(high[Slot(i - 2)], D(), to + 2 * i * step);
      hn::Store(low[Slot(i - 2)], D(), to + (2 * i + 1) * step);
    }
  }
};

// Columns of both rows of pairs, and where pair q writes both sums of halves q - 2.
struct HalvingColumns {
  const float* rows;
  ptrdiff_t row_step;
  const float* taps;
  float* sums;
  ptrdiff_t sums_step;
};

// Pairs from one on whose number is `phase` modulo 5.
template <int phase>
HWY_INLINE void AddPairs(HalvingColumns& c, OpenHalves& open) {
  const V even = hn::Load(D(), c.rows + 2 * phase * c.row_step);
  open.Add<phase, 2, -2, true, true>(even, c.taps + 4 * kLanes);
  float* const sums = c.sums + phase * c.sums_step;
  hn::Store(open.high[OpenHalves::Slot(phase - 2 + kOpenHalves)], D(), sums);
  hn::Store(open.low[OpenHalves::Slot(phase - 2 + kOpenHalves)], D(), sums + SsimRows::kHalvingWidth);
  open.Add<phase, 1, -1, false, true>(even, c.taps + 2 * kLanes);
  open.Add<phase, 0, 0, false, false>(even, c.taps);
  const V odd = hn::Load(D(), c.rows + (2 * phase + 1) * c.row_step);
  open.Add<phase, 2, -1, false, true>(odd, c.taps + 3 * kLanes);
  open.Add<phase, 1, 0, false, false>(odd, c.taps + kLanes);
  if constexpr (phase + 1 < kOpenHalves) AddPairs<phase + 1>(c, open);
}

// Five pairs of rows after those of the call before, whose open sums are in `kept`.
HWY_NOINLINE void HalveColumns(HalvingColumns columns, float* kept, ptrdiff_t kept_step) {
  OpenHalves open;
  open.Load(kept, kept_step);
  AddPairs<0>(columns, open);
  open.Save(kept, kept_step);
}

// --- Halves

// Goes down a band in parts of 64 rows, in spans of 128 columns. Each row of other than bright ones is filtered along
// once with each row of the table that it meets: 0, 2 and 4 from the middle if it is even, 1 and 3 if it is odd.
template <class Sample>
class Halves {
 public:
  Halves(const Plane& plane, int bit_depth, SsimRows& rows, PaddedPlane& halved)
      : plane_(plane),
        unit_(bit_depth == kFloatDepth ? 1 : 1 << (bit_depth - 8)),
        scale_(1.0f / static_cast<float>(unit_)),
        rows_(rows),
        halved_(halved) {}

  void Run(RowBand band) {
    const int part_rows = kSharesProducts ? 64 : band.end - band.begin;
    const int width = HalvedLength(plane_.width);
    for (int y = band.begin; y < band.end; y += part_rows) {
      const RowBand part = {y, std::min(y + part_rows, band.end)};
      for (int x = 0; x < width; x += SsimRows::kSpan) {
        first_ = x;
        columns_ = std::min(width - x, SsimRows::kSpan);
        if (kSharesProducts && IsBright(part)) HalveBright(part);
        else HalveAny(part, std::min(x + SsimRows::kSpan, width));
      }
    }
  }

 private:
  // --- Bright samples

  // Whether all samples that the part's halves need are from 8 to 256.
  bool IsBright(RowBand part) const {
    constexpr int kMost = std::is_same_v<Sample, uint8_t> ? 0xFF : 0xFFFF;
    const Sample dimmest = static_cast<Sample>(ssim::kDimmest * unit_);
    const Sample brightest = static_cast<Sample>(std::min(ssim::kBrightest * unit_, kMost));
    const int begin = std::max(2 * first_ - kRadius, 0),
              end = std::min(2 * (first_ + columns_) + kRadius, plane_.width);
    const int last = std::min(2 * part.end + kRadius, plane_.height);
    bool is_bright = true;
    for (int y = std::max(2 * part.begin - kRadius, 0); y < last && is_bright; ++y)
      is_bright = AreWithin(plane_.Row<Sample>(y) + begin, end - begin, dimmest, brightest);
    return is_bright;
  }

  static bool AreWithin(const Sample* samples, int count, Sample least, Sample largest) {
    const hn::ScalableTag<Sample> d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const auto bottom = hn::Set(d, least), top = hn::Set(d, largest);
    auto low = bottom, high = top;
    int x = 0;
    for (; x + lanes <= count; x += lanes) {
      const auto v = hn::LoadU(d, samples + x);
      low = hn::Min(low, v);
      high = hn::Max(high, v);
    }
    bool are_within = hn::AllTrue(d, hn::And(hn::Eq(low, bottom), hn::Eq(high, top)));
    for (; x < count; ++x) are_within &= least <= samples[x] && samples[x] <= largest;
    return are_within;
  }

  // Pair of rows i of the part ends row i - 4 of its halves.
  void HalveBright(RowBand part) {
    const int pairs = part.end - part.begin + kRadius;
    for (int pair = 0; pair < pairs; pair += SsimRows::kPairs) {
      const int row = 2 * (part.begin - kRadius / 2 + pair);
      for (int i = 0; i < 2 * SsimRows::kPairs; ++i)
        LoadColumns(std::min(row + i, 2 * part.end + kRadius - 1), rows_.pairs[i][0], rows_.pairs[i][1]);
      SumColumns();
      for (int i = std::max(kRadius - pair, 0); i < std::min(SsimRows::kPairs, pairs - pair); ++i)
        AddColumns(rows_.half_sums[i], halved_.Row(part.begin + pair + i - kRadius) + first_);
    }
  }

  void SumColumns() {
    constexpr int kWidth = SsimRows::kHalvingWidth;
    for (int distance = 0; distance < kDistances; ++distance)
      for (int x = 0; x < columns_ + kRadius; x += kLanes) {
        const HalvingColumns columns = {rows_.pairs[0][distance % 2] + x, 2 * kWidth, taps_[distance].taps[0],
                                        rows_.half_sums[0][distance][0] + x, 2 * kDistances * kWidth};
        HalveColumns(columns, rows_.open_halves[distance][0] + x, kWidth);
      }
  }

  using ColumnSums = float[kDistances][2][SsimRows::kHalvingWidth];

  void AddColumns(const ColumnSums& sums, float* out) const {
    const V step = hn::Set(D(), kHalvingStep);
    for (int x = 0; x < columns_; x += kLanes) {
      const auto sum_of = [&](int part) HWY_ATTR {
        const auto both = [&](int distance, int before, int after) HWY_ATTR {
          const float* from = sums[distance][part] + x;
          return hn::Add(hn::LoadU(D(), from + before), hn::LoadU(D(), from + after));
        };
        const V middle = hn::Add(hn::LoadU(D(), sums[0][part] + x + 2), both(1, 1, 2));
        return hn::Add(hn::Add(middle, both(2, 1, 3)), hn::Add(both(3, 0, 3), both(4, 0, 4)));
      };
      hn::StoreU(hn::Mul(hn::Add(sum_of(0), sum_of(1)), step), D(), out + x);
    }
  }

  // --- Any samples

  void HalveAny(RowBand part, int end_column) {
    for (; first_ < end_column; first_ += kColumns) {
      columns_ = std::min(end_column - first_, kColumns);
      const int begin = 2 * part.begin - kRadius, end = 2 * part.end - 1 + kRadius;
      LoadColumnsOf(begin);
      for (int row = begin; row < end; ++row) {
        if (row + 1 < end) LoadColumnsOf(row + 1);
        FilterAlong(row);
        const int y = (row - kRadius) / 2;
        if (row % 2 == 0 && y >= part.begin) SumRows(y);
      }
    }
  }

  using Half = float[2][kColumns];

  Half& HalfOf(int row, int distance) {
    constexpr int kRows = SsimRows::kHalvedRows;
    return rows_.halves[(row + kRows) % kRows][distance / 2];
  }

  // A row's columns wait where the next row's are loaded next to them.
  float* ColumnsOf(int row, int odd) { return rows_.halving[row & 1][odd]; }

  void FilterAlong(int row) {
    for (int distance = row % 2 == 0 ? 0 : 1; distance <= kRadius; distance += 2)
      FilterAlong(row, ssim::kHalvingTaps + 5 * distance, HalfOf(row, distance));
  }

  // A row is loaded before the one above it is filtered: a load that spans two stores waits until both are in the
  // cache.
  void LoadColumnsOf(int y) { LoadColumns(y, ColumnsOf(y, 0), ColumnsOf(y, 1)); }

  // Even columns from four left of the first on, and the odd ones between them.
  void LoadColumns(int y, float* even, float* odd) {
    PrefetchRow<Sample>(plane_, y, 2 * first_, 2 * columns_);
    const Sample* row = plane_.Row<Sample>(mirrored_with_edge(y, plane_.height));
    const int begin = 2 * first_ - kRadius, end = begin + 2 * (columns_ + kRadius) - 1;
    int i = 0;  // of a pair of columns
    const auto pair_at = [&](int pair) {
      even[pair] = SampleAt(row, begin + 2 * pair);
      odd[pair] = SampleAt(row, begin + 2 * pair + 1);
    };
    for (; begin + 2 * i < 0; ++i) pair_at(i);
    const V scale = hn::Set(D(), scale_);
    const auto scaled = [&](const Sample* from) HWY_ATTR {
      const V samples = LoadFloats(D(), from);
      return sizeof(Sample) == 1 ? samples : hn::Mul(samples, scale);
    };
    for (; begin + 2 * i < end && begin + 2 * i + 2 * kLanes <= plane_.width; i += kLanes) {
      const V low = scaled(row + begin + 2 * i), high = scaled(row + begin + 2 * i + kLanes);
      hn::StoreU(hn::ConcatEven(D(), high, low), D(), even + i);
      hn::StoreU(hn::ConcatOdd(D(), high, low), D(), odd + i);
    }
    for (; begin + 2 * i < end; ++i) pair_at(i);
  }

  float SampleAt(const Sample* row, int x) const {
    return static_cast<float>(row[mirrored_with_edge(x, plane_.width)]) * scale_;
  }

  // Adds the values about a pair of columns from k on.
  template <int k = 0>
  HWY_INLINE static void AddTaps(const float* even, const float* odd, const V (&tap)[kRadius + 1], SplitSums& first,
                                 SplitSums& second) {
    const V t = tap[k < kRadius ? kRadius - k : k - kRadius];
    const float* const values = (k % 2 == 0 ? even : odd) + k / 2;
    first.Add<k>(hn::LoadU(D(), values), t);
    second.Add<k>(hn::LoadU(D(), values + kLanes), t);
    if constexpr (k < 2 * kRadius) AddTaps<k + 1>(even, odd, tap, first, second);
  }

  // taps: from the middle.
  void FilterAlong(int row, const float* taps, Half& filtered) {
    const float* even = ColumnsOf(row, 0);
    const float* odd = ColumnsOf(row, 1);
    const V anchor = hn::Set(D(), ssim::kMeanAnchor);
    V tap[kRadius + 1];
    for (int k = 0; k <= kRadius; ++k) tap[k] = hn::Set(D(), taps[k]);
    for (int x = 0; x < columns_; x += 2 * kLanes) {
      SplitSums first(anchor), second(anchor);
      AddTaps(even + x, odd + x, tap, first, second);
      hn::Store(hn::Sub(first.high, anchor), D(), filtered[0] + x);
      hn::Store(hn::Sub(second.high, anchor), D(), filtered[0] + x + kLanes);
      hn::Store(first.low, D(), filtered[1] + x);
      hn::Store(second.low, D(), filtered[1] + x + kLanes);
    }
  }

  void SumRows(int y) {
    const Half* half[2 * kRadius + 1];
    for (int k = 0; k < 2 * kRadius + 1; ++k)
      half[k] = &HalfOf(2 * y + k - kRadius, k < kRadius ? kRadius - k : k - kRadius);
    float* out = halved_.Row(y) + first_;
    for (int x = 0; x < columns_; x += 2 * kLanes) {
      const auto load = [&](int k, int part, int i)
                            HWY_ATTR { return hn::Load(D(), (*half[k])[part] + x + i * kLanes); };
      V high0 = load(0, 0, 0), high1 = load(0, 0, 1), low0 = load(0, 1, 0), low1 = load(0, 1, 1);
      for (int k = 1; k < 2 * kRadius + 1; ++k) {
        high0 = hn::Add(high0, load(k, 0, 0));
        high1 = hn::Add(high1, load(k, 0, 1));
        low0 = hn::Add(low0, load(k, 1, 0));
        low1 = hn::Add(low1, load(k, 1, 1));
      }
      hn::StoreU(hn::Add(high0, low0), D(), out + x);
      hn::StoreU(hn::Add(high1, low1), D(), out + x + kLanes);
    }
  }

  const Plane& plane_;
  const int unit_;  // a step of 8-bit samples
  const float scale_;
  SsimRows& rows_;
  PaddedPlane& halved_;
  const HalvingTaps taps_[kDistances] = {HalvingTaps(0), HalvingTaps(1), HalvingTaps(2), HalvingTaps(3),
                                         HalvingTaps(4)};
  int first_ = 0;    // halved column of the span or strip
  int columns_ = 0;  // of it
};

void Halve(const Plane& plane, int bit_depth, RowBand band, SsimRows& rows, PaddedPlane& halved) {
  if (bit_depth == kFloatDepth) Halves<float>(plane, bit_depth, rows, halved).Run(band);
  else if (bit_depth == 8) Halves<uint8_t>(plane, bit_depth, rows, halved).Run(band);
  else Halves<uint16_t>(plane, bit_depth, rows, halved).Run(band);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Shrink);
HWY_EXPORT(Halve);

void ShrinkRows(const Plane& plane, int bit_depth, int factor, RowBand band, Workspace& rows, PaddedPlane& shrunk) {
  HWY_DYNAMIC_DISPATCH(Shrink)(plane, bit_depth, factor, band, static_cast<SsimRows&>(rows), shrunk);
}

void HalveRows(const Plane& plane, int bit_depth, RowBand band, Workspace& rows, PaddedPlane& halved) {
  HWY_DYNAMIC_DISPATCH(Halve)(plane, bit_depth, band, static_cast<SsimRows&>(rows), halved);
}

}  // namespace acutance
#endif  // HWY_ONCE
