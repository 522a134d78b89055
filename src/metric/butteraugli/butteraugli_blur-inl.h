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
#include "metric/butteraugli/butteraugli_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

/// Uses the weights of columns that the border cuts off.
template <int radius>
class BorderedBlur {
 public:
  explicit BorderedBlur(const ButteraugliBlur& weights) : weights_(weights) {
    for (int column = 0; column < radius; ++column) {
      for (int j = 0; j < 2 * radius; ++j) {
        const int from_left = j - column + radius, from_right = j - column;
        if (from_left <= 2 * radius) left_[j][column] = weights.whole[from_left];
        if (from_right >= 0) right_[j][column] = weights.whole[from_right];
      }
      left_share_[column] = weights.Share(column, 2 * radius + 1);
      right_share_[column] = weights.Share(column + radius + 1, 2 * radius + 1);
    }
  }

  const ButteraugliBlur& weights() const { return weights_; }

  /// The first and the last columns of a row of more than 2 * radius. Weights of samples that a column does not have
  /// are 0, which changes no sum.
  void Borders(const RowLayout& layout, const float* row, float* to) const {
    const int *first = layout.first.data(), *end = layout.last.data() + RowLayout::kEdge;
    VF left[kVectors], right[kVectors];
    for (int v = 0; v < kVectors; ++v) left[v] = right[v] = hn::Zero(DF());
    for (int j = 0; j < 2 * radius; ++j) {
      const VF from_left = Number(row[first[j]]), from_right = Number(row[end[j - 2 * radius]]);
      for (int v = 0; v < kVectors; ++v) {
        left[v] = hn::Add(left[v], hn::Mul(from_left, Load(left_[j] + v * kLanes)));
        right[v] = hn::Add(right[v], hn::Mul(from_right, Load(right_[j] + v * kLanes)));
      }
    }
    HWY_ALIGN float columns[2][kColumns];
    for (int v = 0; v < kVectors; ++v) {
      Store(hn::Mul(left[v], Load(left_share_ + v * kLanes)), columns[0] + v * kLanes);
      Store(hn::Mul(right[v], Load(right_share_ + v * kLanes)), columns[1] + v * kLanes);
    }
    for (int x = 0; x < radius; ++x) {
      to[first[x]] = columns[0][x];
      to[end[x - radius]] = columns[1][x];
    }
  }

 private:
  static constexpr int kVectors = (radius + kLanes - 1) / kLanes, kColumns = kVectors * kLanes;

  const ButteraugliBlur& weights_;
  float left_[2 * radius][kColumns] = {}, right_[2 * radius][kColumns] = {};  // [sample][column]
  float left_share_[kColumns] = {}, right_share_[kColumns] = {};
};

struct Blurs {
  const ButteraugliBlur& around = GetButteraugliConstants().around;
  const BorderedBlur<3> highest{GetButteraugliConstants().highest};
  const BorderedBlur<6> mask{GetButteraugliConstants().mask};
  const BorderedBlur<7> high{GetButteraugliConstants().high};
  const BorderedBlur<16> low{GetButteraugliConstants().low};
};

/// The blurs of `count` samples beside each other, whose weighted pairs add up in parts.
template <int radius, int count>
class BlurSums {
 public:
  /// `at(i)` loads sample i of 2 * radius + count: each is loaded once on its way inwards from the left, and once from
  /// the right.
  template <class At>
  HWY_INLINE BlurSums(const float* weights, At at) {
    for (int i = 0; i < count; ++i) {
      left_[i] = at(i);
      right_[(2 * radius + i) % count] = at(2 * radius + i);
    }
    AddPairs<0>(weights, at);
  }

  HWY_INLINE VF Sum(const float* weights, int i) const {
    VF sum = hn::Mul(left_[(radius + i) % count], Number(weights[radius]));
    for (int part = 0; part < kParts; ++part) sum = hn::Add(sum, parts_[i][part]);
    return sum;
  }

 private:
  static constexpr int kParts = radius == 3 ? 3 : 4;

  template <int j, class At>
  HWY_INLINE void AddPairs(const float* weights, At at) {
    if constexpr (j < radius) {
      const VF weight = Number(weights[j]);
      for (int i = 0; i < count; ++i) {
        const VF pair = hn::Mul(hn::Add(left_[(j + i) % count], right_[(2 * radius - j + i) % count]), weight);
        parts_[i][j % kParts] = j < kParts ? pair : hn::Add(parts_[i][j % kParts], pair);
      }
      left_[j % count] = at(j + count);
      right_[(2 * radius - j - 1) % count] = at(2 * radius - j - 1);
      AddPairs<j + 1>(weights, at);
    }
  }

  VF left_[count], right_[count];  // sample i at i % count
  VF parts_[count][kParts];
};

/// Columns [x, stop) of `count` rows beside each other, of which all rows around exist.
template <int radius, int count>
void BlurRows(const ButteraugliBlur& blur, const float* const* rows, int x, int stop, float* const (&to)[count]) {
  const float* weights = blur.inside.data();
  for (; x < stop; x += kLanes) {
    const BlurSums<radius, count> sums(weights, [&](int i) HWY_ATTR { return Load(rows[i] + x); });
    for (int i = 0; i < count; ++i) Store(sums.Sum(weights, i), to[i] + x);
  }
}

/// The same of one row. Weights and addresses of rows serve several vectors, which leaves 16 registers enough to do.
template <int radius>
void BlurRow(const ButteraugliBlur& blur, const float* const* rows, int x, int stop, float* to) {
  constexpr int kParts = radius == 3 ? 3 : 4, kVectors = 4;
  const float* weights = blur.inside.data();
  for (; x < stop; x += kVectors * kLanes) {
    const auto at = [&](int j, int i) HWY_ATTR { return Load(rows[j] + x + i * kLanes); };
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
    for (int i = 0; i < kVectors; ++i) Store(sums[i], to + x + i * kLanes);
  }
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

/// Blurs rows that are not wider than the blur.
inline void BlurNarrow(const ButteraugliBlur& blur, const RowLayout& layout, const float* row, float* to) {
  for (int x = 0; x < layout.width; ++x) {
    const int begin = std::max(0, x - blur.radius), end = std::min(layout.width, x + blur.radius + 1);
    float sum = 0.0f;
    for (int j = begin; j < end; ++j) sum += row[layout.Place(j)] * blur.whole[j - x + blur.radius];
    to[layout.Place(x)] = sum * blur.Share(x, layout.width);
  }
}

/// `row` gets what the blur reads beside it.
template <int radius>
void BlurAcross(const BorderedBlur<radius>& blur, const RowLayout& layout, float* row, float* to) {
  if (layout.width <= 2 * radius) return BlurNarrow(blur.weights(), layout, row, to);
  Surround(layout, 0.0f, radius, row);
  const float* weights = blur.weights().inside.data();
  for (int x = 0; x < layout.floats(); x += kTogether * kLanes) {
    const float* from = row + x - radius * kLanes;
    const BlurSums<radius, kTogether> sums(weights, [&](int i) HWY_ATTR { return Load(from + i * kLanes); });
    for (int i = 0; i < kTogether; ++i) Store(sums.Sum(weights, i), to + x + i * kLanes);
  }
  blur.Borders(layout, row, to);
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
