// Windows of a band, in spans of two strips from its first row to its last: rows of the planes and of their products
// are filtered along, 16 at once, then down, 11 at once.
#include <algorithm>

#include "metric/blocks/words.h"
#include "metric/ssim/ssim.h"
#include "metric/ssim/ssim_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ssim/ssim_core_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/ssim/ssim_split-inl.h"
#include "metric/ssim/ssim_windows-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

void SumRows(const SsimPlanes& planes, RowBand band, bool all, SsimRows&, int64_t* words) {
  SumSsimRowsRef(planes, band, all, words);
}

#else

constexpr int kStripLanes = ssim::kStripLanes;

HWY_INLINE V LoadSamplesAt(const float* from, V) { return hn::LoadU(D(), from); }

template <class Sample>
HWY_INLINE V LoadSamplesAt(const Sample* from, V scale) {
  const V samples = hn::ConvertTo(D(), LoadSamples(hn::RebindToSigned<D>(), from));
  return sizeof(Sample) == 1 ? samples : hn::Mul(samples, scale);
}

HWY_INLINE V ScaleOf(int bit_depth) {
  return hn::Set(D(), bit_depth == kFloatDepth ? 1.0f : 1.0f / static_cast<float>(1 << (bit_depth - 8)));
}

// Calls `load` with the first column of vectors that make up `count` columns, at least one.
template <class Load>
HWY_INLINE void ForVectors(int count, const Load& load) {
  int x = 0;
  for (; x + kLanes <= count; x += kLanes) load(x);
  if (x < count) load(std::max(count - kLanes, 0));
}

// A row of `count` samples, in `copy` if a vector is longer.
template <class Sample>
HWY_INLINE const Sample* WholeVectors(const Sample* row, int count, Sample (&copy)[kLanes]) {
  if (count >= kLanes) return row;
  std::copy_n(row, count, copy);
  return copy;
}

// Samples of `count` columns of both pictures, their squares and their product. Columns behind them have anything.
template <class Sample>
HWY_NOINLINE void LoadRow(const Sample* reference, const Sample* distorted, int bit_depth, int count,
                          float (&to)[SsimRows::kMaps][SsimRows::kSpan + SsimRows::kSlack]) {
  const V scale = ScaleOf(bit_depth);
  Sample copies[2][kLanes] = {};
  const Sample* const r_row = WholeVectors(reference, count, copies[0]);
  const Sample* const d_row = WholeVectors(distorted, count, copies[1]);
  ForVectors(count, [&](int x) HWY_ATTR {
    const V r = LoadSamplesAt(r_row + x, scale), d = LoadSamplesAt(d_row + x, scale);
    const V values[SsimRows::kMaps] = {r, d, hn::Mul(r, r), hn::Mul(d, d), hn::Mul(r, d)};
    for (int m = 0; m < SsimRows::kMaps; ++m) hn::StoreU(values[m], D(), to[m] + x);
  });
}

// The least and the largest sample of each lane.
struct Extremes {
  V least, largest;

  HWY_INLINE Extremes() : least(hn::Set(D(), ssim::kBrightest)), largest(hn::Zero(D())) {}

  HWY_INLINE bool AreBright() const {
    const V dimmest = hn::Set(D(), ssim::kDimmest), brightest = hn::Set(D(), ssim::kBrightest);
    return hn::AllTrue(D(), hn::And(hn::Ge(least, dimmest), hn::Le(largest, brightest)));
  }
};

// Samples of `count` columns of a picture.
template <class Sample>
HWY_INLINE void LoadBrightRow(const Sample* from, V scale, int count, float* to, Extremes& extremes) {
  Sample copy[kLanes];
  std::fill_n(copy, kLanes, from[0]);
  const Sample* const row = WholeVectors(from, count, copy);
  ForVectors(count, [&](int x) HWY_ATTR {
    const V samples = LoadSamplesAt(row + x, scale);
    extremes.least = hn::Min(extremes.least, samples);
    if constexpr (sizeof(Sample) > 1) extremes.largest = hn::Max(extremes.largest, samples);
    hn::StoreU(samples, D(), to + x);
  });
}

