// One text for all instruction sets; README.md tells how it works and why each step is exact.
#include "metric/vif/vif.h"

#include <algorithm>
#include <cstring>

#include "metric/blocks/border.h"

#define HWY_WANT_AVX3_DL
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ACU_VIF_LEFT_OUT (HWY_SSE4 | HWY_AVX3)  // minutes of compilation; the others run the same lines
#else
#define ACU_VIF_LEFT_OUT 0
#endif
#undef HWY_DISABLED_TARGETS  // what the build leaves out, SSSE3
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | ACU_VIF_LEFT_OUT)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/vif/vif_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#undef ACU_VIF_VECTORS
#define ACU_VIF_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
#if ACU_VIF_VECTORS
#include "metric/vif/vif_filter-inl.h"
#include "metric/vif/vif_stats-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if !ACU_VIF_VECTORS  // no vectors: the plain loops are as good

void RunBand(const VifJob& job, RowBand band, VifBuffers&, std::span<int64_t, kVifSumsPerScale> sums) {
  RunVifBandRef(job, band, sums);
}

void LogTableOfFloats(std::span<uint16_t, 32768> table) { std::ranges::copy(VifLogTable(), table.begin()); }
void LogTableOfDoubles(std::span<uint16_t, 32768> table) { std::ranges::copy(VifLogTable(), table.begin()); }

#else

/// Copies columns [first, first + columns) of a row of `width` samples, mirrored at its sides as far as `reach`. What
/// lies further out is read by no filter and left as it was.
template <class Sample>
void CopyMirrored(const Sample* row, int width, int first, int columns, int reach, Sample* to) {
  const int begin = std::max(first, 0), end = std::max(std::min(first + columns, width), begin);
  for (int x = first; x < begin; ++x) to[x - first] = row[mirror_index(x, width)];
  std::memcpy(to + (begin - first), row + begin, (end - begin) * sizeof(Sample));
  for (int x = end; x < std::min(first + columns, width + reach); ++x) to[x - first] = row[mirror_index(x, width)];
}

/// Rows of one band in columns [x0, x0 + kVifStrip), top to bottom.
template <class C>
class Strip {
 public:
  Strip(const VifJob& job, int x0, VifBuffers& buffers)
      : job_(job),
        buffers_(buffers),
        x0_(x0),
        width_(std::min(kVifStrip, job.images[0].width - x0)),
        columns_((width_ + kBlock - 1) / kBlock * kBlock),
        blocks_((columns_ + 2 * C::kPad + kBlock - 1) / kBlock) {}

  void Run(RowBand band, std::span<int64_t, kVifSumsPerScale> sums) {
    const int begin = band.begin / 2 * 2;
    int filled = (begin - C::kPad) / 2;
    for (int y = begin; y < band.end; y += kVifGroup) {
      const int first = (y - C::kPad) / 2;
      for (; filled < first + C::kPairs; ++filled) FillPair(filled);
      const int16_t* pairs[C::kPairs];
      for (int i = 0; i < C::kPairs; ++i) pairs[i] = Pair(first + i);
      const RowBand rows = {std::max(y, band.begin), std::min(y + kVifGroup, band.end)};
      if (job_.statistics) AddStatistics(pairs, y, rows, sums);
      if constexpr (C::kScale + 1 < kVifScales) WriteNext(pairs, y, rows);
    }
  }

 private:
  int16_t* Pair(int index) const {
    const int slot = (index + C::kPairs) % C::kPairs;  // index >= -kPad / 2
    return buffers_.ring + static_cast<ptrdiff_t>(slot) * blocks_ * kPairBlock;
  }

  void FillPair(int index) const {
    switch (job_.images[0].sample) {
      case VifSample::k8:
        return FillPairOf<uint8_t>(index);
      case VifSample::k16:
        return FillPairOf<uint16_t>(index);
      case VifSample::kCentred:
        return FillPairOf<int16_t>(index);
    }
  }

  /// Blocks inside the picture are read where they lie, those at its sides by way of a mirrored copy.
  template <class Sample>
  void FillPairOf(int index) const {
    const Sample* rows[4];
    for (int i = 0; i < 4; ++i) {
      const VifImage& image = job_.images[i / 2];
      rows[i] = image.Row<Sample>(mirror_index(2 * index + i % 2, image.height));
    }
    const int first = x0_ - C::kPad;
    const int inner = first < 0 ? 1 : 0;
    const int inner_end = std::clamp((job_.images[0].width - first) / kBlock, inner, blocks_);
    StoreMirrored(rows, 0, inner, index);
    StoreBlocks(rows, first, inner, inner_end, index);
    StoreMirrored(rows, inner_end, blocks_, index);
  }

  template <class Sample>
  void StoreMirrored(const Sample* const (&rows)[4], int begin, int end, int index) const {
    if (begin >= end) return;
    const int first = x0_ - C::kPad + begin * kBlock;
    const Sample* lines[4];
    for (int i = 0; i < 4; ++i) {
      Sample* line = reinterpret_cast<Sample*>(buffers_.lines[i]);
      CopyMirrored(rows[i], job_.images[0].width, first, (end - begin) * kBlock, C::kPad, line);
      lines[i] = line;
    }
    StoreBlocks(lines, -begin * kBlock, begin, end, index);
  }

  /// Blocks [begin, end); rows[i][first] is the first sample of block 0.
  template <class Sample>
  void StoreBlocks(const Sample* const (&rows)[4], int first, int begin, int end, int index) const {
    const int centre = job_.images[0].sample == VifSample::kCentred ? 0 : 1 << (job_.bit_depth - 1);
    const ptrdiff_t from = first + ptrdiff_t{begin} * kBlock;
    const Sample* const blocks[4] = {rows[0] + from, rows[1] + from, rows[2] + from, rows[3] + from};
    StorePair(blocks, end - begin, static_cast<int16_t>(centre), Pair(index) + begin * kPairBlock);
  }

