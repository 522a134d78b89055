// Running sums keep their order: each lane has a column while columns are filtered, then a row.
#include "metric/float_vif/float_vif.h"

#include <algorithm>

#include "metric/blocks/border.h"
#include "simd/mirror.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/float_vif/float_vif_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/float_vif/float_vif_simd-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // a vector of one float holds no double; the plain loops are as good

void Band(const FloatVifLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
          FloatVifBuffers&, std::span<int64_t> words) {
  FloatVifBandRef(layout, scale, band, planes, images, words);
}

#else

/// A scale of a frame: groups of as many rows as lanes, from left to right in pieces that stay in the L1 cache. Columns
/// are filtered with a column in each lane, then rows with a row in each lane, which its running sums of terms need,
/// too.
class ScaleBand {
 public:
  ScaleBand(const FloatVifLayout& layout, int scale, const LumaPlanes& planes, FloatPyramid& images,
            FloatVifBuffers& buffers)
      : planes_(planes),
        layout_(layout),
        scale_(scale),
        width_(layout.width(scale)),
        height_(layout.height(scale)),
        taps_(layout.taps[scale]),
        next_taps_(layout.taps[std::min(scale + 1, kFloatVifScales - 1)]),
        radius_(layout.radius(scale)),
        images_(images),
        buffers_(buffers),
        pixel_(layout.settings.pixel) {}

  void Run(RowBand band, std::span<int64_t> words) {
    read_ = std::max(band.begin - radius_, 0);
    for (int y = band.begin; y < band.end; y += kLanes) {
      const RowBand group = {y, std::min(y + kLanes, band.end)};
      if (scale_ == 0) ReadSamples(std::min(group.end + radius_, height_));
      if (scale_ + 1 < kFloatVifScales) MakeNextRows(group);
      if (scale_ > 0 || !layout_.settings.skip_scale0) ScoreRows(group, words);
    }
  }

 private:
  void ReadSamples(int end) {
    for (; read_ < end; ++read_) {
      ReadSamples(planes_.reference, Row(0, read_));
      ReadSamples(planes_.distorted, Row(1, read_));
    }
  }

  void ReadSamples(const Plane& plane, float* row) {
    if (!layout_.resizing.is_copy()) layout_.resizing.ReadRow(plane, layout_.bit_depth, read_, row);
    else if (layout_.bit_depth == 8) CopySamples(plane.Row<uint8_t>(read_), row);
    else CopySamples(plane.Row<uint16_t>(read_), row);
  }

  /// FloatSample of a row.
  template <class Sample>
  void CopySamples(const Sample* from, float* row) {
    const V scale = Set(1.0f / static_cast<float>(1 << (layout_.bit_depth - 8))), middle = Set(128.0f);
    const auto copy = [&](int x) HWY_ATTR {
      const V samples = hn::ConvertTo(D(), LoadSamples(hn::RebindToSigned<D>(), from + x));
      hn::StoreU(hn::Sub(hn::Mul(samples, scale), middle), D(), row + x);
    };
    for (int x = 0; x + kLanes <= width_; x += kLanes) copy(x);
    copy(width_ - kLanes);  // a picture has 16 columns or more
  }

  /// A row of the images of this scale. Of the first one the buffer has those that the group reaches.
  float* Row(int image, int row) {
    if (scale_ > 0) return images_.At(scale_)[image].Row(row);
    const int rows = 2 * radius_ + kMaxLanes;
    return buffers_.samples.Row(image * rows + row % rows);
  }

  // --- The next scale

  void MakeNextRows(RowBand group) {
    const int first = group.begin + group.begin % 2, end = std::min(group.end, 2 * layout_.height(scale_ + 1));
    if (first >= end) return;
    for (int image = 0; image < 2; ++image) MakeNextRows(image, {first, end});
  }

  /// Makes the next scale's rows from the even rows of `group`.
  void MakeNextRows(int image, RowBand group) {
    const int count = next_taps_.count(), radius = count / 2;
    const float* rows[kMaxTaps + kMaxLanes];
    for (int j = 0; j < count + 2 * (kNextRows - 1); ++j)  // what lies beyond the group's reach is not used
      rows[j] = Row(image, mirror_index(std::min(group.begin + j, group.end - 1 + radius + radius) - radius, height_));
    float* columns[kNextRows];
    const int before = (radius + kMaxLanes - 1) / kMaxLanes * kMaxLanes;  // so that vectors lie within cache lines
    for (int i = 0; i < kNextRows; ++i) columns[i] = buffers_.columns.Row(i) + before;
    for (int x = 0; x < width_; x += kLanes) FilterEvenRows(next_taps_, rows, x, columns);
    for (int y = group.begin; y < group.end; y += 2)
      FilterEvenColumns(columns[(y - group.begin) / 2], images_.At(scale_ + 1)[image].Row(y / 2));
  }

