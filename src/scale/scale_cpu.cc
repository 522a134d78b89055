// Each row of the source is filtered along once, into a ring of rows that the filter down reads.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <vector>

#include "scale/scale_rows.h"
#include "simd/aligned_memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scale/scale_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/pair_products-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void Scale(const ScaleJob& job) { ScalePlaneRef(job); }

#else

using D16 = hn::ScalableTag<int16_t>;
using D32 = hn::RepartitionToWide<D16>;
using D64 = hn::RepartitionToWide<D32>;

/// Rows of whole vectors.
class Rows {
 public:
  Rows(int count, int width)
      : stride_((static_cast<size_t>(width) + 2 * kMost) / kMost * kMost),
        memory_(AllocateVectors<int16_t>(stride_ * count)) {
    std::fill_n(memory_.get(), stride_ * count, int16_t{0});
  }
  int16_t* row(int i) const { return memory_.get() + stride_ * i; }

 private:
  static constexpr size_t kMost = 64;  // lanes of the widest vector, and some more
  size_t stride_;
  hwy::AlignedFreeUniquePtr<int16_t[]> memory_;
};

/// Samples less half their range, with `space` more of the first before them and of the last after them.
template <class Sample>
void LoadRow(const Sample* from, int width, int bit_depth, int space, int16_t* to) {
  const D16 d;
  const int middle = 1 << (bit_depth - 1), lanes = static_cast<int>(hn::Lanes(d));
  const auto middles = hn::Set(d, static_cast<int16_t>(middle));
  int x = 0;
  for (; x + lanes <= width; x += lanes) hn::StoreU(hn::Sub(LoadSamples(d, from + x), middles), d, to + space + x);
  for (; x < width; ++x) to[space + x] = static_cast<int16_t>(from[x] - middle);
  std::fill_n(to, space, to[space]);
  std::fill_n(to + space + width, space, to[space + width - 1]);
}

/// The weights along rows, for results whose neighbours lie near: a pair of taps at a time, so that each result has a
/// lane of its own and nothing is added across lanes.
class NearTaps {
 public:
  static constexpr int kBlock = 4;  // results of 32 bits

  /// Whether the samples for one pair of taps of four results lie within a block of eight.
  static bool Fit(const ScaleTaps& taps, int width) {
    constexpr int kSamples = 8;
    for (int x = 0; x < width; x += kBlock)
      if (taps.first[std::min(x + kBlock, width) - 1] - taps.first[x] > kSamples - 2) return false;
    return true;
  }

  NearTaps(const ScaleTaps& taps, int width) : pairs_(taps.taps / 2), width_(width) {
    constexpr int kMost = 32;  // results that a turn of the loop makes
    padded_ = (width + kMost - 1) / kMost * kMost;
    firsts_.resize(padded_ / kBlock, taps.first[width - 1]);
    places_.resize(size_t{2} * padded_);
    weights_.resize(places_.size() * pairs_);
    is_halving_ = true;
    for (int x = 0; x < width; ++x) {
      const int first = taps.first[x / kBlock * kBlock];
      firsts_[x / kBlock] = first;
      is_halving_ = is_halving_ && taps.first[x] == taps.first[0] + 2 * x;
      for (int k = 0; k < 2; ++k) places_[2 * x + k] = BytesOf(taps.first[x] - first + k);
      for (int k = 0; k < taps.taps; ++k)
        weights_[(static_cast<size_t>(k / 2) * padded_ + x) * 2 + k % 2] = static_cast<int16_t>(taps.weight(x, k));
    }
  }

  int pairs() const { return pairs_; }
  int width() const { return width_; }
  /// Whether each result begins two samples after the one before it.
  bool is_halving() const { return is_halving_; }
  const int32_t* firsts(int x) const { return firsts_.data() + x / kBlock; }
  const int16_t* places(int x) const { return places_.data() + 2 * x; }
  const int16_t* weights(int pair, int x) const {
    return weights_.data() + (static_cast<size_t>(pair) * padded_ + x) * 2;
  }

 private:
  /// Where the bytes of a sample lie in a block.
  static int16_t BytesOf(int place) { return static_cast<int16_t>(2 * place | (2 * place + 1) << 8); }

  int pairs_, width_, padded_ = 0;
  bool is_halving_;
  std::vector<int32_t> firsts_;   // of each block of results
  std::vector<int16_t> places_;   // [result][tap of the pair]
  std::vector<int16_t> weights_;  // [pair][result][tap of the pair]
};

