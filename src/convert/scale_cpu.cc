// Each row of the source is filtered along once, into a ring of rows that the filter down reads. The ring holds each
// row next to the one before it, in words of two halves, so that the filter down multiplies what it loads.
#include <algorithm>
#include <cstring>
#include <vector>

#include "convert/scale_rows.h"
#include "convert/scale_taps.h"
#include "simd/aligned_memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convert/scale_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "convert/scale_across-inl.h"
#include "simd/pair_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void Scale(const ScaleJob& job) { ScalePlaneRef(job); }

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kMostLanes = 64;  // lanes of the widest vector, and some more

template <class T>
hwy::AlignedFreeUniquePtr<T[]> AllocateZeros(size_t count) {
  auto memory = AllocateVectors<T>(count);
  std::fill_n(memory.get(), count, T{0});
  return memory;
}

/// Two rows that the filter down reads, and their weights.
struct RowPair {
  const int32_t* words;
  int32_t weights;
};

template <class Sample>
HWY_INLINE auto ToSamples(hn::Vec<D16> values, int bit_depth) {
  const D16 d;
  const hn::Rebind<Sample, D16> d_to;
  if constexpr (sizeof(Sample) == 1) {
    return hn::DemoteTo(d_to, values);
  } else {
    if (bit_depth == 16) return hn::BitCast(d_to, hn::Xor(values, hn::Set(d, int16_t{-32768})));
    const auto top = hn::Set(d, static_cast<int16_t>((1 << bit_depth) - 1));
    return hn::BitCast(d_to, hn::Max(hn::Min(values, top), hn::Zero(d)));
  }
}

/// Lanes of `lower`, then of `upper`, with saturation.
HWY_INLINE hn::Vec<D16> DemoteInOrder(hn::Vec<D32> lower, hn::Vec<D32> upper) {
  const D16 d;
  const auto mixed = hn::ReorderDemote2To(d, lower, upper);
  if constexpr (MaxLanes(D16()) == 8) {
    return mixed;
  } else {
    // It takes a block of each in turn: half a block of 16-bit lanes.
    constexpr int32_t kBlocks = MaxLanes(D16()) / 8;
    HWY_ALIGN int32_t order[MaxLanes(D32())];
    for (int i = 0; i < 4 * kBlocks; ++i) {
      const int half = i / 2;
      order[i] = (half % kBlocks * 2 + half / kBlocks) * 2 + i % 2;
    }
    const D32 d32;
    return hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(d32, mixed), hn::SetTableIndices(d32, order)));
  }
}

/// The filter down, for one row of results. kPairs: pairs of rows, or 0 for any number.
template <int kPairs>
class DownFilter {
 public:
  DownFilter(const std::vector<RowPair>& rows, int bit_depth)
      : more_(rows.data()), pairs_(rows.size()), shift_(2 * ScaleTaps::kBits - bit_depth), start_(Start(bit_depth)) {
    for (int p = 0; p < kPairs; ++p) rows_[p] = rows[p];
  }

  /// A vector of results from column x on.
  HWY_INLINE hn::Vec<D16> Filter(size_t x) const {
    const D16 d;
    const D32 d32;
    auto lower = hn::Set(d32, start_), upper = lower;
    for (size_t p = 0; p < (kPairs > 0 ? kPairs : pairs_); ++p) {
      const RowPair& row = kPairs > 0 ? rows_[p] : more_[p];
      const auto weights = hn::BitCast(d, hn::Set(d32, row.weights));
      lower = AddPairProducts(lower, hn::BitCast(d, hn::LoadU(d32, row.words + x)), weights);
      upper = AddPairProducts(upper, hn::BitCast(d, hn::LoadU(d32, row.words + x + hn::Lanes(d32))), weights);
    }
    return DemoteInOrder(hn::ShiftRightSame(lower, shift_), hn::ShiftRightSame(upper, shift_));
  }

 private:
  /// Half of the last bit that stays, and half the range where a signed lane holds all samples.
  int32_t Start(int bit_depth) const {
    return (1 << (shift_ - 1)) + (bit_depth < 16 ? 1 << (shift_ + bit_depth - 1) : 0);
  }

  RowPair rows_[kPairs > 0 ? kPairs : 1];  // no store of samples can reach them: they stay in registers
  const RowPair* more_;
  size_t pairs_;
  int shift_;
  int32_t start_;
};