// Adds the values of a window, `step` floats apart, from k on. A recursion: g++ does not unroll the loop.
template <int k = 0>
HWY_INLINE void AddWindow(const float* values, int step, const V (&tap)[kTaps], SplitSums& first, SplitSums& second) {
  first.Add<k>(hn::LoadU(D(), values), tap[k < kTaps ? k : 10 - k]);
  second.Add<k>(hn::LoadU(D(), values + kLanes), tap[k < kTaps ? k : 10 - k]);
  if constexpr (k + 1 < kWindow) AddWindow<k + 1>(values + step, step, tap, first, second);
}

// Filters `columns` neighbouring columns; the values of a window lie `step` floats apart. Two vectors advance side by
// side to hide the latency of each.
template <int step>
HWY_NOINLINE void Filter(const float* values, float anchor, int columns, float* filtered) {
  V tap[kTaps];
  for (int k = 0; k < kTaps; ++k) tap[k] = hn::Set(D(), ssim::kWindowTaps[k]);
  const V start = hn::Set(D(), anchor);
  for (int x = 0; x < columns; x += 2 * kLanes) {
    SplitSums first(start), second(start);
    AddWindow(values + x, step, tap, first, second);
    hn::Store(first.Total(start), D(), filtered + x);
    hn::Store(second.Total(start), D(), filtered + x + kLanes);
  }
}

// Where lines of vectors come from.
template <int step>
struct VectorAt {
  const float* from;
  HWY_INLINE V operator()(ptrdiff_t i) const { return hn::Load(D(), from + i * step); }
};

struct ProductAt {
  VectorAt<kLanes> first, second;
  HWY_INLINE V operator()(ptrdiff_t i) const { return hn::Mul(first(i), second(i)); }
};

HWY_INLINE V Variance(V square, V mean) { return hn::Max(hn::Zero(D()), hn::Sub(square, hn::Mul(mean, mean))); }

using D64 = hn::CappedTag<double, kStripLanes>;
using V64 = hn::Vec<D64>;
constexpr int kDoubles = static_cast<int>(hn::MaxLanes(D64()));

HWY_INLINE V64 LoadDoubles(const float* from) {
  const hn::Rebind<float, D64> d32;
  return hn::PromoteTo(D64(), hn::Load(d32, from));
}

template <class Sample, bool kAll>
class Spans {
 public:
  Spans(const SsimPlanes& planes, RowBand band, SsimRows& rows, int64_t* words)
      : planes_(planes), band_(band), lines_(band.end - band.begin + kSsimLoss), rows_(rows), words_(words) {}

  void Run() {
    const int width = planes_.reference.width - kSsimLoss;
    for (first_ = 0; first_ < width; first_ += kSpan) {
      columns_ = std::min(width - first_, kSpan);
      int made = 0;
      is_open_ = true;  // windows that begin before the band are not used
      for (int line = 0; line < lines_; line += SsimRows::kChunk) {
        for (; made < std::min(line + SsimRows::kChunk, lines_); made += kLines) MakeLines(made);
        RunChunk(line);
      }
    }
  }

 private:
  // Where products are not shared, what is worked on fits the L1 cache.
  static constexpr int kSpan = kSharesProducts ? SsimRows::kSpan : kColumns;
  static constexpr int kLines = kSharesProducts ? SsimRows::kLines : SsimRows::kChunk;
  static constexpr int kRing = kSharesProducts ? SsimRows::kRing : 2 * SsimRows::kChunk;

  static float Anchor(int map) { return map < 2 ? ssim::kMeanAnchor : ssim::kProductAnchor; }
  float* AlongOf(int map, int line) { return rows_.along[map] + line % kRing * kSpan; }
  const BrightTaps& TapsOf(int map) const { return map < 2 ? mean_taps_ : product_taps_; }

