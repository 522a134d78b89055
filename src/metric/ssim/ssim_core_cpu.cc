// Windows of a band, in strips of 64 columns from its first row to its last, by groups of rows: the rows of the planes
// and of their products are filtered along, then down.
#include <algorithm>

#include "metric/blocks/words.h"
#include "metric/ssim/ssim.h"
#include "metric/ssim/ssim_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ssim/ssim_core_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/ssim/ssim_split-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
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
  return hn::Mul(hn::ConvertTo(D(), LoadSamples(hn::RebindToSigned<D>(), from)), scale);
}

// Samples of `count` columns of both pictures, their squares and their product. Columns behind them have anything.
template <class Sample>
HWY_NOINLINE void LoadRow(const Sample* reference, const Sample* distorted, int bit_depth, int count,
                          float (&to)[SsimRows::kMaps][kColumns + SsimRows::kSlack]) {
  const V scale = hn::Set(D(), bit_depth == kFloatDepth ? 1.0f : 1.0f / static_cast<float>(1 << (bit_depth - 8)));
  const auto load = [&](int x) HWY_ATTR {
    const V r = LoadSamplesAt(reference + x, scale), d = LoadSamplesAt(distorted + x, scale);
    const V values[SsimRows::kMaps] = {r, d, hn::Mul(r, r), hn::Mul(d, d), hn::Mul(r, d)};
    for (int m = 0; m < SsimRows::kMaps; ++m) hn::StoreU(values[m], D(), to[m] + x);
  };
  int x = 0;
  for (; x + kLanes <= count; x += kLanes) load(x);
  if (x < count) load(count - kLanes);  // a strip has 11 columns or more
}

// Adds the values of a window, `step` floats apart, from k on. A recursion: g++ does not unroll the loop.
template <int k = 0>
HWY_INLINE void AddWindow(const float* values, int step, const V (&tap)[6], SplitSums& first, SplitSums& second) {
  first.Add<k>(hn::LoadU(D(), values), tap[k < 6 ? k : 10 - k]);
  second.Add<k>(hn::LoadU(D(), values + kLanes), tap[k < 6 ? k : 10 - k]);
  if constexpr (k + 1 < ssim::kWindow) AddWindow<k + 1>(values + step, step, tap, first, second);
}

// Filters `columns` neighbouring columns; the values of a window lie `step` floats apart. Two vectors advance side by
// side to hide the latency of each.
template <int step>
HWY_NOINLINE void Filter(const float* values, float anchor, int columns, float* filtered) {
  V tap[6];
  for (int k = 0; k < 6; ++k) tap[k] = hn::Set(D(), ssim::kWindowTaps[k]);
  const V start = hn::Set(D(), anchor);
  for (int x = 0; x < columns; x += 2 * kLanes) {
    SplitSums first(start), second(start);
    AddWindow(values + x, step, tap, first, second);
    hn::Store(first.Total(start), D(), filtered + x);
    hn::Store(second.Total(start), D(), filtered + x + kLanes);
  }
}

HWY_INLINE V Variance(V square, V mean) { return hn::Max(hn::Zero(D()), hn::Sub(square, hn::Mul(mean, mean))); }

using D64 = hn::CappedTag<double, kStripLanes>;
using V64 = hn::Vec<D64>;
constexpr int kDoubles = static_cast<int>(hn::MaxLanes(D64()));

HWY_INLINE V64 LoadDoubles(const float* from) {
  const hn::Rebind<float, D64> d32;
  return hn::PromoteTo(D64(), hn::Load(d32, from));
}

template <class Sample, bool kAll>
class Strips {
 public:
  Strips(const SsimPlanes& planes, SsimRows& rows, int64_t* words) : planes_(planes), rows_(rows), words_(words) {}

  void Run(RowBand band) {
    const int width = planes_.reference.width - kSsimLoss;
    for (first_ = 0; first_ < width; first_ += kColumns) {
      columns_ = std::min(width - first_, kColumns);
      LoadRows(band.begin, kSsimLoss, 0);
      for (int y = band.begin; y < band.end; y += SsimRows::kGroup)
        RunGroup({y, std::min(y + SsimRows::kGroup, band.end)});
    }
  }

 private:
  static float Anchor(int map) { return map < 2 ? ssim::kMeanAnchor : ssim::kProductAnchor; }

  // Rows [y, y + count) of the planes, filtered along, as rows from `at` on. A row is loaded before the one above it is
  // filtered: a load that spans two stores waits until both are in the cache.
  void LoadRows(int y, int count, int at) {
    LoadSamplesOf(y);
    for (int i = 0; i < count; ++i) {
      if (i + 1 < count) LoadSamplesOf(y + i + 1);
      for (int m = 0; m < SsimRows::kMaps; ++m)
        Filter<1>(rows_.samples[(y + i) % 2][m], Anchor(m), columns_, rows_.along[m][at + i]);
    }
  }

