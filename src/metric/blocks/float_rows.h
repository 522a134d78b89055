// Rows of floats for a SIMD implementation: zeroed, aligned, with space that whole vectors may
// touch.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>

#include "image/picture.h"
#include "simd/aligned_memory.h"

namespace acutance {

class FloatRows {
 public:
  static constexpr int kMargin = 32;  // floats before and behind a row that may be read and written

  FloatRows(int rows, int width)
      : stride_(kLine * (((static_cast<size_t>(width) + kLine - 1) / kLine + 2 * kMargin / kLine) | 1)),
        floats_(AllocateVectors<float>(stride_ * rows)) {
    std::fill_n(floats_.get(), stride_ * rows, 0.0f);
  }

  float* Row(int row) { return floats_.get() + stride_ * row + kMargin; }
  const float* Row(int row) const { return floats_.get() + stride_ * row + kMargin; }
  ptrdiff_t stride_bytes() const { return static_cast<ptrdiff_t>(stride_ * sizeof(float)); }

 private:
  /// A row has an odd number of cache lines, so that rows below each other share no sets of a cache: at 1080p, rows of
  /// float_adm's bands would lie 4 KB apart.
  static constexpr size_t kLine = 16;

  size_t stride_;
  hwy::AlignedFreeUniquePtr<float[]> floats_;
};

/// A plane of such rows.
class PaddedPlane : public FloatRows {
 public:
  PaddedPlane(int width, int height) : FloatRows(height, width), width_(width), height_(height) {}

  Plane view() const { return {reinterpret_cast<const std::byte*>(Row(0)), stride_bytes(), width_, height_}; }

 private:
  int width_, height_;
};

}  // namespace acutance
