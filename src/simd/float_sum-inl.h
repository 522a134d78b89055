// Exact sums of floats that are whole numbers. Included once per instruction set.
#if defined(ACUTANCE_SIMD_FLOAT_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_SIMD_FLOAT_SUM_INL_H_
#undef ACUTANCE_SIMD_FLOAT_SUM_INL_H_
#else
#define ACUTANCE_SIMD_FLOAT_SUM_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR  // one lane has no halves

/// A sum of floats that are whole numbers. It is exact below 2^53, in any order.
class WholeSum {
 public:
  using D = hn::ScalableTag<float>;

  HWY_INLINE WholeSum() : lower_(hn::Zero(D64())), upper_(hn::Zero(D64())) {}

  HWY_INLINE void Add(hn::Vec<D> values) {
    const hn::Half<D> half;
    lower_ = hn::Add(lower_, hn::PromoteTo(D64(), hn::LowerHalf(half, values)));
    upper_ = hn::Add(upper_, hn::PromoteTo(D64(), hn::UpperHalf(half, values)));
  }
  HWY_INLINE int64_t Total() const {
    return static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(D64(), hn::Add(lower_, upper_))));
  }

 private:
  using D64 = hn::RepartitionToWide<D>;
  hn::Vec<D64> lower_, upper_;
};

#endif

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_SIMD_FLOAT_SUM_INL_H_
