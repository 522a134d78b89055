// What the SIMD files of butteraugli share. Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
#undef ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <vector>

#include "metric/butteraugli/butteraugli.h"
#include "simd/aligned_memory.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));
/// Neighbours that are blurred together: as many as the registers hold, of which AVX2 has 16 and others 32.
constexpr int kTogether = kLanes == 8 ? 2 : 4;

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Load(const float* from) { return hn::LoadU(DF(), from); }
HWY_INLINE void Store(VF value, float* to) { hn::StoreU(value, DF(), to); }

// --- How rows lie in memory.

/// A row is divided into as many pieces as a vector has lanes, and its vector i holds column i of each piece. Columns
/// next to each other lie in vectors next to each other, so that no load crosses a line of the cache, and what was
/// loaded for one column serves the next.
struct RowLayout {
  static constexpr int kEdge = 32;  // twice the largest radius

  RowLayout() = default;
  explicit RowLayout(int row_width) : width(row_width), vectors((row_width + kLanes - 1) / kLanes) {
    for (int i = 0; i < std::min(kEdge, width); ++i) {
      first[i] = Place(i);
      last[kEdge - 1 - i] = Place(width - 1 - i);
    }
  }

  int floats() const { return vectors * kLanes; }
  int Place(int column) const { return column % vectors * kLanes + column / vectors; }

  int width = 0, vectors = 0;
  std::array<int, kEdge> first{}, last{};  // where the outermost columns lie
};

/// Rows that follow each other, with `margin` vectors more on both sides and space for those that loops write beyond
/// the last one. They lie an odd number of cache lines apart, so that those around one do not all fall into the same
/// sets of a cache.
class RowRing {
 public:
  RowRing(int width, int rows, int margin = 0)
      : left_(margin * kLanes),
        pitch_(16 * ((RowLayout(width).floats() + 2 * left_ + kBeyond * kLanes + 15) / 16 | 1)),
        rows_(rows),
        samples_(AllocateVectors<float>(static_cast<size_t>(pitch_) * rows)) {
    std::fill_n(samples_.get(), static_cast<size_t>(pitch_) * rows, 0.0f);
  }

  /// y is at least -rows.
  float* Row(int y) const { return samples_.get() + static_cast<size_t>((y + rows_) % rows_) * pitch_ + left_; }

 private:
  static constexpr int kBeyond = 4;

  int left_, pitch_, rows_;
  hwy::AlignedFreeUniquePtr<float[]> samples_;
};

/// Columns that fill the last vectors, but which the picture does not have.
inline void FillRest(const RowLayout& layout, float value, float* row) {
  for (int x = layout.width; x < layout.floats(); ++x) row[layout.Place(x)] = value;
}

/// Makes `count` vectors on both sides of a row: columns of the pieces next to each. `before(k)` is what stands k
/// columns before the row, `after(k)` k columns after the last vector's.
template <class Before, class After>
HWY_INLINE void SurroundBy(const RowLayout& layout, int count, Before before, After after, float* row) {
  const DF d;
  const auto first = hn::FirstN(d, 1), inner = hn::FirstN(d, kLanes - 1);
  const auto up = hn::IndicesFromVec(d, hn::Max(hn::Iota(DI(), -1), hn::Zero(DI())));
  const auto down = hn::IndicesFromVec(d, hn::Min(hn::Iota(DI(), 1), hn::Set(DI(), kLanes - 1)));
  float* end = row + layout.floats();
  for (int k = 1; k <= count; ++k) {
    const VF piece = hn::TableLookupLanes(Load(end - k * kLanes), up);
    Store(hn::IfThenElse(first, Number(before(k)), piece), row - k * kLanes);
  }
  for (int k = 0; k < count; ++k) {
    const VF piece = hn::TableLookupLanes(Load(row + k * kLanes), down);
    Store(hn::IfThenElse(inner, piece, Number(after(k))), end + k * kLanes);
  }
}

inline void Surround(const RowLayout& layout, float outside, int count, float* row) {
  const auto edge = [&](int) { return outside; };
  SurroundBy(layout, count, edge, edge, row);
}

