// Running sums of a filter for several outputs at a time. Included once per instruction set.
#if defined(ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_FILTER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_FILTER_INL_H_
#undef ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_FILTER_INL_H_
#else
#define ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_FILTER_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "metric/float_vif/float_vif.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR  // one lane has no doubles beside floats

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;  // FloatRows has space for what stands out
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kMoments = 5;
constexpr int kBlock = 8;  // running sums of neighbouring outputs, which do not wait for each other
constexpr int kBlockRows = std::min(kBlock, kLanes);
constexpr int kMaxTaps = 69;  // 17 * 4, odd
constexpr int kMaxLanes = FloatVifBuffers::kMaxLanes;

HWY_INLINE V Set(float x) { return hn::Set(D(), x); }

/// A filter's taps, each in all lanes, between zeros.
class TapVectors {
 public:
  explicit TapVectors(const std::vector<float>& taps) : count_(static_cast<int>(taps.size())) {
    for (int k = 0; k < count_; ++k)
      for (int lane = 0; lane < kLanes; ++lane) lanes_[kBlock + k][lane] = taps[k];
  }

  int count() const { return count_; }

  /// Tap k, behind those before it. g++ must not know which: it would keep taps in registers that sums need.
  HWY_INLINE const float* At(int k) const {
    const float* tap = lanes_[kBlock + k];
#if HWY_COMPILER_GCC_ACTUAL
    asm("" : "+r"(tap));
#endif
    return tap;
  }

 private:
  alignas(64) float lanes_[kMaxTaps + 2 * kBlock][kLanes] = {};
  int count_;
};

// Recursions instead of loops: compilers keep in registers what they need not unroll.

template <int i = 0, int n>
HWY_INLINE void Clear(V (&sums)[n]) {
  sums[i] = hn::Zero(D());
  if constexpr (i + 1 < n) Clear<i + 1>(sums);
}

/// Adds a value to the outputs [first, last) of n; `taps` is the first one's tap, those of the others lie before it.
template <int first, int last, int n>
HWY_INLINE void AddPosition(const float* taps, V value, V (&sums)[n]) {
  sums[first] = hn::Add(sums[first], hn::Mul(value, hn::Load(D(), taps)));
  if constexpr (first + 1 < last) AddPosition<first + 1, last>(taps - kLanes, value, sums);
}

/// The positions from j on that fewer than n outputs have begun with.
template <int j, int n, class Load>
HWY_INLINE void AddFirst(const TapVectors& taps, Load load, V (&sums)[n]) {
  if constexpr (j < n - 1) {
    AddPosition<0, j + 1>(taps.At(j), load(j), sums);
    AddFirst<j + 1>(taps, load, sums);
  }
}

/// The positions of the last taps: `done` outputs have all of theirs.
template <int done, int n, class Load>
HWY_INLINE void AddLast(const TapVectors& taps, Load load, V (&sums)[n]) {
  if constexpr (done < n) {
    AddPosition<done, n>(taps.At(taps.count() - 1), load(taps.count() + done - 1), sums);
    AddLast<done + 1>(taps, load, sums);
  }
}

/// The running sums of taps[k] * load(i + k) for the outputs i of n. Each value serves all of them. Short filters are
/// as long as their zeros make them, which leave a sum as it is: it is never -0.
template <int n, class Load>
HWY_INLINE void Filter(const TapVectors& taps, Load load, V (&sums)[n]) {
  Clear(sums);
  if (taps.count() < n) {
    for (int j = 0; j < taps.count() + n - 1; ++j) AddPosition<0, n>(taps.At(j), load(j), sums);
    return;
  }
  AddFirst<0>(taps, load, sums);
  for (int j = n - 1; j < taps.count(); ++j) AddPosition<0, n>(taps.At(j), load(j), sums);
  AddLast<1>(taps, load, sums);
}

/// Stores the transpose: lane c of v[r] goes to to[c * kLanes + r].
template <class Vector>
HWY_INLINE void StoreBlocks(Vector v, float* to) {
  const hn::DFromV<Vector> d;
  if constexpr (hn::MaxLanes(d) == 4) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<decltype(d)> half;
    StoreBlocks(hn::LowerHalf(half, v), to);
    StoreBlocks(hn::UpperHalf(half, v), to + hn::MaxLanes(half) * kLanes);
  }
}

template <int first = 0, int n>
HWY_INLINE void StoreTransposed(const V (&v)[n], float* to) {
  const V even0 = hn::InterleaveLower(D(), v[first], v[first + 2]);
  const V even1 = hn::InterleaveUpper(D(), v[first], v[first + 2]);
  const V odd0 = hn::InterleaveLower(D(), v[first + 1], v[first + 3]);
  const V odd1 = hn::InterleaveUpper(D(), v[first + 1], v[first + 3]);
  StoreBlocks(hn::InterleaveLower(D(), even0, odd0), to + first);
  StoreBlocks(hn::InterleaveUpper(D(), even0, odd0), to + first + kLanes);
  StoreBlocks(hn::InterleaveLower(D(), even1, odd1), to + first + 2 * kLanes);
  StoreBlocks(hn::InterleaveUpper(D(), even1, odd1), to + first + 3 * kLanes);
  if constexpr (first + 4 < n) StoreTransposed<first + 4>(v, to);
}

template <int i = 0, int n>
HWY_INLINE void StoreAll(const V (&v)[n], float* to) {
  hn::Store(v[i], D(), to + i * kLanes);
  if constexpr (i + 1 < n) StoreAll<i + 1>(v, to);
}

// One function for each kind of values, which a compiler does not mix with others: it has too few registers.

/// Of kBlockRows rows, the running sums down kLanes columns from x on, transposed.
HWY_NOINLINE void FilterRows(const TapVectors& taps, const float* const* rows, int x, float* to) {
  V sums[kBlockRows];
  Filter(
      taps, [&](int j) HWY_ATTR { return hn::LoadU(D(), rows[j] + x); }, sums);
  StoreTransposed(sums, to);
}

/// Those of products of samples.
HWY_NOINLINE void FilterProducts(const TapVectors& taps, const float* const* a, const float* const* b, int x,
                                 float* to) {
  V sums[kBlockRows];
  Filter(
      taps, [&](int j) HWY_ATTR { return hn::Mul(hn::LoadU(D(), a[j] + x), hn::LoadU(D(), b[j] + x)); }, sums);
  StoreTransposed(sums, to);
}

/// Of kBlock columns, whose rows are in lanes.
HWY_NOINLINE void FilterAcross(const TapVectors& taps, const float* columns, float* to) {
  V sums[kBlock];
  Filter(
      taps, [&](int j) HWY_ATTR { return hn::LoadU(D(), columns + j * kLanes); }, sums);
  StoreAll(sums, to);
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_FLOAT_VIF_FLOAT_VIF_FILTER_INL_H_
