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
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

using ssim::mirrored_with_edge;

#if HWY_TARGET == HWY_SCALAR

void Shrink(const Plane& plane, int bit_depth, int factor, RowBand band, SsimRows&, FloatPlane& shrunk) {
  ShrinkRowsRef(plane, bit_depth, factor, band, shrunk);
}

void Halve(const Plane& plane, int bit_depth, RowBand band, SsimRows&, FloatPlane& halved) {
  HalveRowsRef(plane, bit_depth, band, halved);
}

#else

constexpr int kRadius = 4;  // of the halving filter

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
void ShrinkOf(const Plane& plane, float weight, int factor, RowBand band, Sum* sums, FloatPlane& shrunk) {
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
void ShrinkOf(const Plane& plane, int bit_depth, int factor, RowBand band, SsimRows& rows, FloatPlane& shrunk) {
  const float weight = static_cast<float>(1.0 / (factor * factor)) / static_cast<float>(1 << (bit_depth - 8));
  if ((factor & (factor - 1)) == 0)
    ShrinkOf<Sample>(plane, weight, factor, band, rows.whole_sums.data() + SsimRows::kMargin, shrunk);
  else ShrinkOf<Sample>(plane, weight, factor, band, rows.sums.data() + SsimRows::kMargin, shrunk);
}

void Shrink(const Plane& plane, int bit_depth, int factor, RowBand band, SsimRows& rows, FloatPlane& shrunk) {
  if (bit_depth > 8) ShrinkOf<uint16_t>(plane, bit_depth, factor, band, rows, shrunk);
  else ShrinkOf<uint8_t>(plane, bit_depth, factor, band, rows, shrunk);
}

// --- Halves

// Goes down a band in strips of 64 columns. Each row of the plane is filtered along once with each row of the table
// that it meets: 0, 2 and 4 from the middle if it is even, 1 and 3 if it is odd.
template <class Sample>
class Halves {
 public:
  Halves(const Plane& plane, int bit_depth, SsimRows& rows, FloatPlane& halved)
      : plane_(plane),
        scale_(bit_depth == kFloatDepth ? 1.0f : 1.0f / static_cast<float>(1 << (bit_depth - 8))),
        rows_(rows),
        halved_(halved) {}

  void Run(RowBand band) {
    const int width = HalvedLength(plane_.width);
    for (first_ = 0; first_ < width; first_ += kColumns) {
      columns_ = std::min(width - first_, kColumns);
      const int begin = 2 * band.begin - kRadius, end = 2 * band.end - 1 + kRadius;
      LoadColumns(begin);
      for (int row = begin; row < end; ++row) {
        if (row + 1 < end) LoadColumns(row + 1);
        FilterAlong(row);
        const int y = (row - kRadius) / 2;
        if (row % 2 == 0 && y >= band.begin) SumRows(y);
      }
    }
  }

 private:
  using Half = float[2][kColumns];

  Half& HalfOf(int row, int distance) {
    constexpr int kRows = SsimRows::kHalvedRows;
    return rows_.halves[(row + kRows) % kRows][distance / 2];
  }

  // A row's columns wait where the next row's are loaded beside them.
  float* ColumnsOf(int row, int odd) { return rows_.halving[row & 1][odd]; }

  void FilterAlong(int row) {
    for (int distance = row % 2 == 0 ? 0 : 1; distance <= kRadius; distance += 2)
      FilterAlong(row, ssim::kHalvingTaps + 5 * distance, HalfOf(row, distance));
  }

  // Even columns from four left of the strip on, and the odd ones between them. They are loaded a row before they are
  // filtered: a load that spans two stores waits until both are in the cache.
  void LoadColumns(int y) {
    PrefetchRow<Sample>(plane_, y, 2 * first_, 2 * columns_);
    const Sample* row = plane_.Row<Sample>(mirrored_with_edge(y, plane_.height));
    const int begin = 2 * first_ - kRadius, end = begin + 2 * (columns_ + kRadius) - 1;
    float* even = ColumnsOf(y, 0);
    float* odd = ColumnsOf(y, 1);
    int i = 0;  // of a pair of columns
    const auto pair_at = [&](int pair) {
      even[pair] = SampleAt(row, begin + 2 * pair);
      odd[pair] = SampleAt(row, begin + 2 * pair + 1);
    };
    for (; begin + 2 * i < 0; ++i) pair_at(i);
    const V scale = hn::Set(D(), scale_);
    for (; begin + 2 * i < end && begin + 2 * i + 2 * kLanes <= plane_.width; i += kLanes) {
      const V low = hn::Mul(LoadFloats(D(), row + begin + 2 * i), scale);
      const V high = hn::Mul(LoadFloats(D(), row + begin + 2 * i + kLanes), scale);
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
  const float scale_;
  SsimRows& rows_;
  FloatPlane& halved_;
  int first_ = 0;    // halved column of the strip
  int columns_ = 0;  // of it
};

void Halve(const Plane& plane, int bit_depth, RowBand band, SsimRows& rows, FloatPlane& halved) {
  if (bit_depth == kFloatDepth) Halves<float>(plane, bit_depth, rows, halved).Run(band);
  else if (bit_depth == 8) Halves<uint8_t>(plane, bit_depth, rows, halved).Run(band);
  else Halves<uint16_t>(plane, bit_depth, rows, halved).Run(band);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Shrink);
HWY_EXPORT(Halve);

void ShrinkRows(const Plane& plane, int bit_depth, int factor, RowBand band, Workspace& rows, FloatPlane& shrunk) {
  HWY_DYNAMIC_DISPATCH(Shrink)(plane, bit_depth, factor, band, static_cast<SsimRows&>(rows), shrunk);
}

void HalveRows(const Plane& plane, int bit_depth, RowBand band, Workspace& rows, FloatPlane& halved) {
  HWY_DYNAMIC_DISPATCH(Halve)(plane, bit_depth, band, static_cast<SsimRows&>(rows), halved);
}

}  // namespace acutance
#endif  // HWY_ONCE