template <int kPairs, class Sample>
void FilterDown(const std::vector<RowPair>& rows, int bit_depth, size_t width, Sample* HWY_RESTRICT to) {
  const DownFilter<kPairs> filter(rows, bit_depth);
  const size_t lanes = hn::Lanes(D16());
  size_t x = 0;
  for (; x + lanes <= width; x += lanes)
    hn::StoreU(ToSamples<Sample>(filter.Filter(x), bit_depth), hn::Rebind<Sample, D16>(), to + x);
  if (x == width) return;
  HWY_ALIGN Sample last[HWY_MAX_BYTES / sizeof(int16_t)];
  hn::Store(ToSamples<Sample>(filter.Filter(x), bit_depth), hn::Rebind<Sample, D16>(), last);
  std::memcpy(to + x, last, (width - x) * sizeof(Sample));
}

template <class Sample>
void FilterDown(const std::vector<RowPair>& rows, int bit_depth, int width, Sample* to) {
  if (rows.size() == 2) return FilterDown<2>(rows, bit_depth, width, to);
  if (rows.size() == 3) return FilterDown<3>(rows, bit_depth, width, to);
  if (rows.size() == 4) return FilterDown<4>(rows, bit_depth, width, to);
  FilterDown<0>(rows, bit_depth, width, to);
}

template <class Sample>
class PlaneScaler {
 public:
  explicit PlaneScaler(const ScaleJob& job)
      : job_(job),
        taps_(job.across->taps),
        rows_(job.down->pairs()),
        stride_((job.to_width + 2 * kMostLanes) / kMostLanes * kMostLanes),
        source_(AllocateZeros<int16_t>(job.from.width + 4 * taps_ + 2 * kMostLanes)),
        ring_(AllocateZeros<int32_t>(stride_ * job.down->taps)) {}

  void Run() {
    const ScaleTaps& down = *job_.down;
    const std::vector<bool> is_read = RowsRead();
    int next = 0;  // the first row that the ring did not hold yet
    for (int y = 0; y < job_.to_height; ++y) {
      const auto row = [&](int k) { return std::clamp(down.first[y] + k, 0, job_.from.height); };
      const int last = row(2 * down.pairs() - 1);
      for (next = std::max(next, row(0)); next <= last; ++next) Fill(next, is_read[next]);
      for (int p = 0; p < down.pairs(); ++p)
        rows_[p] = {RingRow(row(2 * p + 1)), PackPair(down.weight(y, 2 * p), down.weight(y, 2 * p + 1))};
      FilterDown(rows_, job_.bit_depth, job_.to_width, reinterpret_cast<Sample*>(job_.to + y * job_.to_stride));
    }
  }

 private:
  /// Holds row n - 1 of the source next to row n. Rows before the first and after the last are that one.
  int32_t* RingRow(int n) const { return ring_.get() + stride_ * (n % job_.down->taps); }

  /// Which rows of the ring the filter down reads. Others need no row next to theirs.
  std::vector<bool> RowsRead() const {
    std::vector<bool> is_read(job_.from.height + 1);
    for (int y = 0; y < job_.to_height; ++y)
      for (int p = 0; p < job_.down->pairs(); ++p)
        is_read[std::clamp(job_.down->first[y] + 2 * p + 1, 0, job_.from.height)] = true;
    return is_read;
  }

  void Fill(int n, bool is_read) {
    if (n < job_.from.height) Filter(n, n > 0 && is_read ? RingRow(n - 1) : nullptr);
    if (n == 0) Repeat(RingRow(0), RingRow(0));
    if (n == job_.from.height) Repeat(RingRow(n - 1), RingRow(n));
  }

  void Filter(int n, const int32_t* before) {
    int16_t* const row = source_.get() + taps_;
    const int next = std::min(n + 1, job_.from.height - 1);
    LoadRow(job_.from.Row<Sample>(n), job_.from.Row<Sample>(next), job_.from.width, job_.bit_depth, taps_, row);
    FilterAcross(*job_.across, *job_.across_near,
                 {row, job_.to_width, job_.bit_depth, job_.across->rounding, before, RingRow(n)});
  }

  /// One row twice.
  void Repeat(const int32_t* from, int32_t* to) const {
    for (int x = 0; x < job_.to_width; ++x) to[x] = PackPair(from[x] >> 16, from[x] >> 16);
  }

  const ScaleJob& job_;
  const int taps_;
  std::vector<RowPair> rows_;
  size_t stride_;
  hwy::AlignedFreeUniquePtr<int16_t[]> source_;
  hwy::AlignedFreeUniquePtr<int32_t[]> ring_;
};

void Scale(const ScaleJob& job) {
  if (job.bit_depth > 8) PlaneScaler<uint16_t>(job).Run();
  else PlaneScaler<uint8_t>(job).Run();
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Scale);

void ScalePlane(const ScaleJob& job) { HWY_DYNAMIC_DISPATCH(Scale)(job); }

}  // namespace acutance
#endif  // HWY_ONCE
