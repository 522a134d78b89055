// One source for all instruction sets; README.md says how it works and why each step is exact.
#include "metric/vif/vif.h"

#include <algorithm>
#include <cstring>

#include "metric/blocks/border.h"
#include "simd/avx_vnni.h"

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

void RunBands(std::span<const VifJob> jobs, RowBand band, VifBuffers&, std::span<const VifSums> sums) {
  for (size_t i = 0; i < jobs.size(); ++i) RunVifBandRef(jobs[i], band, sums[i]);
}

void RunColumns(const VifJob& job, RowBand band, int columns, VifBuffers&, std::span<const VifSums> sums) {
  RunVifColumnsRef(job, band, columns, sums);
}

void LogTableOfFloats(std::span<uint16_t, 32768> table) { std::ranges::copy(VifLogTable(), table.begin()); }
void LogTableOfDoubles(std::span<uint16_t, 32768> table) { std::ranges::copy(VifLogTable(), table.begin()); }

#else

/// Copies columns [first, first + columns) of a row of `width` samples, mirrored at its sides up to `reach`. What
/// lies further out is read by no filter and left as it was.
template <class Sample>
void CopyMirrored(const Sample* row, int width, int first, int columns, int reach, Sample* to) {
  const int begin = std::max(first, 0), end = std::max(std::min(first + columns, width), begin);
  for (int x = first; x < begin; ++x) to[x - first] = row[mirror_index(x, width)];
  std::memcpy(to + (begin - first), row + begin, (end - begin) * sizeof(Sample));
  for (int x = end; x < std::min(first + columns, width + reach); ++x) to[x - first] = row[mirror_index(x, width)];
}

/// Copies `count` moments and up to three more.
HWY_INLINE int32_t* CopyMoments(const int32_t* from, int count, int32_t* to) {
  const hn::CappedTag<int32_t, 4> d;
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  return to + count;
}

/// Copies what belongs to columns [begin, end) of a row of moments, in any order: blocks have their even columns first.
/// Zeros fill the last vector.
inline void CopyColumns(const int32_t* moments, int begin, int end, int32_t* to) {
  while (begin < end) {
    const int block = begin / kBlock * kBlock, stop = std::min(end, block + kBlock);
    const int even = (begin - block + 1) / 2, odd = (begin - block) / 2;
    to = CopyMoments(moments + block + even, (stop - block + 1) / 2 - even, to);
    to = CopyMoments(moments + block + kLanes + odd, (stop - block) / 2 - odd, to);
    begin = stop;
  }
  hn::StoreU(hn::Zero(D32()), D32(), to);
}

/// Rows of one band in columns [x0, x0 + columns), top to bottom. Image 0 is the reference, image
/// 1 + v is that of distorted video v. With `piece` columns other than 0 there is one video, and sums[i] are those of
/// the strip's columns [i * piece, (i + 1) * piece).
template <class C>
class Strip {
 public:
  Strip(std::span<const VifJob> jobs, int x0, int columns, int piece, VifBuffers& buffers)
      : jobs_(jobs),
        job_(jobs[0]),
        buffers_(buffers),
        x0_(x0),
        piece_(piece),
        width_(std::min(columns, job_.images[0].width - x0)),
        columns_((width_ + kBlock - 1) / kBlock * kBlock),
        blocks_((columns_ + 2 * C::kPad + kBlock - 1) / kBlock),
        images_(1 + static_cast<int>(jobs.size())) {}

  void Run(RowBand band, std::span<const VifSums> sums) {
    const int begin = band.begin / 2 * 2;
    int filled = (begin - C::kPad) / 2;
    for (int y = begin; y < band.end; y += kVifGroup) {
      const int first = (y - C::kPad) / 2;
      for (; filled < first + C::kPairs; ++filled)
        for (int image = 0; image < images_; ++image) FillPair(image, filled);
      const int16_t* pairs[C::kPairs];
      for (int i = 0; i < C::kPairs; ++i) pairs[i] = Pair(first + i);
      const PairRows rows = {pairs, BlockStride(), blocks_};
      RunGroup(rows, y, {std::max(y, band.begin), std::min(y + kVifGroup, band.end)}, sums);
    }
  }

 private:
  ptrdiff_t BlockStride() const { return ptrdiff_t{images_} * kPairBlock; }

  int16_t* Pair(int index) const {
    const int slot = (index + C::kPairs) % C::kPairs;  // index >= -kPad / 2
    return buffers_.ring + slot * blocks_ * BlockStride();
  }