/// Eight samples from each of `first` on.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const int16_t* row, const int32_t* first) {
  constexpr size_t kSamples = 8;
  if constexpr (MaxLanes(D()) == kSamples) {
    return hn::LoadU(d, row + *first);
  } else {
    const hn::Half<D> half;
    const auto lower = LoadBlocks(half, row, first);
    return hn::Combine(d, LoadBlocks(half, row, first + MaxLanes(D()) / kSamples / 2), lower);
  }
}

/// The filter along a row, whose sample 0 is row[0]. kPairs: pairs of taps, or 0 for any number.
template <int kPairs, bool kHalving>
void FilterNear(const NearTaps& taps, const int16_t* row, int bit_depth, int16_t* to) {
  const D16 d;
  const D32 d32;
  const hn::Rebind<int16_t, D32> d_result;
  const int pairs = kPairs > 0 ? kPairs : taps.pairs(), lanes = static_cast<int>(hn::Lanes(d32));
  const auto rounding = hn::Set(d32, 1 << (bit_depth - 1));
  for (int x = 0; x < taps.width(); x += lanes) {
    auto sum = rounding;
    const auto places = hn::LoadU(d, taps.places(x));
    for (int p = 0; p < pairs; ++p) {
      const auto weights = hn::LoadU(d, taps.weights(p, x));
      if constexpr (kHalving) {
        sum = AddPairProducts(sum, hn::LoadU(d, row + *taps.firsts(x) + 2 * p), weights);
      } else {
        const auto samples = hn::TableLookupBytes(LoadBlocks(d, row + 2 * p, taps.firsts(x)), places);
        sum = AddPairProducts(sum, samples, weights);
      }
    }
    hn::StoreU(hn::DemoteTo(d_result, hn::ShiftRightSame(sum, bit_depth)), d_result, to + x);
  }
}

void FilterAcross(const NearTaps& taps, const int16_t* row, int bit_depth, int16_t* to) {
  if (taps.is_halving()) return FilterNear<0, true>(taps, row, bit_depth, to);
  if (taps.pairs() == 2) return FilterNear<2, false>(taps, row, bit_depth, to);
  FilterNear<0, false>(taps, row, bit_depth, to);
}

/// One group of samples from each of `first` on: loads of 64 bits, which are quicker than a gather.
template <class D>
HWY_INLINE hn::Vec<D> LoadGroups(D d, const int16_t* row, const int32_t* first) {
  if constexpr (MaxLanes(D()) == ScaleTaps::kGroup) {
    return hn::LoadU(d, row + *first);
  } else {
    const hn::Half<D> half;
    const auto lower = LoadGroups(half, row, first);
    return hn::Combine(d, LoadGroups(half, row, first + MaxLanes(D()) / ScaleTaps::kGroup / 2), lower);
  }
}

/// FilterAcross for taps that lie further apart; as many results at a time as a vector has groups of taps.
void FilterFar(const ScaleTaps& filter, const int16_t* row, int width, int bit_depth, int16_t* to) {
  const D32 d32;
  const D64 d64;
  const hn::Rebind<uint16_t, D64> d_result;
  const int lanes = static_cast<int>(hn::Lanes(d64));
  const auto rounding = hn::Set(d32, 1 << (bit_depth - 1));
  for (int x = 0; x < width; x += lanes) {
    auto sum = hn::Zero(d32);
    for (int g = 0; g < filter.taps / ScaleTaps::kGroup; ++g) {
      const auto samples = LoadGroups(D16(), row + g * ScaleTaps::kGroup, filter.first.data() + x);
      const auto weights = hn::LoadU(D16(), filter.group(g) + x * ScaleTaps::kGroup);
      sum = AddPairProducts(sum, samples, weights);
    }
    const auto pairs = hn::BitCast(d64, sum);
    sum = hn::Add(hn::Add(sum, hn::BitCast(d32, hn::ShiftRight<32>(pairs))), rounding);
    const auto result = hn::BitCast(hn::RebindToUnsigned<D64>(), hn::ShiftRightSame(sum, bit_depth));
    hn::StoreU(hn::TruncateTo(d_result, result), d_result, reinterpret_cast<uint16_t*>(to + x));
  }
}

