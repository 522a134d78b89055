// The filter along rows. Included once per instruction set.
#if defined(ACUTANCE_SCALE_ACROSS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SCALE_ACROSS_INL_H_
#undef ACUTANCE_SCALE_ACROSS_INL_H_
#else
#define ACUTANCE_SCALE_ACROSS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "convert/scale_taps.h"
#include "simd/pair_products-inl.h"
#include "simd/samples-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

using D16 = hn::ScalableTag<int16_t>;
using D32 = hn::RepartitionToWide<D16>;
using D64 = hn::RepartitionToWide<D32>;

/// One row of the source that becomes `to`, words of 32 bits: the upper half is the result. If `before` is not null,
/// the lower half is the result of the row before, whose words these are.
struct AcrossJob {
  const int16_t* row;  // sample 0, less half the range where samples have more than 8 bits
  int width;           // of the result
  int bit_depth;
  ScaleRounding rounding;
  const int32_t* before;
  int32_t* to;

  /// Half of the last bit that stays.
  int32_t Half() const {
    return 1 << ((rounding == ScaleRounding::kWholeSamples ? int{ScaleTaps::kBits} : bit_depth) - 1);
  }
  /// The middle of the range, in sums.
  int32_t Middle() const { return 1 << (bit_depth - 1 + ScaleTaps::kBits); }
  /// What sums begin with: samples of 8 bits are whole.
  int32_t Start() const { return Half() - (bit_depth > 8 ? 0 : Middle()); }
};

/// A row with `space` more of the first sample before and of the last after it. `next` is the row to be loaded next,
/// which the processor does not foresee: other work comes first.
template <class Sample>
void LoadRow(const Sample* from, const Sample* next, int width, int bit_depth, int space, int16_t* to) {
  const D16 d;
  const int middle = sizeof(Sample) == 1 ? 0 : 1 << (bit_depth - 1), lanes = static_cast<int>(hn::Lanes(d));
  const auto middles = hn::Set(d, static_cast<int16_t>(middle));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    hwy::Prefetch(next + x);
    const auto samples = LoadSamples(d, from + x);
    hn::StoreU(sizeof(Sample) == 1 ? samples : hn::Sub(samples, middles), d, to + x);
  }
  for (; x < width; ++x) to[x] = static_cast<int16_t>(from[x] - middle);
  std::fill_n(to - space, space, to[0]);
  std::fill_n(to + width, space, to[width - 1]);
}

/// Where sums go. A copy that no store can reach, so that it stays in registers. kAom: not ScaleRounding::kUp.
template <bool kPaired, bool kAom>
class Words {
 public:
  explicit Words(const AcrossJob& job)
      : shift_(16 - job.bit_depth),
        to_samples_(job.Middle() - job.Half()),
        mask_(job.rounding == ScaleRounding::kWholeSamples ? -(1 << ScaleTaps::kBits) : -1),
        before_(job.before),
        to_(job.to) {}

  /// The low bits of words that are not paired are of no meaning.
  template <class D>
  HWY_INLINE void Store(D d, hn::Vec<D> sum, size_t at) const {
    if constexpr (kAom) {
      const auto if_negative = hn::ShiftRight<31>(hn::Add(sum, hn::Set(d, to_samples_)));
      sum = hn::And(hn::Add(sum, if_negative), hn::Set(d, mask_));
    }
    auto words = hn::ShiftLeftSame(sum, shift_);
    if constexpr (kPaired) {
      const hn::Repartition<int16_t, D> halves;
      const auto before = hn::ShiftRight<16>(hn::LoadU(d, before_ + at));
      words = hn::BitCast(d, hn::OddEven(hn::BitCast(halves, words), hn::BitCast(halves, before)));
    }
    hn::StoreU(words, d, to_ + at);
  }

 private:
  const int shift_;
  const int32_t to_samples_;  // the sum of samples that are not centered, without the half
  const int32_t mask_;
  const int32_t* const before_;
  int32_t* const to_;
};

/// `kEach` samples from each of `first` on: loads, which are quicker than a gather.
template <int kEach, class D>
HWY_INLINE hn::Vec<D> LoadEach(D d, const int16_t* row, const int32_t* first) {
  if constexpr (MaxLanes(D()) == kEach) {
    return hn::LoadU(d, row + *first);
  } else {
    const hn::Half<D> half;
    const auto lower = LoadEach<kEach>(half, row, first);
    return hn::Combine(d, LoadEach<kEach>(half, row, first + MaxLanes(D()) / kEach / 2), lower);
  }
}

struct FilterPairs {
  const CompactTaps& taps;

  template <class Words>
  void Run(const AcrossJob& job) const {
    const D16 d;
    const D32 d32;
    const Words words(job);
    const auto start = hn::Set(d32, job.Start());
    const size_t count = job.width, pairs = taps.pairs(), stride = taps.weights(1, 0) - taps.weights(0, 0);
    const int32_t* const firsts = taps.firsts(0);
    const int16_t *const places = taps.places(0), *const weights = taps.weights(0, 0);
    const int16_t* const row = job.row;
    for (size_t x = 0; x < count; x += hn::Lanes(d32)) {
      auto sum = start;
      const auto place = hn::LoadU(d, places + 2 * x);
      for (size_t p = 0; p < pairs; ++p) {
        const auto block = LoadEach<CompactTaps::kSamples>(d, row + 2 * p, firsts + x / CompactTaps::kBlock);
        sum = AddPairProducts(sum, hn::TableLookupBytes(block, place), hn::LoadU(d, weights + p * stride + 2 * x));
      }
      words.Store(d32, sum, x);
    }
  }
};

struct FilterAtOnce {
  const CompactTaps& taps;