/// Puts the two outermost columns on each side next to the row, mirrored.
inline void SurroundMirrored(const RowLayout& layout, float* row) {
  const float before[2] = {row[layout.first[0]], row[layout.first[1]]};
  const float beyond[2] = {row[layout.last[RowLayout::kEdge - 1]], row[layout.last[RowLayout::kEdge - 2]]};
  const int rest = layout.floats() - layout.width;
  for (int k = 0; k < std::min(2, rest); ++k) row[layout.Place(layout.width + k)] = beyond[k];
  SurroundBy(
      layout, 2, [&](int k) { return before[k - 1]; }, [&](int k) { return rest + k < 2 ? beyond[rest + k] : 0.0f; },
      row);
}

/// Vectors of which each 128 bits are four columns of a piece: every fourth piece from the first one on.
template <class D>
HWY_INLINE hn::Vec<D> LoadPieces(D d, const float* from, ptrdiff_t piece) {
  constexpr size_t kHalf = hn::MaxLanes(D()) / 2;
  if constexpr (kHalf == 2) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadPieces(half, from + kHalf * piece, piece), LoadPieces(half, from, piece));
  }
}

template <class D>
HWY_INLINE void StorePieces(D d, hn::Vec<D> pieces, float* to, ptrdiff_t piece) {
  constexpr size_t kHalf = hn::MaxLanes(D()) / 2;
  if constexpr (kHalf == 2) {
    hn::StoreU(pieces, d, to);
  } else {
    const hn::Half<D> half;
    StorePieces(half, hn::LowerHalf(half, pieces), to, piece);
    StorePieces(half, hn::UpperHalf(half, pieces), to + kHalf * piece, piece);
  }
}

/// Rows and columns of each 128 bits of four vectors.
HWY_INLINE void Transpose(VF (&v)[4]) {
  const DF d;
  const hn::Repartition<double, DF> pairs;
  const auto low = [&](VF a, VF b) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveLower(d, a, b)); };
  const auto high = [&](VF a, VF b) HWY_ATTR { return hn::BitCast(pairs, hn::InterleaveUpper(d, a, b)); };
  const auto low01 = low(v[0], v[1]), low23 = low(v[2], v[3]), high01 = high(v[0], v[1]), high23 = high(v[2], v[3]);
  v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

/// Lays out a row whose columns follow each other; `from` has layout.floats() of them.
inline void Deal(const RowLayout& layout, const float* from, float* to) {
  const int piece = layout.vectors;
  if (piece < 4) {
    for (int x = 0; x < layout.width; ++x) to[layout.Place(x)] = from[x];
    return;
  }
  for (int x = 0; x < piece; x += 4) {
    const int at = std::min(x, piece - 4);
    VF v[4];
    for (int r = 0; r < 4; ++r) v[r] = LoadPieces(DF(), from + at + r * piece, piece);
    Transpose(v);
    for (int c = 0; c < 4; ++c) Store(v[c], to + (at + c) * kLanes);
  }
}

/// The reverse; `to` has space for layout.floats() columns.
inline void Collect(const RowLayout& layout, const float* from, float* to) {
  const int piece = layout.vectors;
  if (piece < 4) {
    for (int x = 0; x < layout.width; ++x) to[x] = from[layout.Place(x)];
    return;
  }
  for (int x = 0; x < piece; x += 4) {
    const int at = std::min(x, piece - 4);
    VF v[4];
    for (int c = 0; c < 4; ++c) v[c] = Load(from + (at + c) * kLanes);
    Transpose(v);
    for (int r = 0; r < 4; ++r) StorePieces(DF(), v[r], to + at + r * piece, piece);
  }
}

// --- Blurs of rows and columns, as vectors.

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

/// The blurs of `count` samples next to each other, whose weighted pairs add up in parts.
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

/// Columns [x, stop) of `count` rows next to each other, of which all rows around exist.
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

/// `row` gets what the blur reads next to it.
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
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
