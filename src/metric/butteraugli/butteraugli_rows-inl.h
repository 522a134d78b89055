// How rows lie in memory. Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
#undef ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "metric/butteraugli/butteraugli_vector-inl.h"
#include "simd/aligned_memory.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

/// A row is cut into as many pieces as a vector has lanes, and its vector i holds column i of each piece. Columns
/// beside each other lie in vectors beside each other, so that no load crosses a line of the cache, and what was loaded
/// for one column serves the next.
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

/// Rows that follow each other, with `beside` vectors more on both sides and space for those that loops write beyond
/// the last one. They lie an odd number of cache lines apart, so that those around one do not all fall into the same
/// sets of a cache.
class RowRing {
 public:
  RowRing(int width, int rows, int beside = 0)
      : left_(beside * kLanes),
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

/// Makes `count` vectors on both sides of a row: columns of the pieces beside each. `before(k)` is what stands k
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

/// Puts the two outermost columns on each side beside the row, mirrored.
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

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_ROWS_INL_H_