  /// to[x] = the sum of taps[k] * from[2x + k - radius].
  void FilterEvenColumns(float* from, float* to) {
    const std::vector<float>& taps = layout_.taps[scale_ + 1];
    const int radius = next_taps_.count() / 2, width = layout_.width(scale_ + 1);
    MirrorBefore(from, radius);
    MirrorAfter(from + width_ - 1, radius);
    from -= radius;
    float* halves[2] = {buffers_.halves.Row(0), buffers_.halves.Row(1)};
    for (int x = 0; x <= width + radius; x += kLanes) {
      const V low = hn::LoadU(D(), from + 2 * x), high = hn::LoadU(D(), from + 2 * x + kLanes);
      hn::StoreU(hn::ConcatEven(D(), high, low), D(), halves[0] + x);
      hn::StoreU(hn::ConcatOdd(D(), high, low), D(), halves[1] + x);
    }
    constexpr int kAtOnce = 4;
    int x = 0;
    for (; x + kAtOnce * kLanes <= width; x += kAtOnce * kLanes)
      FilterHalves<kAtOnce>(taps, {halves[0], halves[1]}, x, to);
    for (; x < width; x += kLanes) FilterHalves<1>(taps, {halves[0], halves[1]}, x, to);
  }

  // --- The scores of this one

  void ScoreRows(RowBand group, std::span<int64_t> words) {
    const float* rows[2][kMaxTaps + kMaxLanes];
    for (int j = 0; j < 2 * radius_ + kLanes; ++j)
      for (int i = 0; i < 2; ++i) rows[i][j] = Row(i, mirror_index(group.begin + j - radius_, height_));
    V num = hn::Zero(D()), den = hn::Zero(D());
    int ready = 0;  // columns that are filtered down
    for (int x = 0; x < width_; x += FloatVifBuffers::kPiece) {
      const int end = std::min(x + FloatVifBuffers::kPiece, width_);
      if (x > 0) KeepColumns(x, ready);
      for (; ready < std::min(end + radius_, width_); ready += kLanes)
        for (int i = 0; i < kLanes; i += kBlockRows) FilterDown(rows, i, ready, ready - x + radius_);
      if (x == 0) MirrorColumns(radius_, -1);
      if (ready >= width_) MirrorColumns(width_ - 1 - x + radius_, 1);
      AddTerms(end - x, num, den);
    }
    alignas(64) float nums[kMaxLanes], dens[kMaxLanes];
    hn::Store(num, D(), nums);
    hn::Store(den, D(), dens);
    for (int y = group.begin; y < group.end; ++y) words[y] = FloatVifWord(nums[y - group.begin], dens[y - group.begin]);
  }

  /// A moment of a column of the group; column 0 is `radius_` left of the piece.
  float* Column(int moment, int column) { return buffers_.moments.Row(moment) + column * kLanes; }

  /// The columns before `ready` that the piece at x needs of the piece before it.
  void KeepColumns(int x, int ready) {
    for (int m = 0; m < kMoments; ++m)
      std::copy(Column(m, FloatVifBuffers::kPiece), Column(m, FloatVifBuffers::kPiece + ready - x + radius_),
                Column(m, 0));
  }

  /// The columns beyond the edge, to the left (-1) or right (1).
  void MirrorColumns(int edge, int direction) {
    for (int m = 0; m < kMoments; ++m)
      for (int k = 1; k <= radius_; ++k)
        hn::StoreU(hn::LoadU(D(), Column(m, edge - direction * k)), D(), Column(m, edge + direction * k));
  }

  /// A block of rows, from row i of the group on, of the columns from x on.
  void FilterDown(const float* const (&rows)[2][kMaxTaps + kMaxLanes], int i, int x, int column) {
    const float *const *r = rows[0] + i, *const *d = rows[1] + i;
    FilterRows(taps_, r, x, Column(0, column) + i);
    FilterRows(taps_, d, x, Column(1, column) + i);
    FilterProducts(taps_, r, r, x, Column(2, column) + i);
    FilterProducts(taps_, d, d, x, Column(3, column) + i);
    FilterProducts(taps_, r, d, x, Column(4, column) + i);
  }

  /// Adds the terms of `count` columns, from left to right.
  HWY_INLINE void AddTerms(int count, V& num, V& den) {
    for (int x = 0; x < count; x += kBlock) {
      Block block;
      for (int m = 0; m < kMoments; ++m) FilterAcross(taps_, Column(m, x), block.moments[m]);
      const int columns = std::min(kBlock, count - x);
      MakeLogs(block, columns, pixel_);
      V sums[2] = {num, den};  // local copies stay in registers
      for (int i = 0; i < columns; ++i) AddColumn(block, i, pixel_, sums[0], sums[1]);
      num = sums[0];
      den = sums[1];
    }
  }

  const LumaPlanes& planes_;
  const FloatVifLayout& layout_;
  const int scale_, width_, height_;
  const TapVectors taps_, next_taps_;
  const int radius_;
  FloatPyramid& images_;
  FloatVifBuffers& buffers_;
  const Pixel pixel_;
  int read_ = 0;  // samples before this row are in the buffer, or no longer needed
};

void Band(const FloatVifLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
          FloatVifBuffers& buffers, std::span<int64_t> words) {
  ScaleBand(layout, scale, planes, images, buffers).Run(band, words);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Band);

void FloatVifBand(const FloatVifLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
                  FloatVifBuffers& buffers, std::span<int64_t> words) {
  HWY_DYNAMIC_DISPATCH(Band)(layout, scale, band, planes, images, buffers, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