/// Stores `count` results, at most a vector.
template <class Sample>
HWY_INLINE void StoreResults(hn::Vec<D16> values, int bit_depth, int count, Sample* to) {
  const D16 d;
  const hn::Rebind<Sample, D16> d_to;
  const auto middle = hn::Set(d, static_cast<int16_t>(1 << (bit_depth - 1)));
  hn::Vec<decltype(d_to)> results;
  if constexpr (sizeof(Sample) == 1) {
    results = hn::DemoteTo(d_to, hn::Add(values, middle));
  } else if (bit_depth == 16) {
    results = hn::BitCast(d_to, hn::Xor(values, middle));
  } else {
    const auto top = hn::Set(d, static_cast<int16_t>((1 << bit_depth) - 1));
    results = hn::BitCast(d_to, hn::Max(hn::Min(hn::Add(values, middle), top), hn::Zero(d)));
  }
  if (count >= static_cast<int>(hn::Lanes(d))) return hn::StoreU(results, d_to, to);
  HWY_ALIGN Sample last[HWY_MAX_BYTES / sizeof(int16_t)];
  hn::Store(results, d_to, last);
  std::memcpy(to, last, count * sizeof(Sample));
}

/// Two rows that the filter down reads, and their weights.
struct RowPair {
  const int16_t *first, *second;
  int32_t weights;
};

/// The filter down, for one row of results. kPairs: pairs of rows, or 0 for any number.
template <int kPairs, class Sample>
void FilterDown(const ScaleJob& job, const std::vector<RowPair>& rows, Sample* to) {
  const D16 d;
  const D32 d32;
  const int lanes = static_cast<int>(hn::Lanes(d)), shift = 2 * ScaleTaps::kBits - job.bit_depth;
  const int pairs = kPairs > 0 ? kPairs : static_cast<int>(rows.size());
  // A copy that no store of samples can reach, so that weights and places stay in registers.
  RowPair copies[kPairs > 0 ? kPairs : 1];
  std::copy_n(rows.begin(), std::size(copies), copies);
  const RowPair* const from = kPairs > 0 ? copies : rows.data();
  const auto rounding = hn::Set(d32, 1 << (shift - 1));
  for (int x = 0; x < job.to_width; x += lanes) {
    auto lower = rounding, upper = rounding;
    for (int p = 0; p < pairs; ++p) {
      const auto weights = hn::BitCast(d, hn::Set(d32, from[p].weights));
      const auto a = hn::LoadU(d, from[p].first + x), b = hn::LoadU(d, from[p].second + x);
      lower = AddPairProducts(lower, hn::InterleaveLower(d, a, b), weights);
      upper = AddPairProducts(upper, hn::InterleaveUpper(d, a, b), weights);
    }
    lower = hn::ShiftRightSame(lower, shift);
    upper = hn::ShiftRightSame(upper, shift);
    // It packs blocks as InterleaveLower and InterleaveUpper took them apart, and saturates.
    StoreResults(hn::ReorderDemote2To(d, lower, upper), job.bit_depth, job.to_width - x, to + x);
  }
}

template <class Sample>
void FilterDown(const ScaleJob& job, const std::vector<RowPair>& rows, Sample* to) {
  if (rows.size() == 2) return FilterDown<2>(job, rows, to);
  if (rows.size() == 4) return FilterDown<4>(job, rows, to);
  FilterDown<0>(job, rows, to);
}

template <class Sample>
void ScaleAs(const ScaleJob& job) {
  const int taps = job.across->taps, ring_rows = job.down->taps, height = job.from.height;
  const Rows source(1, job.from.width + 4 * taps), ring(ring_rows, job.to_width);
  std::optional<NearTaps> near;
  if (NearTaps::Fit(*job.across, job.to_width)) near.emplace(*job.across, job.to_width);
  std::vector<RowPair> rows(ring_rows / 2);
  int next = 0;  // the first row of the source that was not filtered
  for (int y = 0; y < job.to_height; ++y) {
    const int first = job.down->first[y];
    const int last = std::clamp(first + ring_rows - 1, 0, height - 1);
    for (next = std::max(next, std::clamp(first, 0, height - 1)); next <= last; ++next) {
      LoadRow(job.from.Row<Sample>(next), job.from.width, job.bit_depth, taps, source.row(0));
      const int16_t* row = source.row(0) + taps;
      if (near) FilterAcross(*near, row, job.bit_depth, ring.row(next % ring_rows));
      else FilterFar(*job.across, row, job.to_width, job.bit_depth, ring.row(next % ring_rows));
    }
    const auto row = [&](int k) { return ring.row(std::clamp(first + k, 0, height - 1) % ring_rows); };
    for (int k = 0; k < ring_rows; k += 2)
      rows[k / 2] = {row(k), row(k + 1), PackPair(job.down->weight(y, k), job.down->weight(y, k + 1))};
    FilterDown(job, rows, reinterpret_cast<Sample*>(job.to + y * job.to_stride));
  }
}

void Scale(const ScaleJob& job) { return job.bit_depth > 8 ? ScaleAs<uint16_t>(job) : ScaleAs<uint8_t>(job); }

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
