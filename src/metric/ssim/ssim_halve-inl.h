// Halves of samples that are not dark: down the columns first, as sums of whole numbers of a grid and of what is
// rounded off. Rows of the table that mirror each other share their products. README.md says why the bits are those of
// the other order. Included once per instruction set.
#if defined(ACUTANCE_METRIC_SSIM_SSIM_HALVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_SSIM_SSIM_HALVE_INL_H_
#undef ACUTANCE_METRIC_SSIM_SSIM_HALVE_INL_H_
#else
#define ACUTANCE_METRIC_SSIM_SSIM_HALVE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "metric/ssim/ssim_rows.h"
#include "metric/ssim/ssim_split-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

constexpr int kRadius = 4;                // of the halving filter
constexpr int kDistances = kRadius + 1;   // from its middle
constexpr int kOpenHalves = 5;            // rows of halves that meet a pair of rows
constexpr float kHalvingStep = 0x1p-14f;  // of the grid

// Taps of one column of the table, by the distance of the row, divided by the grid's step.
struct HalvingTaps {
  alignas(64) float taps[kDistances][kLanes];

  explicit HalvingTaps(int column) {
    for (int row = 0; row < kDistances; ++row)
      for (float& tap : taps[row]) tap = ssim::kHalvingTaps[kDistances * row + column] / kHalvingStep;
  }
};

// Both sums of the rows of halves that are open: row y at y % 5. Rows 2q and 2q + 1 meet halves q - 2 to q + 2.
struct OpenHalves {
  V high[kOpenHalves], low[kOpenHalves];

  // A product for two rows of halves, `first` and `second` below the pair's, of which the first may begin with it.
  template <int phase, int first, int second, bool kBegins, bool kFused>
  HWY_INLINE void Add(V value, const float* taps) {
    const V term = hn::Mul(value, hn::Load(D(), taps));
    const V whole = hn::Round(term);
    const V lost = Difference(term, whole);
    if constexpr (first != second) AddTo<Slot(phase + second), kFused>(whole, lost);
    if constexpr (kBegins) {
      high[Slot(phase + first)] = whole;
      low[Slot(phase + first)] = lost;
    } else {
      AddTo<Slot(phase + first), kFused>(whole, lost);
    }
  }

  template <int slot, bool kFused>
  HWY_INLINE void AddTo(V whole, V lost) {
    high[slot] = hn::Add(high[slot], whole);
    low[slot] = kFused && HWY_NATIVE_FMA ? hn::MulAdd(lost, hn::Set(D(), 1.0f), low[slot]) : hn::Add(low[slot], lost);
  }

  static constexpr int Slot(int row) { return (row + kOpenHalves) % kOpenHalves; }

  // What the next pair of rows meets again. phase: of that pair.
  static constexpr int kKept = kOpenHalves - 1;
  HWY_INLINE void Load(const float* from, ptrdiff_t step) {
    for (int i = 0; i < kKept; ++i) {
      high[Slot(i - 2)] = hn::Load(D(), from + 2 * i * step);
      low[Slot(i - 2)] = hn::Load(D(), from + (2 * i + 1) * step);
    }
  }
  HWY_INLINE void Save(float* to, ptrdiff_t step) const {
    for (int i = 0; i < kKept; ++i) {
      hn::Store(high[Slot(i - 2)], D(), to + 2 * i * step);
      hn::Store(low[Slot(i - 2)], D(), to + (2 * i + 1) * step);
    }
  }
};

// Columns of both rows of pairs, and where pair q writes both sums of halves q - 2.
struct HalvingColumns {
  const float* rows;
  ptrdiff_t row_step;
  const float* taps;
  float* sums;
  ptrdiff_t sums_step;
};

// Pairs from one on whose number is `phase` modulo 5.
template <int phase>
HWY_INLINE void AddPairs(HalvingColumns& c, OpenHalves& open) {
  const V even = hn::Load(D(), c.rows + 2 * phase * c.row_step);
  open.Add<phase, 2, -2, true, true>(even, c.taps + 4 * kLanes);
  float* const sums = c.sums + phase * c.sums_step;
  hn::Store(open.high[OpenHalves::Slot(phase - 2 + kOpenHalves)], D(), sums);
  hn::Store(open.low[OpenHalves::Slot(phase - 2 + kOpenHalves)], D(), sums + SsimRows::kHalvingWidth);
  open.Add<phase, 1, -1, false, true>(even, c.taps + 2 * kLanes);
  open.Add<phase, 0, 0, false, false>(even, c.taps);
  const V odd = hn::Load(D(), c.rows + (2 * phase + 1) * c.row_step);
  open.Add<phase, 2, -1, false, true>(odd, c.taps + 3 * kLanes);
  open.Add<phase, 1, 0, false, false>(odd, c.taps + kLanes);
  if constexpr (phase + 1 < kOpenHalves) AddPairs<phase + 1>(c, open);
}

// Five pairs of rows after those of the call before, whose open sums are in `kept`.
HWY_NOINLINE void HalveColumns(HalvingColumns columns, float* kept, ptrdiff_t kept_step) {
  OpenHalves open;
  open.Load(kept, kept_step);
  AddPairs<0>(columns, open);
  open.Save(kept, kept_step);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_SSIM_SSIM_HALVE_INL_H_
