// Sums of floats in two (split_add of ssim_math.kernel.h) as vectors. Included once per instruction set.
#if defined(ACUTANCE_METRIC_SSIM_SSIM_SPLIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_SSIM_SSIM_SPLIT_INL_H_
#undef ACUTANCE_METRIC_SSIM_SSIM_SPLIT_INL_H_
#else
#define ACUTANCE_METRIC_SSIM_SSIM_SPLIT_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "metric/ssim/ssim.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kColumns = ssim::kStripColumns;

using D = hn::CappedTag<float, kColumns>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// a - b. Processors with FMA add and multiply in different units; multiplying by 1 rounds nothing.
HWY_INLINE V Difference(V a, V b) { return HWY_NATIVE_FMA ? hn::MulSub(a, hn::Set(D(), 1.0f), b) : hn::Sub(a, b); }

// Asks for `count` samples from column `x` on of the row that comes 8 rows later: strips change the row too often for
// the hardware to follow.
template <class Sample>
HWY_INLINE void PrefetchRow(const Plane& plane, int row, int x, int count) {
  constexpr int kAhead = 8, kLine = 64 / sizeof(Sample);
  const Sample* next = plane.Row<Sample>(std::clamp(row + kAhead, 0, plane.height - 1)) + x;
  for (int i = 0; i < count; i += kLine) hwy::Prefetch(next + i);
}

// Two vectors of sums, which advance side by side to hide the latency of each.
struct SplitSums {
  V high[2], low[2];

  HWY_INLINE explicit SplitSums(V anchor) {
    for (int i = 0; i < 2; ++i) {
      high[i] = anchor;
      low[i] = hn::Zero(D());
    }
  }

  HWY_INLINE void Add(const float* values, V tap) {
    for (int i = 0; i < 2; ++i) {
      const V term = hn::Mul(hn::LoadU(D(), values + i * kLanes), tap);
      const V next = hn::Add(high[i], term);
      low[i] = hn::Add(low[i], Difference(term, Difference(next, high[i])));
      high[i] = next;
    }
  }

  HWY_INLINE void StoreTotals(V anchor, float* totals) const {
    for (int i = 0; i < 2; ++i) hn::StoreU(hn::Add(hn::Sub(high[i], anchor), low[i]), D(), totals + i * kLanes);
  }

  // split_high and the lower part.
  HWY_INLINE void StoreParts(V anchor, float* highs, float* lows) const {
    for (int i = 0; i < 2; ++i) {
      hn::StoreU(hn::Sub(high[i], anchor), D(), highs + i * kLanes);
      hn::StoreU(low[i], D(), lows + i * kLanes);
    }
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_SSIM_SSIM_SPLIT_INL_H_