  // --- Rows filtered along. Line 0 is the band's first row of the planes.

  void MakeLines(int line) {
    const int count = std::min(kLines, lines_ - line);
    const bool is_bright = kSharesProducts && LoadBright(line, count);
    std::fill_n(rows_.is_bright + line % kRing, kLines, is_bright);
    if (is_bright) FilterBright(line, count);
    else FilterAny(line, count);
    if (line % kRing != 0) return;
    for (int m = 0; m < SsimRows::kMaps; ++m)
      std::copy_n(AlongOf(m, 0), kSsimLoss * kSpan, AlongOf(m, 0) + kRing * kSpan);
  }

  const Sample* RowOf(const Plane& plane, int line) {
    const int y = band_.begin + line;
    PrefetchRow<Sample>(plane, y, first_, columns_ + kSsimLoss);
    return plane.Row<Sample>(y) + first_;
  }

  bool LoadBright(int line, int count) {
    const V scale = ScaleOf(planes_.bit_depth);
    Extremes extremes;
    for (int i = 0; i < count; ++i) {
      const int width = columns_ + kSsimLoss;
      LoadBrightRow(RowOf(planes_.reference, line + i), scale, width, rows_.bright[0][i], extremes);
      LoadBrightRow(RowOf(planes_.distorted, line + i), scale, width, rows_.bright[1][i], extremes);
    }
    return extremes.AreBright();
  }

  void FilterBright(int line, int count) {
    for (int i = 0; i < count; i += kLanes) {
      for (int p = 0; p < 2; ++p)
        RowsToColumns(rows_.bright[p][i], SsimRows::kSpan + SsimRows::kSlack, columns_ + kSsimLoss,
                      rows_.transposed[p]);
      for (int m = 0; m < SsimRows::kMaps; ++m) {
        FilterTransposed(m);
        ColumnsToRows(rows_.filtered + kSsimLoss * kLanes, columns_, AlongOf(m, line + i), kSpan);
      }
    }
  }

  void FilterTransposed(int map) {
    const float* first = rows_.transposed[map == 1 || map == 3];
    const BrightLines to(TapsOf(map), rows_.filtered, kLanes);
    const int count = columns_ + kSsimLoss;
    if (map < 2) FilterLines(VectorAt<kLanes>{first}, count, to);
    else FilterLines(ProductAt{{first}, {rows_.transposed[map >= 3]}}, count, to);
  }

  // A row is loaded before the one above it is filtered: a load that spans two stores waits until both are in the
  // cache.
  void FilterAny(int line, int count) {
    LoadSamplesOf(line);
    for (int i = 0; i < count; ++i) {
      if (i + 1 < count) LoadSamplesOf(line + i + 1);
      for (int m = 0; m < SsimRows::kMaps; ++m)
        Filter<1>(rows_.samples[(line + i) % 2][m], Anchor(m), columns_, AlongOf(m, line + i));
    }
  }

  void LoadSamplesOf(int line) {
    LoadRow(RowOf(planes_.reference, line), RowOf(planes_.distorted, line), planes_.bit_depth, columns_ + kSsimLoss,
            rows_.samples[line % 2]);
  }

  // --- Rows of windows: line i ends window i - 10.

  void RunChunk(int line) {
    const int count = std::min(SsimRows::kChunk, lines_ - line);
    const bool are_bright = kSharesProducts && AreBright(std::max(line - kSsimLoss, 0), line + count);
    if (are_bright) {
      if (!is_open_) FilterBrightDown(line - SsimRows::kChunk, SsimRows::kChunk);
      FilterBrightDown(line, count);
    }
    is_open_ = are_bright;
    for (int i = std::max(kSsimLoss - line, 0); i < count; ++i) {
      if (!are_bright) FilterAnyDown(line + i);
      AddRow(are_bright ? i : 0, line + i - kSsimLoss);
    }
  }