  const VifImage& Image(int image) const { return jobs_[std::max(image - 1, 0)].images[image > 0]; }
  int16_t* Next(int image) const { return jobs_[std::max(image - 1, 0)].next[image > 0]; }

  void FillPair(int image, int index) const {
    switch (job_.images[0].sample) {
      case VifSample::k8:
        return FillPairOf<uint8_t>(image, index);
      case VifSample::k16:
        return FillPairOf<uint16_t>(image, index);
      case VifSample::kCentred:
        return FillPairOf<int16_t>(image, index);
    }
  }

  /// Blocks inside the picture are read where they lie, those at its sides by way of a mirrored copy.
  template <class Sample>
  void FillPairOf(int image, int index) const {
    const VifImage& from = Image(image);
    const Sample* rows[2];
    for (int i = 0; i < 2; ++i) rows[i] = from.Row<Sample>(mirror_index(2 * index + i, from.height));
    const int first = x0_ - C::kPad;
    const int inner = first < 0 ? 1 : 0;
    const int inner_end = std::clamp((from.width - first) / kBlock, inner, blocks_);
    int16_t* to = Pair(index) + image * kPairBlock;
    StoreMirrored(rows, 0, inner, to);
    StoreBlocks(rows, first, inner, inner_end, to);
    StoreMirrored(rows, inner_end, blocks_, to);
  }

  template <class Sample>
  void StoreMirrored(const Sample* const (&rows)[2], int begin, int end, int16_t* to) const {
    if (begin >= end) return;
    const int first = x0_ - C::kPad + begin * kBlock;
    const Sample* lines[2];
    for (int i = 0; i < 2; ++i) {
      Sample* line = reinterpret_cast<Sample*>(buffers_.lines[i]);
      CopyMirrored(rows[i], job_.images[0].width, first, (end - begin) * kBlock, C::kPad, line);
      lines[i] = line;
    }
    StoreBlocks(lines, -begin * kBlock, begin, end, to);
  }

  /// Blocks [begin, end); rows[i][first] is the first sample of block 0.
  template <class Sample>
  void StoreBlocks(const Sample* const (&rows)[2], int first, int begin, int end, int16_t* to) const {
    const int centre = job_.images[0].sample == VifSample::kCentred ? 0 : 1 << (job_.bit_depth - 1);
    const ptrdiff_t from = first + ptrdiff_t{begin} * kBlock;
    const Sample* const blocks[2] = {rows[0] + from, rows[1] + from};
    StorePair(blocks, end - begin, static_cast<int16_t>(centre), to + begin * BlockStride(), BlockStride());
  }

  void RunGroup(const PairRows& pairs, int y, RowBand rows, std::span<const VifSums> sums) {
    if (job_.statistics && piece_ == 0) AddStatistics(pairs, y, rows, sums);
    if (job_.statistics && piece_ != 0) AddPieces(pairs, y, rows, sums);
    if constexpr (C::kScale + 1 < kVifScales)
      for (int image = 0; image < images_; ++image) WriteNext(pairs, image, y, rows);
  }

  void AddStatistics(const PairRows& pairs, int y, RowBand rows, std::span<const VifSums> sums) {
    const ReferenceTotals reference = AddVideo<Part::kFirst>(pairs, 1, y, rows, sums[0]);
    reference.AddTo(sums[0]);
    for (int video = 1; video + 1 < images_; ++video) {
      AddVideo<Part::kOther>(pairs, 1 + video, y, rows, sums[video]);
      reference.AddTo(sums[video]);
    }
  }

  template <Part kPart>
  ReferenceTotals AddVideo(const PairRows& pairs, int image, int y, RowBand rows, VifSums sums) {
    const bool several = images_ > 2;
    const Ahead ahead[2] = {RowsAhead(image, y), RowsAhead(0, y)};
    VerticalPass<C, kPart>(pairs, image * kPairBlock, job_.bit_depth, {ahead, kPart == Part::kFirst ? 2u : 1u}, several,
                           buffers_);
    Totals<kPart> totals(buffers_, job_.gain_limit, several);
    for (int row = rows.begin; row < rows.end; ++row) {
      const int slot = several ? row - y : 0;  // one row stays in the cache
      FilterAcross<kPart>(row - y, slot, 0);
      totals.AddRow(Moments(slot, 0, 0), columns_);
    }
    totals.FlushTo(sums);
    return totals.OfReference(int64_t{rows.end - rows.begin} * width_);
  }

