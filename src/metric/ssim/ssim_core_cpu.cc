// Windows of a band, in strips of 64 columns from its first row to its last, by groups of rows: the rows of the planes
// and of their products are filtered along, then each column is filtered down by sums that run from group to group.
#include <algorithm>

#include "metric/blocks/words.h"
#include "metric/ssim/ssim.h"
#include "metric/ssim/ssim_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ssim/ssim_core_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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

namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::CappedTag<double, ssim::kStripLanes>;
using D32 = hn::Rebind<float, D64>;  // as many floats
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D64()));
constexpr int kColumns = ssim::kStripColumns;

struct Taps {
  V32 tap[6];

  HWY_INLINE Taps() {
    for (int k = 0; k < 6; ++k) tap[k] = hn::Set(D32(), ssim::kWindowTaps[k]);
  }
  HWY_INLINE V64 Product(int k, V32 value) const { return hn::PromoteTo(D64(), hn::Mul(value, tap[k])); }
};

// Samples of `count` columns as floats.
template <class Sample>
void LoadRow(const Sample* from, int bit_depth, int count, float* to) {
  if constexpr (std::is_same_v<Sample, float>) {
    std::copy_n(from, count, to);
  } else {
    using D = hn::ScalableTag<float>;
    const D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    const float scale = 1.0f / static_cast<float>(1 << (bit_depth - 8));
    int x = 0;
    for (; x + lanes <= count; x += lanes) {
      const auto samples = hn::ConvertTo(d, LoadSamples(hn::RebindToSigned<D>(), from + x));
      hn::StoreU(hn::Mul(samples, hn::Set(d, scale)), d, to + x);
    }
    for (; x < count; ++x) to[x] = static_cast<float>(from[x]) * scale;
  }
}

void Multiply(const float* a, const float* b, int count, float* product) {
  using D = hn::ScalableTag<float>;
  const int lanes = static_cast<int>(hn::Lanes(D()));
  for (int x = 0; x < count; x += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(D(), a + x), hn::LoadU(D(), b + x)), D(), product + x);
}

// Filters `columns` columns along their row.
void FilterAlong(const float* samples, int columns, float* filtered) {
  const Taps taps;
  for (int x = 0; x < columns; x += kLanes) {
    V64 sum = taps.Product(0, hn::LoadU(D32(), samples + x));
    for (int k = 1; k < ssim::kWindow; ++k)
      sum = hn::Add(sum, taps.Product(k < 6 ? k : 10 - k, hn::LoadU(D32(), samples + x + k)));
    hn::Store(hn::DemoteTo(D32(), sum), D32(), filtered + x);
  }
}

// The filter down kLanes columns: Push completes the window that ends with this row. Each sum takes its products in
// their order; a product serves two sums.
class RunningFilter {
 public:
  HWY_INLINE explicit RunningFilter(const double* state) {
    for (int k = 0; k < kSsimLoss; ++k) sum_[k] = hn::Load(D64(), state + k * kColumns);
  }
  HWY_INLINE void Save(double* state) const {
    for (int k = 0; k < kSsimLoss; ++k) hn::Store(sum_[k], D64(), state + k * kColumns);
  }

  HWY_INLINE V32 Push(const Taps& taps, V32 value) {
    V64 product[6];
    for (int k = 0; k < 6; ++k) product[k] = taps.Product(k, value);
    const V64 whole = hn::Add(sum_[9], product[0]);
    for (int k = 9; k > 0; --k) sum_[k] = hn::Add(sum_[k - 1], product[k < 6 ? k : 10 - k]);
    sum_[0] = product[0];
    return hn::DemoteTo(D32(), whole);
  }

 private:
  V64 sum_[kSsimLoss];  // [k]: of windows that have k + 1 rows
};

struct Terms {
  V64 luminance, contrast, structure;
};

HWY_INLINE V32 Variance(V32 square, V32 mean) { return hn::Max(hn::Zero(D32()), hn::Sub(square, hn::Mul(mean, mean))); }

// ssim_terms of kLanes windows. w: the means, in the order of SsimWindow.
template <bool kAll>
HWY_INLINE Terms TermsOf(const V32 (&w)[SsimRows::kMaps]) {
  const D64 d64;
  const D32 d32;
  const V32 zero = hn::Zero(d32), contrast_constant = hn::Set(d32, ssim::kContrastConstant);
  const V32 structure_constant = hn::Set(d32, ssim::kStructureConstant);
  const V64 two = hn::Set(d64, 2.0);
  const V32 variance_r = Variance(w[2], w[0]), variance_d = Variance(w[3], w[1]);
  const V32 covariance = hn::Sub(w[4], hn::Mul(w[0], w[1]));
  const V32 deviations = hn::Sqrt(hn::Mul(variance_r, variance_d));
  const V32 variances = hn::Add(hn::Add(variance_r, variance_d), contrast_constant);
  const auto is_noise = hn::And(hn::Lt(covariance, zero), hn::Le(deviations, zero));
  const V32 shared = hn::IfThenZeroElse(is_noise, covariance);
  const V32 structure = hn::Div(hn::Add(shared, structure_constant), hn::Add(deviations, structure_constant));
  Terms terms;
  terms.contrast = hn::Div(hn::Add(hn::Mul(two, hn::PromoteTo(d64, deviations)), hn::PromoteTo(d64, contrast_constant)),
                           hn::PromoteTo(d64, variances));
  terms.structure = hn::PromoteTo(d64, structure);
  if constexpr (kAll) {
    const V32 luminance_constant = hn::Set(d32, ssim::kLuminanceConstant);
    const V32 means = hn::Add(hn::Add(hn::Mul(w[0], w[0]), hn::Mul(w[1], w[1])), luminance_constant);
    const V64 both = hn::Mul(hn::Mul(two, hn::PromoteTo(d64, w[0])), hn::PromoteTo(d64, w[1]));
    terms.luminance = hn::Div(hn::Add(both, hn::PromoteTo(d64, luminance_constant)), hn::PromoteTo(d64, means));
  } else {
    terms.luminance = hn::Zero(d64);
  }
  return terms;
}

