// Blurs of rows and columns, as vectors. Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_BLUR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_BLUR_INL_H_
#undef ACUTANCE_BUTTERAUGLI_BLUR_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_BLUR_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "metric/butteraugli/butteraugli.h"
#include "metric/butteraugli/butteraugli_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

/// With the weights of columns that the border cuts off.
class BorderedBlur {
 public:
  explicit BorderedBlur(const ButteraugliBlur& weights) : weights_(weights) {
    const int radius = weights.radius, size = 2 * radius;
    left_.resize(static_cast<size_t>(size) * kColumns);
    right_.resize(left_.size());
    for (int column = 0; column < radius; ++column) {
      for (int j = 0; j < size; ++j) {
        const int from_left = j - column + radius, from_right = j - column;
        if (from_left <= 2 * radius) left_[static_cast<size_t>(j) * kColumns + column] = weights.whole[from_left];
        if (from_right >= 0) right_[static_cast<size_t>(j) * kColumns + column] = weights.whole[from_right];
      }
      left_share_[column] = weights.Share(column, 2 * radius + 1);
      right_share_[column] = weights.Share(column + radius + 1, 2 * radius + 1);
    }
  }

  const ButteraugliBlur& weights() const { return weights_; }

  /// The first or last columns of a row of more than 2 * radius.
  void Left(const float* row, float* to) const { Columns(row, left_, left_share_, to); }
  void Right(const float* row, int width, float* to) const {
    Columns(row + width - 2 * weights_.radius, right_, right_share_, to + width - weights_.radius);
  }

 private:
  static constexpr int kColumns = 16;  // as many as the largest radius

  /// Weights of samples that a column does not have are 0, which changes no sum.
  void Columns(const float* from, const std::vector<float>& factors, const float* shares, float* to) const {
    for (int x = 0; x < weights_.radius; x += kLanes) {
      VF sum = hn::Zero(DF());
      for (int j = 0; j < 2 * weights_.radius; ++j)
        sum = hn::Add(sum, hn::Mul(Number(from[j]), Load(factors.data() + static_cast<size_t>(j) * kColumns + x)));
      Store(hn::Mul(sum, Load(shares + x)), to + x);
    }
  }

  const ButteraugliBlur& weights_;
  std::vector<float> left_, right_;  // [sample][column]
  float left_share_[kColumns] = {}, right_share_[kColumns] = {};
};

struct Blurs {
  const ButteraugliBlur& around = GetButteraugliConstants().around;
  const BorderedBlur highest{GetButteraugliConstants().highest}, mask{GetButteraugliConstants().mask},
      high{GetButteraugliConstants().high}, low{GetButteraugliConstants().low};
};

/// `at(j, i)`: vector i of sample j of 2 * radius + 1.
template <int radius, class At>
HWY_INLINE void BlurVectors(const float* weights, At at, float* to) {
  constexpr int kParts = radius == 3 ? 3 : 4;
  VF sums[kVectors], part[kVectors];
  const VF of_centre = Number(weights[radius]);
  for (int i = 0; i < kVectors; ++i) sums[i] = hn::Mul(at(radius, i), of_centre);
  HWY_UNROLL(4)
  for (int m = 0; m < kParts; ++m) {
    HWY_UNROLL(4)
    for (int j = m; j < radius; j += kParts) {
      const VF weight = Number(weights[j]);
      for (int i = 0; i < kVectors; ++i) {
        const VF pair = hn::Mul(hn::Add(at(j, i), at(2 * radius - j, i)), weight);
        part[i] = j == m ? pair : hn::Add(part[i], pair);
      }
    }
    for (int i = 0; i < kVectors; ++i) sums[i] = hn::Add(sums[i], part[i]);
  }
  for (int i = 0; i < kVectors; ++i) Store(sums[i], to + i * kLanes);
}

/// Columns [x, stop) of a row of which all rows around exist.
template <int radius>
void BlurInside(const BorderedBlur& blur, const float* const* rows, int x, int stop, float* to) {
  const float* weights = blur.weights().inside.data();
  for (; x < stop; x += kVectors * kLanes)
    BlurVectors<radius>(
        weights, [&](int j, int i) { return Load(rows[j] + x + i * kLanes); }, to + x);
}

/// Where only `count` rows exist, from row `first` of those around.
inline void BlurCutOff(const ButteraugliBlur& blur, const float* const* rows, int first, int count, float share, int x,
                       int stop, float* to) {
  for (; x < stop; x += kLanes) {
    VF sum = hn::Zero(DF());
    for (int j = 0; j < count; ++j) sum = hn::Add(sum, hn::Mul(Load(rows[j] + x), Number(blur.whole[first + j])));
    Store(hn::Mul(sum, Number(share)), to + x);
  }
}

/// Of rows that are not wider than the blur.
inline void BlurNarrow(const ButteraugliBlur& blur, const float* row, int width, float* to) {
  for (int x = 0; x < width; ++x) {
    const int begin = std::max(0, x - blur.radius), end = std::min(width, x + blur.radius + 1);
    float sum = 0.0f;
    for (int j = begin; j < end; ++j) sum += row[j] * blur.whole[j - x + blur.radius];
    to[x] = sum * blur.Share(x, width);
  }
}

template <int radius>
void BlurAcross(const BorderedBlur& blur, const float* row, int width, float* to) {
  if (width <= 2 * radius) return BlurNarrow(blur.weights(), row, width, to);
  const float* weights = blur.weights().inside.data();
  blur.Left(row, to);
  for (int x = radius; x < width - radius; x += kVectors * kLanes)
    BlurVectors<radius>(
        weights, [&](int j, int i) { return Load(row + x + j - radius + i * kLanes); }, to + x);
  blur.Right(row, width, to);
}

/// The light around pixels, of five rows; or of five columns, as rows that begin at them.
inline void BlurAround(const ButteraugliBlur& blur, const float* const (&rows)[5], int x, int stop, float* to) {
  const VF outer = Number(blur.inside[0]), inner = Number(blur.inside[1]), centre = Number(blur.inside[2]);
  for (; x < stop; x += kLanes) {
    const VF near =
        hn::MulAdd(hn::Add(Load(rows[1] + x), Load(rows[3] + x)), inner, hn::Mul(Load(rows[2] + x), centre));
    Store(hn::MulAdd(hn::Add(Load(rows[0] + x), Load(rows[4] + x)), outer, near), to + x);
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_BLUR_INL_H_
