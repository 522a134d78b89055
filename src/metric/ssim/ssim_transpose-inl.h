// Rows of floats to vectors of a column, and back. Included once per instruction set.
#if defined(ACUTANCE_METRIC_SSIM_SSIM_TURN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_METRIC_SSIM_SSIM_TURN_INL_H_
#undef ACUTANCE_METRIC_SSIM_SSIM_TURN_INL_H_
#else
#define ACUTANCE_METRIC_SSIM_SSIM_TURN_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "metric/ssim/ssim_split-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

// Four floats of every fourth row, in blocks of 128 bits.
template <class DN>
HWY_INLINE hn::Vec<DN> LoadBlocks(DN d, const float* from, ptrdiff_t row_step) {
  if constexpr (hn::MaxLanes(DN()) == 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<DN> half;
    constexpr int kHalf = static_cast<int>(hn::MaxLanes(DN()) / 2);
    return hn::Combine(d, LoadBlocks(half, from + kHalf * row_step, row_step), LoadBlocks(half, from, row_step));
  }
}

template <class DN>
HWY_INLINE void StoreBlocks(hn::Vec<DN> blocks, DN d, float* to, ptrdiff_t row_step) {
  if constexpr (hn::MaxLanes(DN()) == 4) {
    hn::StoreU(blocks, d, to);
  } else {
    const hn::Half<DN> half;
    constexpr int kHalf = static_cast<int>(hn::MaxLanes(DN()) / 2);
    StoreBlocks(hn::LowerHalf(half, blocks), half, to, row_step);
    StoreBlocks(hn::UpperHalf(half, blocks), half, to + kHalf * row_step, row_step);
  }
}

// The 4x4 numbers of each block, mirrored about the diagonal.
HWY_INLINE void TurnBlocks(V (&v)[4]) {
  const D d;
  const V even_low = hn::InterleaveLower(d, v[0], v[2]), odd_low = hn::InterleaveLower(d, v[1], v[3]);
  const V even_high = hn::InterleaveUpper(d, v[0], v[2]), odd_high = hn::InterleaveUpper(d, v[1], v[3]);
  v[0] = hn::InterleaveLower(d, even_low, odd_low);
  v[1] = hn::InterleaveUpper(d, even_low, odd_low);
  v[2] = hn::InterleaveLower(d, even_high, odd_high);
  v[3] = hn::InterleaveUpper(d, even_high, odd_high);
}

// `columns` numbers, rounded up to four, of as many rows as a vector has lanes: vector x of `to` is column x.
inline void RowsToColumns(const float* from, ptrdiff_t row_step, int columns, float* to) {
  for (int x = 0; x < columns; x += 4) {
    V v[4];
    for (int j = 0; j < 4; ++j) v[j] = LoadBlocks(D(), from + j * row_step + x, row_step);
    TurnBlocks(v);
    for (int j = 0; j < 4; ++j) hn::Store(v[j], D(), to + (x + j) * kLanes);
  }
}

inline void ColumnsToRows(const float* from, int columns, float* to, ptrdiff_t row_step) {
  for (int x = 0; x < columns; x += 4) {
    V v[4];
    for (int j = 0; j < 4; ++j) v[j] = hn::Load(D(), from + (x + j) * kLanes);
    TurnBlocks(v);
    for (int j = 0; j < 4; ++j) StoreBlocks(v[j], D(), to + j * row_step + x, row_step);
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_METRIC_SSIM_SSIM_TURN_INL_H_
