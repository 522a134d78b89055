// The small picture: only its own samples are filtered, straight from the plane's. Columns are lanes.
#include <algorithm>
#include <cstdint>

#include "metric/blocks/border.h"
#include "metric/speed/speed.h"
#include "metric/speed/speed_cpu.h"
#include "simd/mirror.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/speed/speed_sample_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

using D = hn::CappedTag<float, SpeedScratch::kMostLanes>;
using DI = hn::RebindToSigned<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

/// The rows of a source, as whole numbers: a sample less the middle, or less another picture's.
template <class Sample>
class SampleRow {
 public:
  SampleRow(const SpeedLayout& layout, const SpeedSource& source, int y)
      : row_(source.plane->Row<Sample>(y)),
        less_(source.less ? source.less->Row<Sample>(y) : nullptr),
        middle_(128 << (layout.bit_depth - 8)) {}

  bool has_less() const { return less_ != nullptr; }

  template <bool kLess>
  HWY_INLINE hn::Vec<D> Load(int x) const {
    const DI di;
    const auto value = LoadSamples(di, row_ + x);
    if constexpr (kLess) return hn::ConvertTo(D(), hn::Sub(value, LoadSamples(di, less_ + x)));
    else return hn::ConvertTo(D(), hn::Sub(value, hn::Set(di, middle_)));
  }

 private:
  const Sample* row_;
  const Sample* less_;
  int32_t middle_;
};

/// The rows of resized pictures.
class FloatRow {
 public:
  explicit FloatRow(const float* row) : row_(row) {}
  bool has_less() const { return false; }

  template <bool kLess>
  HWY_INLINE hn::Vec<D> Load(int x) const {
    return hn::LoadU(D(), row_ + x);
  }

 private:
  const float* row_;
};

/// Filters columns [0, width) of rows down to one. The last vector is pulled left to end with the row, which is never
/// shorter: speed_prescale makes the 80 samples that a picture needs out of 20 at least.
template <bool kLess, class Row>
void FilterDownAs(std::span<const Row> rows, std::span<const float> taps, int width, float* to) {
  const D d;
  for (int x = 0; x < width; x += kLanes) {
    const int at = std::min(x, width - kLanes);
    hn::Vec<D> sum = hn::Zero(d);
    for (size_t k = 0; k < taps.size(); ++k)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, taps[k]), rows[k].template Load<kLess>(at)));
    hn::StoreU(sum, d, to + at);
  }
}

template <class Row>
void FilterDown(std::span<const Row> rows, std::span<const float> taps, int width, float* to) {
  if (rows[0].has_less()) FilterDownAs<true>(rows, taps, width, to);
  else FilterDownAs<false>(rows, taps, width, to);
}

/// Sums along a row, `step` values apart. Four at a time hide the latency of the running sums.
void FilterAcross(const float* from, int step, std::span<const float> taps, int count, float* to) {
  int x = 0;
  for (; x + 4 <= count; x += 4) {
    const float* at = from + x * step;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (size_t k = 0; k < taps.size(); ++k) {
      s0 = speed::add_product(s0, taps[k], at[k]);
      s1 = speed::add_product(s1, taps[k], at[step + k]);
      s2 = speed::add_product(s2, taps[k], at[2 * step + k]);
      s3 = speed::add_product(s3, taps[k], at[3 * step + k]);
    }
    to[x] = s0, to[x + 1] = s1, to[x + 2] = s2, to[x + 3] = s3;
  }
  for (; x < count; ++x) {
    float sum = 0;
    for (size_t k = 0; k < taps.size(); ++k) sum = speed::add_product(sum, taps[k], from[x * step + k]);
    to[x] = sum;
  }
}

template <class Sample>
class RowSampler {
 public:
  RowSampler(const SpeedLayout& layout, const SpeedSource& source, SpeedScratch& scratch)
      : layout_(layout),
        source_(source),
        scratch_(scratch),
        scale_(1.0f / static_cast<float>(1 << (layout.bit_depth - 8))) {
    scaled_taps_ = layout.blur;
    for (float& tap : scaled_taps_) tap *= scale_;
  }

  void Run(int row, float* to) {
    if (layout_.is_resized) SampleResized(row, to);
    else SampleWhole(row, to);
  }

 private:
  int radius() const { return static_cast<int>(layout_.blur.size()) / 2; }

  /// The row of the picture that tap `k` of a row of the small one reads.
  int RowOf(int row, size_t k) const {
    return mirror_index(row * kSpeedStep + static_cast<int>(k) - radius(), layout_.height);
  }