  void LoadSamplesOf(int y) {
    const int width = columns_ + kSsimLoss;
    PrefetchRow<Sample>(planes_.reference, y, first_, width);
    PrefetchRow<Sample>(planes_.distorted, y, first_, width);
    LoadRow(planes_.reference.Row<Sample>(y) + first_, planes_.distorted.Row<Sample>(y) + first_, planes_.bit_depth,
            width, rows_.samples[y % 2]);
  }

  // The last rows of the group before are the first ones of this.
  void RunGroup(RowBand group) {
    const int count = group.end - group.begin;
    LoadRows(group.begin + kSsimLoss, count, kSsimLoss);
    for (int i = 0; i < count; ++i) {
      for (int m = 0; m < SsimRows::kMaps; ++m)
        Filter<kColumns>(rows_.along[m][i], Anchor(m), columns_, rows_.windows[m]);
      ComputeTerms();
      int64_t* words = words_ + kSsimSums * (group.begin + i);
      if (columns_ == kColumns) AddTerms<true>(words);
      else AddTerms<false>(words);
    }
    for (auto& along : rows_.along) std::copy_n(along[count], kSsimLoss * kColumns, along[0]);
  }

  // The floats of ssim_terms.
  void ComputeTerms() {
    const D d;
    const V zero = hn::Zero(d), structure_constant = hn::Set(d, ssim::kStructureConstant);
    const V contrast_constant = hn::Set(d, ssim::kContrastConstant);
    const V luminance_constant = hn::Set(d, ssim::kLuminanceConstant);
    for (int x = 0; x < columns_; x += kLanes) {
      const auto mean = [&](int map) HWY_ATTR { return hn::Load(d, rows_.windows[map] + x); };
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

  V64 Luminance(int x) const {
    const V64 constant = hn::Set(D64(), static_cast<double>(ssim::kLuminanceConstant));
    const V64 twice = hn::Mul(hn::Set(D64(), 2.0), LoadDoubles(rows_.windows[0] + x));
    const V64 product = hn::Mul(twice, LoadDoubles(rows_.windows[1] + x));
    return hn::Div(hn::Add(product, constant), LoadDoubles(rows_.means + x));
  }

  // Their sums over the strip. Columns beyond the last one add zeros.
  template <bool kWhole>
  void AddTerms(int64_t* words) {
    alignas(64) double lanes[kSsimSums][kStripLanes] = {};
    for (int lane = 0; lane < kStripLanes; lane += kDoubles) {
      V64 sums[kSsimSums];
      for (V64& sum : sums) sum = hn::Zero(D64());
      for (int x = lane; x < (kWhole ? kColumns : columns_); x += kStripLanes) {
        const auto add = [&](SsimSum s, V64 term) HWY_ATTR {
          if constexpr (!kWhole) term = hn::IfThenElseZero(hn::FirstN(D64(), static_cast<size_t>(columns_ - x)), term);
          sums[s] = hn::Add(sums[s], term);
        };
        const V64 contrast = Contrast(x), structure = LoadDoubles(rows_.structure + x);
        if constexpr (kAll) {
          const V64 luminance = Luminance(x);
          const V64 product = hn::Mul(hn::Mul(luminance, contrast), structure);
          add(kSsimProduct, product);
          add(kSsimLuminance, luminance);
        }
        add(kSsimContrast, contrast);
        add(kSsimStructure, structure);
      }
      for (int s = 0; s < kSsimSums; ++s) hn::Store(sums[s], D64(), lanes[s] + lane);
    }
    for (int s = 0; s < kSsimSums; ++s) {
      const double* l = lanes[s];
      const double sum = ssim::sum_of_lanes(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]);
      words[s] = WordFromDouble(first_ == 0 ? sum : DoubleFromWord(words[s]) + sum);
    }
  }

  const SsimPlanes& planes_;
  SsimRows& rows_;
  int64_t* words_;
  int first_ = 0;    // column of the strip
  int columns_ = 0;  // of it
};

template <class Sample>
void SumRowsOf(const SsimPlanes& planes, RowBand band, bool all, SsimRows& rows, int64_t* words) {
  if (all) Strips<Sample, true>(planes, rows, words).Run(band);
  else Strips<Sample, false>(planes, rows, words).Run(band);
}

void SumRows(const SsimPlanes& planes, RowBand band, bool all, SsimRows& rows, int64_t* words) {
  if (planes.bit_depth == kFloatDepth) SumRowsOf<float>(planes, band, all, rows, words);
  else if (planes.bit_depth == 8) SumRowsOf<uint8_t>(planes, band, all, rows, words);
  else SumRowsOf<uint16_t>(planes, band, all, rows, words);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
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
