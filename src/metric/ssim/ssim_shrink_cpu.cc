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

namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::CappedTag<double, 8>;
using D32 = hn::Rebind<float, D64>;  // as many floats
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D64()));
constexpr int kColumns = ssim::kStripColumns;
constexpr int kRadius = 4;  // of the halving filter

template <class Sample>
HWY_INLINE V32 LoadFloats(const Sample* from) {
  if constexpr (std::is_same_v<Sample, float>) return hn::LoadU(D32(), from);
  else return hn::ConvertTo(D32(), LoadSamples(hn::RebindToSigned<D32>(), from));
}

// --- Boxes

// Adds the products of a row's samples with the weight.
template <class Sample>
void AddRow(const Sample* row, int width, float weight, double* columns) {
  int x = 0;
  for (; x + kLanes <= width; x += kLanes) {
    const V64 product = hn::PromoteTo(D64(), hn::Mul(LoadFloats(row + x), hn::Set(D32(), weight)));
    hn::StoreU(hn::Add(hn::LoadU(D64(), columns + x), product), D64(), columns + x);
  }
  for (; x < width; ++x) columns[x] += static_cast<double>(static_cast<float>(row[x]) * weight);
}

template <class Sample>
void ShrinkOf(const Plane& plane, int bit_depth, int factor, RowBand band, SsimRows& rows, FloatPlane& shrunk) {
  const float weight = static_cast<float>(1.0 / (factor * factor)) / static_cast<float>(1 << (bit_depth - 8));
  const int width = plane.width, before = factor / 2;
  double* columns = rows.columns.data() + SsimRows::kMargin;
  for (int y = band.begin; y < band.end; ++y) {
    std::fill_n(columns, width, 0.0);
    for (int i = 0; i < factor; ++i)
      AddRow(plane.Row<Sample>(mirrored_with_edge(factor * y - before + i, plane.height)), width, weight, columns);
    for (int i = 0; i < factor; ++i) {
      columns[-1 - i] = columns[mirrored_with_edge(-1 - i, width)];
      columns[width + i] = columns[mirrored_with_edge(width + i, width)];
    }
    float* out = shrunk.Row(y);
    for (int x = 0; x < ShrunkLength(width, factor); ++x) {
      double sum = 0;
      for (int j = 0; j < factor; ++j) sum += columns[factor * x - before + j];
      out[x] = static_cast<float>(sum);
    }
  }
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
      for (int row = 2 * band.begin - kRadius; row < 2 * band.end - 1 + kRadius; ++row) {
        FilterAlong(row);
        const int y = (row - kRadius) / 2;
        if (row % 2 == 0 && y >= band.begin) SumRows(y);
      }
    }
  }

 private:
  double* Half(int row, int distance) {
    constexpr int kRows = SsimRows::kHalvedRows;
    return rows_.halves[(row + kRows) % kRows][distance / 2];
  }

  void FilterAlong(int row) {
    LoadColumns(plane_.Row<Sample>(mirrored_with_edge(row, plane_.height)));
    for (int distance = row % 2 == 0 ? 0 : 1; distance <= kRadius; distance += 2)
      FilterAlong(ssim::kHalvingTaps + 5 * distance, Half(row, distance));
  }

  // Even columns from four left of the strip on, and the odd ones between them.
  void LoadColumns(const Sample* row) {
    const int begin = 2 * first_ - kRadius, end = begin + 2 * (columns_ + kRadius) - 1;
    float* even = rows_.halving[0];
    float* odd = rows_.halving[1];
    int i = 0;  // of a pair of columns
    const auto pair_at = [&](int pair) {
      even[pair] = SampleAt(row, begin + 2 * pair);
      odd[pair] = SampleAt(row, begin + 2 * pair + 1);
    };
    for (; begin + 2 * i < 0; ++i) pair_at(i);
    const V32 scale = hn::Set(D32(), scale_);
    for (; begin + 2 * i + 2 * kLanes <= std::min(end, plane_.width); i += kLanes) {
      const V32 low = hn::Mul(LoadFloats(row + begin + 2 * i), scale);
      const V32 high = hn::Mul(LoadFloats(row + begin + 2 * i + kLanes), scale);
      hn::StoreU(hn::ConcatEven(D32(), high, low), D32(), even + i);
      hn::StoreU(hn::ConcatOdd(D32(), high, low), D32(), odd + i);
    }
    for (; begin + 2 * i < end; ++i) pair_at(i);
  }

  float SampleAt(const Sample* row, int x) const {
    return static_cast<float>(row[mirrored_with_edge(x, plane_.width)]) * scale_;
  }

  // taps: from the middle.
  void FilterAlong(const float* taps, double* filtered) {
    const float* even = rows_.halving[0];
    const float* odd = rows_.halving[1];
    V32 tap[kRadius + 1];
    for (int k = 0; k <= kRadius; ++k) tap[k] = hn::Set(D32(), taps[k]);
    for (int x = 0; x < columns_; x += kLanes) {
      V64 sum = hn::PromoteTo(D64(), hn::Mul(hn::LoadU(D32(), even + x), tap[kRadius]));
      for (int k = 1; k < 2 * kRadius + 1; ++k) {
        const float* samples = (k % 2 == 0 ? even : odd) + x + k / 2;
        const V32 product = hn::Mul(hn::LoadU(D32(), samples), tap[k < kRadius ? kRadius - k : k - kRadius]);
        sum = hn::Add(sum, hn::PromoteTo(D64(), product));
      }
      hn::Store(sum, D64(), filtered + x);
    }
  }

  void SumRows(int y) {
    const double* half[2 * kRadius + 1];
    for (int k = 0; k < 2 * kRadius + 1; ++k)
      half[k] = Half(2 * y + k - kRadius, k < kRadius ? kRadius - k : k - kRadius);
    float* out = halved_.Row(y) + first_;
    for (int x = 0; x < columns_; x += kLanes) {
      V64 sum = hn::Load(D64(), half[0] + x);
      for (int k = 1; k < 2 * kRadius + 1; ++k) sum = hn::Add(sum, hn::Load(D64(), half[k] + x));
      hn::StoreU(hn::DemoteTo(D32(), sum), D32(), out + x);
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