  bool AreBright(int begin, int end) const {
    bool are_bright = true;
    for (int line = begin; line < end; ++line) are_bright &= rows_.is_bright[line % kRing];
    return are_bright;
  }

  void FilterBrightDown(int line, int count) {
    for (int m = 0; m < SsimRows::kMaps; ++m)
      for (int x = 0; x < columns_; x += kLanes) {
        const BrightLines to(TapsOf(m), rows_.windows[m][0] + x, SsimRows::kSpan);
        FilterChunk(VectorAt<kSpan>{AlongOf(m, line) + x}, count, to, rows_.open[m][0][0] + x, SsimRows::kSpan);
      }
  }

  void FilterAnyDown(int line) {
    for (int m = 0; m < SsimRows::kMaps; ++m)
      Filter<kSpan>(AlongOf(m, line - kSsimLoss), Anchor(m), columns_, rows_.windows[m][0]);
  }

  // row: of rows_.windows.
  void AddRow(int row, int window) {
    ComputeTerms(row);
    int64_t* words = words_ + kSsimSums * (band_.begin + window);
    for (int x = 0; x < columns_; x += kColumns) {
      if (columns_ - x >= kColumns) AddTerms<true>(row, x, words);
      else AddTerms<false>(row, x, words);
    }
  }

  // The floats of ssim_terms.
  void ComputeTerms(int row) {
    const D d;
    const V zero = hn::Zero(d), structure_constant = hn::Set(d, ssim::kStructureConstant);
    const V contrast_constant = hn::Set(d, ssim::kContrastConstant);
    const V luminance_constant = hn::Set(d, ssim::kLuminanceConstant);
    for (int x = 0; x < columns_; x += kLanes) {
      const auto mean = [&](int map) HWY_ATTR { return hn::Load(d, rows_.windows[map][row] + x); };
      const V r = mean(0), dis = mean(1);
      const V variance_r = Variance(mean(2), r), variance_d = Variance(mean(3), dis);
      const V covariance = hn::Sub(mean(4), hn::Mul(r, dis));
      const V deviations = hn::Sqrt(hn::Mul(variance_r, variance_d));
      const auto is_noise = hn::And(hn::Lt(covariance, zero), hn::Le(deviations, zero));
      const V shared = hn::IfThenZeroElse(is_noise, covariance);
      const V structure = hn::Div(hn::Add(shared, structure_constant), hn::Add(deviations, structure_constant));
      hn::Store(hn::Add(deviations, deviations), d, rows_.deviations + x);
      hn::Store(hn::Add(hn::Add(variance_r, variance_d), contrast_constant), d, rows_.variances + x);
      hn::Store(structure, d, rows_.structure + x);
      if constexpr (kAll) {
        const V means = hn::Add(hn::Add(hn::Mul(r, r), hn::Mul(dis, dis)), luminance_constant);
        hn::Store(means, d, rows_.means + x);
      }
    }
  }

  V64 Contrast(int x) const {
    const V64 constant = hn::Set(D64(), static_cast<double>(ssim::kContrastConstant));
    return hn::Div(hn::Add(LoadDoubles(rows_.deviations + x), constant), LoadDoubles(rows_.variances + x));
  }

  V64 Luminance(int row, int x) const {
    const V64 constant = hn::Set(D64(), static_cast<double>(ssim::kLuminanceConstant));
    const V64 twice = hn::Mul(hn::Set(D64(), 2.0), LoadDoubles(rows_.windows[0][row] + x));
    const V64 product = hn::Mul(twice, LoadDoubles(rows_.windows[1][row] + x));
    return hn::Div(hn::Add(product, constant), LoadDoubles(rows_.means + x));
  }