  /// Makes the moments of a row of the group in the given slots.
  template <Part kPart>
  void FilterAcross(int row, int reference_slot, int slot) {
    auto& reference = buffers_.reference_moments[reference_slot];
    HorizontalPass<C, kPart>(buffers_.rows[row], columns_, reference, buffers_.moments[slot]);
    if (kPart == Part::kFirst) ClearBeyondPicture(reference);
    ClearBeyondPicture(buffers_.moments[slot]);
  }
  MomentRow Moments(int reference_slot, int slot, int column) const {
    auto& [m1, x] = buffers_.reference_moments[reference_slot];
    const auto& [m2, y, z] = buffers_.moments[slot];
    return {m1 + column, x + column, m2 + column, y + column, z + column};
  }

  /// The filters go over the whole strip; what they make is sorted by pieces before it is added up.
  void AddPieces(const PairRows& pairs, int y, RowBand rows, std::span<const VifSums> sums) {
    const Ahead ahead[2] = {RowsAhead(1, y), RowsAhead(0, y)};
    VerticalPass<C, Part::kFirst>(pairs, kPairBlock, job_.bit_depth, {ahead, 2u}, false, buffers_);
    for (int row = rows.begin - y; row < rows.end - y; ++row) FilterAcross<Part::kFirst>(row, row, row);
    for (int begin = 0; begin < width_; begin += piece_) {
      const int end = std::min(begin + piece_, width_);
      Totals<Part::kFirst> totals(buffers_, job_.gain_limit, false);
      for (int row = rows.begin - y; row < rows.end - y; ++row)
        if (piece_ % kBlock == 0) totals.AddRow(Moments(row, row, begin), (end - begin + kBlock - 1) / kBlock * kBlock);
        else totals.AddRow(CopyPiece(Moments(row, row, 0), begin, end), (end - begin + kLanes - 1) / kLanes * kLanes);
      VifSums to = sums[begin / piece_];
      totals.FlushTo(to);
      totals.OfReference(int64_t{rows.end - rows.begin} * (end - begin)).AddTo(to);
    }
  }

  MomentRow CopyPiece(const MomentRow& row, int begin, int end) const {
    auto& [m1, x, m2, y, z] = buffers_.piece;
    CopyColumns(row.m1, begin, end, m1);
    CopyColumns(row.x, begin, end, x);
    CopyColumns(row.m2, begin, end, m2);
    CopyColumns(row.y, begin, end, y);
    CopyColumns(row.z, begin, end, z);
    return {m1, x, m2, y, z};
  }

  /// The rows that the next group will fill in, and those that this one will write: the rows of a strip are too short
  /// for the CPU to see what comes next.
  Ahead RowsAhead(int image, int y) const {
    const VifImage& from = Image(image);
    Ahead ahead;
    ahead.bytes = from.sample == VifSample::k8 ? 1 : 2;
    for (int t = 0; t < kVifGroup; ++t) {
      const int row = std::min(y + C::kPad + kVifGroup + t, from.height - 1);
      ahead.read[t] = from.Row<std::byte>(row) + x0_ * ahead.bytes;
    }
    if constexpr (C::kScale + 1 < kVifScales)
      for (int t = 0; t < kVifGroup / 2; ++t) {
        const int row = std::min(y / 2 + t, from.height / 2 - 1);
        ahead.written[t] = Next(image) + row * job_.next_stride + x0_ / 2;
      }
    return ahead;
  }

  /// Moments of 0 are a flat pixel that adds to the count of flat pixels alone.
  template <size_t kCount>
  void ClearBeyondPicture(int32_t (&moments)[kCount][kVifStrip]) const {
    for (int x = width_; x < columns_; ++x) {
      const int lane = x / kBlock * kBlock + (x % 2) * kLanes + x % kBlock / 2;
      for (auto& moment : moments) moment[lane] = 0;
    }
  }

  void WriteNext(const PairRows& pairs, int image, int y, RowBand rows) const {
    const int next_height = job_.images[0].height / 2;
    HalvingVerticalPass<C>(pairs, image * kPairBlock, job_.bit_depth, buffers_);
    for (int row = y; row < rows.end; row += 2) {
      if (row < rows.begin || row / 2 >= next_height) continue;
      HalvingHorizontalPass<C>(buffers_.halved_rows[(row - y) / 2], columns_,
                               Next(image) + row / 2 * job_.next_stride + x0_ / 2);
    }
  }

