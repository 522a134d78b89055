// Rows of samples for a SIMD implementation: zeroed, aligned, with space that whole vectors may touch.
#pragma once

#include <cstddef>

#include "image/picture.h"
#include "simd/aligned_memory.h"

namespace acutance {

/// kMargin: values before and behind a row that may be read and written.
template <class T, int kMargin = 32>
class PaddedRows {
 public:
  PaddedRows(int rows, int width)
      : stride_(kLine * (((static_cast<size_t>(width) + kLine - 1) / kLine + 2 * kMargin / kLine) | 1)),
        values_(stride_ * rows) {}

  T* Row(int row) { return values_.data() + stride_ * row + kMargin; }
  const T* Row(int row) const { return values_.data() + stride_ * row + kMargin; }
  ptrdiff_t stride() const { return static_cast<ptrdiff_t>(stride_); }

 private:
  /// A row has an odd number of cache lines, so that rows below each other share no sets of a cache: at 1080p, rows of
  /// float_adm's bands would lie 4 KB apart.
  static constexpr size_t kLine = 64 / sizeof(T);

  size_t stride_;  // values from row to row
  AlignedArray<T> values_;
};
using FloatRows = PaddedRows<float>;

/// A plane of such rows.
template <class T>
class PaddedPlaneOf : public PaddedRows<T> {
 public:
  PaddedPlaneOf(int width, int height) : PaddedRows<T>(height, width), width_(width), height_(height) {}

  Plane view() const {
    const ptrdiff_t stride_bytes = this->stride() * static_cast<ptrdiff_t>(sizeof(T));
    return {reinterpret_cast<const std::byte*>(this->Row(0)), stride_bytes, width_, height_};
  }

 private:
  int width_, height_;
};
using PaddedPlane = PaddedPlaneOf<float>;

}  // namespace acutance