  // Their sums over the strip that begins at a column of the span. Columns beyond the last one add zeros.
  template <bool kWhole>
  void AddTerms(int row, int begin, int64_t* words) {
    const int end = kWhole ? begin + kColumns : columns_;
    V64 lanes[kSsimSums][kStripLanes / kDoubles];
    for (int part = 0; part < kStripLanes / kDoubles; ++part) {
      V64 sums[kSsimSums];
      for (V64& sum : sums) sum = hn::Zero(D64());
      for (int x = begin + part * kDoubles; x < end; x += kStripLanes) {
        const auto add = [&](SsimSum s, V64 term) HWY_ATTR {
          if constexpr (!kWhole) term = hn::IfThenElseZero(hn::FirstN(D64(), static_cast<size_t>(end - x)), term);
          sums[s] = hn::Add(sums[s], term);
        };
        const V64 contrast = Contrast(x), structure = LoadDoubles(rows_.structure + x);
        if constexpr (kAll) {
          const V64 luminance = Luminance(row, x);
          const V64 product = hn::Mul(hn::Mul(luminance, contrast), structure);
          add(kSsimProduct, product);
          add(kSsimLuminance, luminance);
        }
        add(kSsimContrast, contrast);
        add(kSsimStructure, structure);
      }
      for (int s = 0; s < kSsimSums; ++s) lanes[s][part] = sums[s];
    }
    for (int s = 0; s < kSsimSums; ++s) {
      const double sum = SumOfLanes(lanes[s]);
      words[s] = WordFromDouble(first_ + begin == 0 ? sum : DoubleFromWord(words[s]) + sum);
    }
  }

  // ssim::sum_of_lanes: lane k and the lane that is half of them behind it, until one is left.
  static double SumOfLanes(const V64 (&lanes)[kStripLanes / kDoubles]) {
    if constexpr (kDoubles == kStripLanes) return SumOfHalves(D64(), lanes[0]);
    else if constexpr (kDoubles == kStripLanes / 2) return SumOfHalves(D64(), hn::Add(lanes[0], lanes[1]));
    else return SumOfHalves(D64(), hn::Add(hn::Add(lanes[0], lanes[2]), hn::Add(lanes[1], lanes[3])));
  }

  template <class DN>
  static HWY_INLINE double SumOfHalves([[maybe_unused]] DN d, hn::Vec<DN> v) {
    if constexpr (hn::MaxLanes(DN()) == 1) {
      return hn::GetLane(v);
    } else {
      const hn::Half<DN> half;
      return SumOfHalves(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    }
  }

  const SsimPlanes& planes_;
  const RowBand band_;
  const int lines_;  // rows of the planes
  SsimRows& rows_;
  int64_t* words_;
  const BrightTaps mean_taps_{0x1p-14f}, product_taps_{0x1p-6f};
  int first_ = 0;         // column of the span
  int columns_ = 0;       // of it
  bool is_open_ = false;  // rows_.open holds the windows that are open
};

template <class Sample>
void SumRowsOf(const SsimPlanes& planes, RowBand band, bool all, SsimRows& rows, int64_t* words) {
  if (all) Spans<Sample, true>(planes, band, rows, words).Run();
  else Spans<Sample, false>(planes, band, rows, words).Run();
}

void SumRows(const SsimPlanes& planes, RowBand band, bool all, SsimRows& rows, int64_t* words) {
  if (planes.bit_depth == kFloatDepth) SumRowsOf<float>(planes, band, all, rows, words);
  else if (planes.bit_depth == 8) SumRowsOf<uint8_t>(planes, band, all, rows, words);
  else SumRowsOf<uint16_t>(planes, band, all, rows, words);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

std::unique_ptr<Workspace> MakeSsimRows(int width) { return std::make_unique<SsimRows>(width); }

HWY_EXPORT(SumRows);

void SumSsimRows(const SsimPlanes& planes, RowBand band, bool all, Workspace& rows, int64_t* words) {
  HWY_DYNAMIC_DISPATCH(SumRows)(planes, band, all, static_cast<SsimRows&>(rows), words);
}

}  // namespace acutance
#endif  // HWY_ONCE