  const std::span<const VifJob> jobs_;
  const VifJob& job_;  // what all jobs share
  VifBuffers& buffers_;
  const int x0_;
  const int piece_;
  const int width_;    // columns that belong to the strip
  const int columns_;  // the same in whole blocks
  const int blocks_;   // with the filter's reach on both sides
  const int images_;
};

/// A strip of columns of some jobs, and where its sums go.
struct StripTask {
  std::span<const VifJob> jobs;
  int x0, columns, piece;
  std::span<const VifSums> sums;
};

template <int kScale, Depth kDepth>
void RunStrip(const StripTask& task, RowBand band, VifBuffers& buffers) {
  const auto run = [&]<bool kVnni> {
    Strip<Config<kScale, kDepth, kVnni> >(task.jobs, task.x0, task.columns, task.piece, buffers).Run(band, task.sums);
  };
#if HWY_TARGET == HWY_AVX2
  if (HasAvxVnni()) return run.template operator()<true>();
#endif
  run.template operator()<false>();
}

void RunOne(const StripTask& task, RowBand band, VifBuffers& buffers) {
  const VifJob& job = task.jobs[0];
  switch (job.scale) {
    case 1:
      return RunStrip<1, Depth::k16>(task, band, buffers);
    case 2:
      return RunStrip<2, Depth::k16>(task, band, buffers);
    case 3:
      return RunStrip<3, Depth::k16>(task, band, buffers);
  }
  if (job.bit_depth == 8) return RunStrip<0, Depth::k8>(task, band, buffers);
  if (job.bit_depth == 16) return RunStrip<0, Depth::k16>(task, band, buffers);
  RunStrip<0, Depth::kMiddle>(task, band, buffers);
}

void RunSome(std::span<const VifJob> jobs, RowBand band, VifBuffers& buffers, std::span<const VifSums> sums) {
  const int columns = jobs.size() == 1 ? kVifStrip : kVifManyStrip;
  for (int x0 = 0; x0 < jobs[0].images[0].width; x0 += columns) RunOne({jobs, x0, columns, 0, sums}, band, buffers);
}

void RunColumns(const VifJob& job, RowBand band, int columns, VifBuffers& buffers, std::span<const VifSums> sums) {
  const int strip = kVifStrip / columns * columns;
  for (int x0 = 0; x0 < job.images[0].width; x0 += strip)
    RunOne({{&job, 1}, x0, strip, columns, sums.subspan(x0 / columns)}, band, buffers);
}

void RunBands(std::span<const VifJob> jobs, RowBand band, VifBuffers& buffers, std::span<const VifSums> sums) {
  for (size_t first = 0; first < jobs.size(); first += kVifMaxVideos) {
    const size_t count = std::min<size_t>(jobs.size() - first, kVifMaxVideos);
    RunSome(jobs.subspan(first, count), band, buffers, sums.subspan(first, count));
  }
}

template <int kShift>
void LogTable(std::span<uint16_t, 32768> table) {
  HWY_ALIGN int32_t lanes[kLanes];
  for (int i = 0; i < 32768; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = (i + lane) << (kShift - 15) | 1 << kShift;
    const Logs logs = LogsOf<kShift>(hn::Load(D32(), lanes));
    const V32 octaves = hn::Mul(logs.segment, hn::Set(D32(), 2048 / kLogSegments));  // one: the exponent is 1
    hn::Store(hn::Add(hn::Add(logs.rest, octaves), hn::Set(D32(), kVifLogFirst - kLogOrigin - 2048)), D32(), lanes);
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

HWY_EXPORT(RunBands);
HWY_EXPORT(RunColumns);
HWY_EXPORT(LogTableOfFloats);
HWY_EXPORT(LogTableOfDoubles);

void RunVifBands(std::span<const VifJob> jobs, RowBand band, VifBuffers& buffers, std::span<const VifSums> sums) {
  HWY_DYNAMIC_DISPATCH(RunBands)(jobs, band, buffers, sums);
}

void RunVifColumns(const VifJob& job, RowBand band, int columns, VifBuffers& buffers, std::span<const VifSums> sums) {
  HWY_DYNAMIC_DISPATCH(RunColumns)(job, band, columns, buffers, sums);
}

std::vector<int64_t> VifTargets() { return hwy::SupportedAndGeneratedTargets(); }

void VifLogTableByVectors(bool of_doubles, std::span<uint16_t, 32768> table) {
  if (of_doubles) HWY_DYNAMIC_DISPATCH(LogTableOfDoubles)(table);
  else HWY_DYNAMIC_DISPATCH(LogTableOfFloats)(table);
}

}  // namespace acutance
#endif