  template <class Words>
  void Run(const AcrossJob& job) const {
    const D16 d;
    const D32 d32;
    const Words words(job);
    const auto start = hn::Set(d32, job.Start());
    const size_t count = job.width;
    const int32_t* const firsts = taps.firsts(0);
    const int16_t *const places = taps.places(0), *const more_places = taps.second_places(0);
    const int16_t *const weights = taps.weights(0, 0), *const more_weights = taps.weights(1, 0);
    const int16_t* const row = job.row;
    for (size_t x = 0; x < count; x += hn::Lanes(d32)) {
      const auto block = LoadEach<CompactTaps::kSamples>(d, row, firsts + x / CompactTaps::kBlock);
      const auto first = hn::TableLookupBytes(block, hn::LoadU(d, places + 2 * x));
      const auto second = hn::TableLookupBytes(block, hn::LoadU(d, more_places + 2 * x));
      auto sum = AddPairProducts(start, first, hn::LoadU(d, weights + 2 * x));
      sum = AddPairProducts(sum, second, hn::LoadU(d, more_weights + 2 * x));
      words.Store(d32, sum, x);
    }
  }
};

struct FilterHalving {
  const CompactTaps& taps;

  template <class Words>
  void Run(const AcrossJob& job) const {
    if (taps.pairs() == 4) return RunFour<Words>(job);
    const D16 d;
    const D32 d32;
    const Words words(job);
    const auto start = hn::Set(d32, job.Start());
    const size_t count = job.width, pairs = taps.pairs(), stride = taps.weights(1, 0) - taps.weights(0, 0);
    const int16_t *const row = job.row + *taps.firsts(0), *const weights = taps.weights(0, 0);
    for (size_t x = 0; x < count; x += hn::Lanes(d32)) {
      auto sum = start;
      for (size_t p = 0; p < pairs; ++p)
        sum = AddPairProducts(sum, hn::LoadU(d, row + 2 * (x + p)), hn::LoadU(d, weights + p * stride));
      words.Store(d32, sum, x);
    }
  }

  /// The weights stay in registers.
  template <class Words>
  void RunFour(const AcrossJob& job) const {
    const D16 d;
    const D32 d32;
    const Words words(job);
    const auto start = hn::Set(d32, job.Start());
    const auto w0 = TapPair(d, taps.weights(0, 0)[0], taps.weights(0, 0)[1]);
    const auto w1 = TapPair(d, taps.weights(1, 0)[0], taps.weights(1, 0)[1]);
    const auto w2 = TapPair(d, taps.weights(2, 0)[0], taps.weights(2, 0)[1]);
    const auto w3 = TapPair(d, taps.weights(3, 0)[0], taps.weights(3, 0)[1]);
    const size_t count = job.width;
    const int16_t* const row = job.row + *taps.firsts(0);
    for (size_t x = 0; x < count; x += hn::Lanes(d32)) {
      auto sum = AddPairProducts(start, hn::LoadU(d, row + 2 * x), w0);
      sum = AddPairProducts(sum, hn::LoadU(d, row + 2 * x + 2), w1);
      sum = AddPairProducts(sum, hn::LoadU(d, row + 2 * x + 4), w2);
      sum = AddPairProducts(sum, hn::LoadU(d, row + 2 * x + 6), w3);
      words.Store(d32, sum, x);
    }
  }
};

/// Filters with taps that lie further apart, as many results at a time as a vector has groups of taps.
struct FilterFar {
  const ScaleTaps& taps;

  template <class Words>
  void Run(const AcrossJob& job) const {
    const D32 d32;
    const D64 d64;
    const hn::Rebind<int32_t, D64> d_result;
    const hn::RebindToUnsigned<decltype(d_result)> d_unsigned;
    const Words words(job);
    const auto start = hn::Set(d32, job.Start());
    const int groups = (taps.used + ScaleTaps::kGroup - 1) / ScaleTaps::kGroup;
    for (int x = 0; x < job.width; x += static_cast<int>(hn::Lanes(d64))) {
      auto sum = hn::Zero(d32);
      for (int g = 0; g < groups; ++g) {
        const auto samples = LoadEach<ScaleTaps::kGroup>(D16(), job.row + g * ScaleTaps::kGroup, taps.first.data() + x);
        sum = AddPairProducts(sum, samples, hn::LoadU(D16(), taps.group(g) + x * ScaleTaps::kGroup));
      }
      const auto pairs = hn::BitCast(d64, sum);
      sum = hn::Add(hn::Add(sum, hn::BitCast(d32, hn::ShiftRight<32>(pairs))), start);
      const auto result = hn::TruncateTo(d_unsigned, hn::BitCast(hn::RebindToUnsigned<D64>(), sum));
      words.Store(d_result, hn::BitCast(d_result, result), x);
    }
  }
};

template <bool kAom, class Filter>
void RunRounded(const Filter& filter, const AcrossJob& job) {
  if (job.before) filter.template Run<Words<true, kAom>>(job);
  else filter.template Run<Words<false, kAom>>(job);
}

template <class Filter>
void RunAcross(const Filter& filter, const AcrossJob& job) {
  if (job.rounding == ScaleRounding::kUp) RunRounded<false>(filter, job);
  else RunRounded<true>(filter, job);
}

void FilterAcross(const ScaleTaps& taps, const CompactTaps& near, const AcrossJob& job) {
  switch (near.kind()) {
    case CompactTaps::Kind::kFar:
      return RunAcross(FilterFar{taps}, job);
    case CompactTaps::Kind::kPairs:
      return RunAcross(FilterPairs{near}, job);
    case CompactTaps::Kind::kAtOnce:
      return RunAcross(FilterAtOnce{near}, job);
    case CompactTaps::Kind::kHalving:
      return RunAcross(FilterHalving{near}, job);
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SCALE_ACROSS_INL_H_