template <class Sample, bool kAll>
class Strips {
 public:
  Strips(const SsimPlanes& planes, SsimRows& rows, int64_t* words) : planes_(planes), rows_(rows), words_(words) {}

  void Run(RowBand band) {
    const int width = planes_.reference.width - kSsimLoss;
    for (first_ = 0; first_ < width; first_ += kColumns) {
      columns_ = std::min(width - first_, kColumns);
      Begin(band.begin);
      for (int y = band.begin; y < band.end; y += SsimRows::kGroup)
        RunGroup({y, std::min(y + SsimRows::kGroup, band.end)});
    }
  }

 private:
  // The running sums of the first window's rows but the last.
  void Begin(int y) {
    std::fill_n(&rows_.running[0][0][0], SsimRows::kMaps * kSsimLoss * kColumns, 0.0);
    LoadGroup(y, kSsimLoss);
    const Taps taps;
    for (int m = 0; m < SsimRows::kMaps; ++m)
      for (int x = 0; x < columns_; x += kLanes) {
        RunningFilter filter(&rows_.running[m][0][x]);
        for (int i = 0; i < kSsimLoss; ++i) filter.Push(taps, hn::Load(D32(), &rows_.along[m][i][x]));
        filter.Save(&rows_.running[m][0][x]);
      }
  }

  // Rows [y, y + count) of the planes, filtered along.
  void LoadGroup(int y, int count) {
    auto& samples = rows_.samples;
    const int width = columns_ + kSsimLoss;
    for (int i = 0; i < count; ++i) {
      LoadRow(planes_.reference.Row<Sample>(y + i) + first_, planes_.bit_depth, width, samples[0]);
      LoadRow(planes_.distorted.Row<Sample>(y + i) + first_, planes_.bit_depth, width, samples[1]);
      Multiply(samples[0], samples[0], width, samples[2]);
      Multiply(samples[1], samples[1], width, samples[3]);
      Multiply(samples[0], samples[1], width, samples[4]);
      for (int m = 0; m < SsimRows::kMaps; ++m) FilterAlong(samples[m], columns_, rows_.along[m][i]);
    }
  }

  void RunGroup(RowBand group) {
    const int count = group.end - group.begin;
    LoadGroup(group.begin + kSsimLoss, count);
    std::fill_n(&rows_.sums[0][0][0], count * kSsimSums * ssim::kStripLanes, 0.0);
    for (int x = 0; x < columns_; x += kLanes) {
      FilterDown(x, count);
      AddTerms(x, count);
    }
    for (int i = 0; i < count; ++i) AddStrip(group.begin + i, rows_.sums[i]);
  }

  void FilterDown(int x, int count) {
    const Taps taps;
    for (int m = 0; m < SsimRows::kMaps; ++m) {
      RunningFilter filter(&rows_.running[m][0][x]);
      for (int i = 0; i < count; ++i)
        hn::Store(filter.Push(taps, hn::Load(D32(), &rows_.along[m][i][x])), D32(), rows_.windows[m][i]);
      filter.Save(&rows_.running[m][0][x]);
    }
  }

  // Columns beyond the last one add zeros.
  void AddTerms(int x, int count) {
    const auto valid = hn::FirstN(D64(), static_cast<size_t>(columns_ - x));
    const int lane = x % ssim::kStripLanes;
    for (int i = 0; i < count; ++i) {
      V32 w[SsimRows::kMaps];
      for (int m = 0; m < SsimRows::kMaps; ++m) w[m] = hn::Load(D32(), rows_.windows[m][i]);
      const Terms terms = TermsOf<kAll>(w);
      const auto add = [&](SsimSum sum, V64 value) {
        double* to = &rows_.sums[i][sum][lane];
        hn::Store(hn::Add(hn::Load(D64(), to), hn::IfThenElseZero(valid, value)), D64(), to);
      };
      if constexpr (kAll) {
        add(kSsimProduct, hn::Mul(hn::Mul(terms.luminance, terms.contrast), terms.structure));
        add(kSsimLuminance, terms.luminance);
      }
      add(kSsimContrast, terms.contrast);
      add(kSsimStructure, terms.structure);
    }
  }

  void AddStrip(int y, const double (&sums)[kSsimSums][ssim::kStripLanes]) {
    int64_t* words = words_ + kSsimSums * y;
    for (int s = 0; s < kSsimSums; ++s) {
      const double* l = sums[s];
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