  /// The samples are whole numbers, and the taps carry the factor that they lack: a power of two, which commutes with
  /// rounding.
  void SampleWhole(int row, float* to) {
    std::vector<SampleRow<Sample>> rows;
    for (size_t k = 0; k < layout_.blur.size(); ++k) rows.emplace_back(layout_, source_, RowOf(row, k));
    float* filtered = scratch_.filtered.data() + SpeedScratch::kMargin;
    const int width = layout_.width;
    FilterDown(std::span<const SampleRow<Sample>>(rows), scaled_taps_, width, filtered);
    MirrorBefore(filtered, radius());
    MirrorAfter(filtered + width - 1, radius());
    FilterAcross(filtered - radius(), kSpeedStep, layout_.blur, layout_.columns, to);
  }

  void SampleResized(int row, float* to) {
    std::vector<FloatRow> rows;
    const int width = layout_.packed.count;
    for (size_t k = 0; k < layout_.blur.size(); ++k) {
      float* resized = scratch_.resized.data() + k * width;
      ResizeRow(RowOf(row, k), resized);
      rows.emplace_back(resized);
    }
    float* filtered = scratch_.filtered.data();
    FilterDown(std::span<const FloatRow>(rows), layout_.blur, width, filtered);
    FilterAcross(filtered, static_cast<int>(layout_.blur.size()), layout_.blur, layout_.columns, to);
  }

  /// The samples of row y of the resized picture that layout.packed names.
  void ResizeRow(int y, float* to) {
    const int taps = layout_.down.taps, plane_width = layout_.plane_width;
    for (int k = 0; k < taps; ++k)
      Widen(layout_.down.index[y * taps + k], scratch_.widened.data() + static_cast<size_t>(k) * plane_width);
    const float* weights = &layout_.down.weight[y * taps];
    for (int x = 0; x < layout_.packed.count; x += kLanes) hn::StoreU(Resize(weights, x), D(), to + x);
  }

  HWY_INLINE hn::Vec<D> Resize(const float* row_weights, int x) const {
    const D d;
    const DI di;
    const SpeedPacked& packed = layout_.packed;
    hn::Vec<D> sum = hn::Zero(d), weights = hn::Zero(d);
    for (int k = 0; k < layout_.down.taps; ++k) {
      const float* row = scratch_.widened.data() + static_cast<size_t>(k) * layout_.plane_width;
      for (int l = 0; l < layout_.across.taps; ++l) {
        const auto weight =
            hn::Mul(hn::Set(d, row_weights[k]), hn::LoadU(d, packed.weight.data() + l * packed.count + x));
        const auto sample = hn::GatherIndex(d, row, hn::LoadU(di, packed.index.data() + l * packed.count + x));
        sum = hn::Add(sum, hn::Mul(weight, sample));
        weights = hn::Add(weights, weight);
      }
    }
    return layout_.is_divided ? hn::Div(sum, weights) : sum;
  }

  /// A row of the plane as floats.
  void Widen(int y, float* to) {
    const SampleRow<Sample> row(layout_, source_, y);
    const std::span<const SampleRow<Sample>> rows(&row, 1);
    FilterDown(rows, std::span<const float>(&scale_, 1), layout_.plane_width, to);
  }

  const SpeedLayout& layout_;
  const SpeedSource& source_;
  SpeedScratch& scratch_;
  const float scale_;
  std::vector<float> scaled_taps_;
};

template <class Sample>
void SampleAs(const SpeedLayout& layout, const SpeedSource& source, RowBand band, SpeedScratch& scratch,
              float* samples) {
  RowSampler<Sample> sampler(layout, source, scratch);
  for (int y = band.begin; y < band.end; ++y) sampler.Run(y, samples + y * layout.columns);
}

void Sample(const SpeedLayout& layout, const SpeedSource& source, RowBand band, SpeedScratch& scratch, float* samples) {
  if (layout.bit_depth == 8) SampleAs<uint8_t>(layout, source, band, scratch, samples);
  else SampleAs<uint16_t>(layout, source, band, scratch, samples);
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Sample);

void SampleSpeed(const SpeedLayout& layout, const SpeedSource& source, RowBand band, SpeedScratch& scratch,
                 float* samples) {
  HWY_DYNAMIC_DISPATCH(Sample)(layout, source, band, scratch, samples);
}

}  // namespace acutance
#endif  // HWY_ONCE
