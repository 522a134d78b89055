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
namespace acutance::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kColumns = ssim::kStripColumns;

using D = hn::CappedTag<float, kColumns>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// Where 32 registers hold both sums of all windows that a line is in, and rounding is an instruction.
constexpr bool kSharesProducts = !HWY_ARCH_X86 || HWY_TARGET <= HWY_AVX3;

// a - b. Some processors with FMA add and multiply in different units; multiplying by 1 rounds nothing.
HWY_INLINE V Difference(V a, V b) { return HWY_NATIVE_FMA ? hn::MulSub(a, hn::Set(D(), 1.0f), b) : hn::Sub(a, b); }

// Asks for `count` samples from column `x` on of the row that comes 8 rows later: strips change the row too often for
// the hardware to follow.
template <class Sample>
HWY_INLINE void PrefetchRow(const Plane& plane, int row, int x, int count) {
  constexpr int kAhead = 16, kLine = 64 / sizeof(Sample);
  const Sample* next = plane.Row<Sample>(std::clamp(row + kAhead, 0, plane.height - 1)) + x;
  for (int i = 0; i < count; i += kLine) hwy::Prefetch(next + i);
}

// A vector of sums. g++ would add up `low` at the end, and the terms that wait for it do not fit its registers.
struct SplitSums {
  V high, low;

  HWY_INLINE explicit SplitSums(V anchor) : high(anchor), low(hn::Zero(D())) {}

  // Tap k: two taps give either unit five operations.
  template <int k>
  HWY_INLINE void Add(V value, V tap) {
    const V term = hn::Mul(value, tap);
    const V next = hn::Add(high, term);
    const V rounded = Difference(next, high);
    const V lost = k % 2 == 0 ? Difference(term, rounded) : hn::Sub(term, rounded);
    low = k == 0 ? lost : hn::Add(low, lost);
    high = next;
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128 && HWY_COMPILER_GCC_ACTUAL
    asm("" : "+v"(low.raw));
#endif
  }

  HWY_INLINE V Total(V anchor) const { return hn::Add(hn::Sub(high, anchor), low); }
};

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_SSIM_SSIM_SPLIT_INL_H_