  void AddStatistics(const int16_t* const* pairs, int y, RowBand rows, std::span<int64_t, kVifSumsPerScale> sums) {
    VerticalPass<C>(pairs, blocks_, job_.bit_depth, RowsAhead(y), buffers_);
    Totals totals(buffers_, job_.gain_limit);
    for (int row = rows.begin; row < rows.end; ++row) {
      HorizontalPass<C>(buffers_.rows[row - y], columns_, buffers_);
      ClearBeyondPicture();
      totals.AddRow(columns_);
    }
    totals.FlushTo(int64_t{rows.end - rows.begin} * width_, sums);
  }

  /// The rows that the next group will fill in, and those that this one will write: the rows of a strip are too short
  /// for the CPU to see what comes next.
  Ahead RowsAhead(int y) const {
    Ahead ahead;
    for (int t = 0; t < kVifGroup; ++t)
      for (int i = 0; i < 2; ++i) {
        const VifImage& image = job_.images[i];
        ahead.bytes = image.sample == VifSample::k8 ? 1 : 2;
        const int row = std::min(y + C::kPad + kVifGroup + t, image.height - 1);
        ahead.read[2 * t + i] = image.Row<std::byte>(row) + x0_ * ahead.bytes;
      }
    if constexpr (C::kScale + 1 < kVifScales)
      for (int t = 0; t < kVifGroup / 2; ++t)
        for (int i = 0; i < 2; ++i) {
          const int row = std::min(y / 2 + t, job_.images[0].height / 2 - 1);
          ahead.written[2 * t + i] = job_.next[i] + row * job_.next_stride + x0_ / 2;
        }
    return ahead;
  }

  /// Moments of 0 are a flat pixel that adds nothing but to the count of flat pixels.
  void ClearBeyondPicture() const {
    for (int x = width_; x < columns_; ++x) {
      const int lane = x / kBlock * kBlock + (x % 2) * kLanes + x % kBlock / 2;
      for (auto& moment : buffers_.moments) moment[lane] = 0;
    }
  }

  void WriteNext(const int16_t* const* pairs, int y, RowBand rows) const {
    const int next_height = job_.images[0].height / 2;
    HalvingVerticalPass<C>(pairs, blocks_, job_.bit_depth, buffers_);
    for (int row = y; row < rows.end; row += 2) {
      if (row < rows.begin || row / 2 >= next_height) continue;
      for (int image = 0; image < 2; ++image)
        HalvingHorizontalPass<C>(buffers_.halved_rows[(row - y) / 2][image], columns_,
                                 job_.next[image] + row / 2 * job_.next_stride + x0_ / 2);
    }
  }

  const VifJob& job_;
  VifBuffers& buffers_;
  const int x0_;
  const int width_;    // columns that belong to the strip
  const int columns_;  // the same in whole blocks
  const int blocks_;   // with the filter's reach on both sides
};

template <int kScale, Depth kDepth>
void RunStrips(const VifJob& job, RowBand band, VifBuffers& buffers, std::span<int64_t, kVifSumsPerScale> sums) {
  for (int x0 = 0; x0 < job.images[0].width; x0 += kVifStrip)
    Strip<Config<kScale, kDepth> >(job, x0, buffers).Run(band, sums);
}

void RunBand(const VifJob& job, RowBand band, VifBuffers& buffers, std::span<int64_t, kVifSumsPerScale> sums) {
  switch (job.scale) {
    case 1:
      return RunStrips<1, Depth::k16>(job, band, buffers, sums);
    case 2:
      return RunStrips<2, Depth::k16>(job, band, buffers, sums);
    case 3:
      return RunStrips<3, Depth::k16>(job, band, buffers, sums);
  }
  if (job.bit_depth == 8) return RunStrips<0, Depth::k8>(job, band, buffers, sums);
  if (job.bit_depth == 16) return RunStrips<0, Depth::k16>(job, band, buffers, sums);
  RunStrips<0, Depth::kMiddle>(job, band, buffers, sums);
}

template <int kShift>
void LogTable(std::span<uint16_t, 32768> table) {
  HWY_ALIGN int32_t lanes[kLanes];
  for (int i = 0; i < 32768; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = (i + lane) << (kShift - 15) | 1 << kShift;
    const V32 logs = MantissaLog<kShift>(hn::Load(D32(), lanes));
    hn::Store(hn::Add(logs, hn::Set(D32(), kVifLogFirst - kMantissaLogOrigin)), D32(), lanes);
    for (int lane = 0; lane < kLanes; ++lane) table[i + lane] = static_cast<uint16_t>(lanes[lane]);
  }
}

void LogTableOfFloats(std::span<uint16_t, 32768> table) { LogTable<kOfFloat>(table); }
void LogTableOfDoubles(std::span<uint16_t, 32768> table) { LogTable<kOfDouble>(table); }

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(RunBand);
HWY_EXPORT(LogTableOfFloats);
HWY_EXPORT(LogTableOfDoubles);

void RunVifBand(const VifJob& job, RowBand band, VifBuffers& buffers, std::span<int64_t, kVifSumsPerScale> sums) {
  HWY_DYNAMIC_DISPATCH(RunBand)(job, band, buffers, sums);
}

std::vector<int64_t> VifTargets() { return hwy::SupportedAndGeneratedTargets(); }

void VifLogTableByVectors(bool of_doubles, std::span<uint16_t, 32768> table) {
  if (of_doubles) HWY_DYNAMIC_DISPATCH(LogTableOfDoubles)(table);
  else HWY_DYNAMIC_DISPATCH(LogTableOfFloats)(table);
}

}  // namespace acutance
#endif
