// Differences and their sums along lines. Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_MAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_MAP_INL_H_
#undef ACUTANCE_BUTTERAUGLI_MAP_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_MAP_INL_H_
#endif

#include <hwy/highway.h>

#include <array>

#include "metric/butteraugli/butteraugli.h"
#include "metric/butteraugli/butteraugli_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

constexpr int kLineReach = 4;  // of lines, to all sides

/// 0 beyond the picture.
inline void DifferenceRow(const float* a, const float* b, const butteraugli::MaltaWeights& w, const RowLayout& layout,
                          float* to) {
  const VF zero = hn::Zero(DF()), norm = Number(w.norm);
  for (int x = 0; x < layout.floats(); x += kLanes) {
    const VF p = Load(a + x), q = Load(b + x);
    const VF size = hn::Abs(p);
    const VF around = hn::Add(norm, hn::Mul(Number(0.5f), hn::Add(size, hn::Abs(q))));
    const VF difference = hn::Mul(hn::Div(Number(w.both), around), hn::Sub(p, q));
    const VF side = hn::Div(Number(w.one_sided), around);
    const auto negative = hn::Lt(p, zero);
    const VF other = hn::IfThenElse(negative, hn::Neg(q), q);
    const VF small = hn::Mul(Number(0.55f), size), big = hn::Mul(Number(1.05f), size);
    const VF more = hn::IfThenElse(hn::Lt(other, small), hn::Mul(side, hn::Sub(small, other)),
                                   hn::IfThenElseZero(hn::Gt(other, big), hn::Neg(hn::Mul(side, hn::Sub(other, big)))));
    Store(hn::Add(difference, hn::IfThenElse(negative, hn::Neg(more), more)), to + x);
  }
  FillRest(layout, 0.0f, to);
  Surround(layout, 0.0f, kLineReach, to);
}

/// Sums of two differences that are next to each other along a line. The sums of many lines are made of these.
struct PairRows {
  static constexpr int kSize = 256;                                    // floats at a time
  static constexpr int kBefore = kLineReach, kAfter = kLineReach - 1;  // vectors more on both sides
  static constexpr int kPitch = 16 * ((kSize + (kBefore + kAfter) * kLanes + 15) / 16 | 1);

  explicit PairRows(int row_count)
      : samples(AllocateVectors<float>(static_cast<size_t>(4) * row_count * kPitch)), rows(row_count) {}
  float* Row(int kind, int row) {
    return samples.get() + (static_cast<size_t>(kind) * rows + row) * kPitch + kBefore * kLanes;
  }

  hwy::AlignedFreeUniquePtr<float[]> samples;
  int rows;
};

/// Kinds: along a row, down, down and right, down and left.
enum PairKind { kAlong, kDown, kFalling, kRising };

/// to = a + b, and some columns more on both sides.
inline void AddRows(const float* a, const float* b, int size, float* to) {
  for (int x = -PairRows::kBefore * kLanes; x < size + PairRows::kAfter * kLanes; x += kLanes)
    Store(hn::Add(Load(a + x), Load(b + x)), to + x);
}

/// Makes all kinds of pairs of a row that has `step` rows below but kAlong, which lines have at most one row above or
/// below the middle.
template <int step, bool has_along>
void MakePairsOfRow(const float* const* rows, int r, int size, PairRows& pairs) {
  const float *row = rows[r], *next = rows[r + 1], *down = rows[r + step];
  float *along = pairs.Row(kAlong, r), *to_down = pairs.Row(kDown, r), *falling = pairs.Row(kFalling, r),
        *rising = pairs.Row(kRising, r);
  for (int x = -PairRows::kBefore * kLanes; x < size + PairRows::kAfter * kLanes; x += kLanes) {
    const VF value = Load(row + x);
    if constexpr (has_along) Store(hn::Add(value, Load(row + x + step * kLanes)), along + x);
    Store(hn::Add(value, Load(down + x)), to_down + x);
    Store(hn::Add(value, Load(next + x + kLanes)), falling + x);
    Store(hn::Add(value, Load(next + x - kLanes)), rising + x);
  }
}

/// Makes the pairs of `size` floats of `count` rows of differences.
template <int step>
void MakePairs(const float* const* rows, int count, int size, PairRows& pairs) {
  for (int r = 0; r + step < count; ++r) {
    if (r >= 3 && r < count - 3) MakePairsOfRow<step, true>(rows, r, size, pairs);
    else MakePairsOfRow<step, false>(rows, r, size, pairs);
  }
  for (int r = count - step; r + 1 < count; ++r) {
    AddRows(rows[r], rows[r + 1] + kLanes, size, pairs.Row(kFalling, r));
    AddRows(rows[r], rows[r + 1] - kLanes, size, pairs.Row(kRising, r));
  }
}

/// Where a pixel's lines begin.
struct LinePoints {
  const float* const* differences;  // of rows from 4 above to 4 below
  const float* pairs[4];            // of kinds, 4 rows above

  /// `x` columns next to what lies at `at`.
  VF At(int y, int x, int at) const { return Load(differences[y + 4] + at + x * kLanes); }
  VF Pair(PairKind kind, int y, int x, int at) const {
    return Load(pairs[kind] + (y + 4) * PairRows::kPitch + at + x * kLanes);
  }
};

HWY_INLINE VF SparseLines(const LinePoints& p, int at) {
  const VF centre = p.At(0, 0, at);
  VF line, total;
  const auto pairs = [&](PairKind kind, int y1, int x1, int y2, int x2) HWY_ATTR {
    return hn::Add(p.Pair(kind, y1, x1, at), hn::Add(centre, p.Pair(kind, y2, x2, at)));
  };
  const auto points = [&](int y1, int x1, int y2, int x2) HWY_ATTR {
    return hn::Add(hn::Add(p.At(y1, x1, at), p.At(y2, x2, at)),
                   hn::Add(centre, hn::Add(p.At(-y2, -x2, at), p.At(-y1, -x1, at))));
  };
  line = pairs(kAlong, 0, -4, 0, 2);
  total = hn::Mul(line, line);
  const auto add = [&](VF value) HWY_ATTR { total = hn::MulAdd(value, value, total); };
  add(pairs(kDown, -4, 0, 2, 0));
  add(pairs(kFalling, -3, -3, 2, 2));
  add(pairs(kRising, -3, 3, 2, -2));
  add(pairs(kDown, -4, 1, 2, -1));
  add(pairs(kDown, -4, -1, 2, 1));
  add(pairs(kAlong, -1, -4, 1, 2));
  add(pairs(kAlong, 1, -4, -1, 2));
  add(pairs(kFalling, -3, -2, 2, 1));
  add(pairs(kRising, -3, 2, 2, -1));
  add(pairs(kFalling, -2, -3, 1, 2));
  add(pairs(kRising, -2, 3, 1, -2));
  add(points(2, -4, 1, -2));
  add(points(-2, -4, -1, -2));
  add(points(-4, -2, -2, -1));
  add(points(-4, 2, -2, 1));
  return total;
}

HWY_INLINE VF DenseLines(const LinePoints& p, int at) {
  const auto nine = [&](VF a, VF b, VF c, VF d, VF last)
                        HWY_ATTR { return hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, d)), last); };
  const auto seven = [&](VF a, VF b, VF c, VF d) HWY_ATTR { return hn::Add(a, hn::Add(b, hn::Add(c, d))); };
  const auto pair = [&](PairKind kind, int y, int x) HWY_ATTR { return p.Pair(kind, y, x, at); };
  const auto point = [&](int y, int x) HWY_ATTR { return p.At(y, x, at); };
  const VF along = nine(pair(kAlong, 0, -4), pair(kAlong, 0, -2), pair(kAlong, 0, 0), pair(kAlong, 0, 2), point(0, 4));
  VF total = hn::Mul(along, along);
  const auto add = [&](VF value) HWY_ATTR { total = hn::MulAdd(value, value, total); };
  add(nine(pair(kDown, -4, 0), pair(kDown, -2, 0), pair(kDown, 0, 0), pair(kDown, 2, 0), point(4, 0)));
  const VF falling = pair(kFalling, 0, 0), rising = pair(kRising, 0, 0);
  add(seven(pair(kFalling, -3, -3), point(-1, -1), falling, pair(kFalling, 2, 2)));
  add(seven(pair(kRising, -3, 3), point(-1, 1), rising, pair(kRising, 2, -2)));
  const VF down = pair(kDown, 0, 0), beside = pair(kAlong, 0, 0);
  const VF line4 = nine(pair(kDown, -4, 1), pair(kRising, -2, 1), down, pair(kDown, 2, -1), point(4, -1));
  const VF line5 = nine(pair(kDown, -4, -1), pair(kFalling, -2, -1), down, pair(kDown, 2, 1), point(4, 1));
  const VF line6 = nine(pair(kAlong, -1, -4), pair(kFalling, -1, -2), beside, pair(kAlong, 1, 2), point(1, 4));
  const VF line7 = nine(pair(kAlong, 1, -4), pair(kRising, 0, -1), beside, pair(kAlong, -1, 2), point(-1, 4));
  add(line4);
  add(line5);
  add(line6);
  add(line7);
  add(seven(pair(kFalling, -3, -2), point(-1, -1), falling, pair(kFalling, 2, 1)));
  add(seven(pair(kRising, -3, 2), point(-1, 1), rising, pair(kRising, 2, -1)));
  add(seven(pair(kFalling, -2, -3), point(-1, -1), falling, pair(kFalling, 1, 2)));
  add(seven(pair(kRising, -2, 3), point(-1, 1), rising, pair(kRising, 1, -2)));
  add(line7);
  add(line6);
  add(line5);
  add(line4);
  return total;
}

// --- Rows of the map (butteraugli_math.kernel.h has a pixel's arithmetic).

/// Rows of both pictures at a place of the map.
struct MapRows {
  std::array<const float*, 3> low[2], middle[2];  // [picture][component]
  std::array<const float*, 2> high[2];
  const float* mask[2];
  std::array<const float*, 3> masks_around;  // the reference's 3 rows above, here and 3 rows below; null: outside
  std::array<const float*, 2> lines;         // sums of squares along lines, of x and y
};

HWY_INLINE VF AsymmetricSquare(VF a, VF b, const ButteraugliBand& band, VF acc) {
  const VF difference = hn::Sub(a, b), total = hn::MulAdd(hn::Mul(difference, difference), Number(band.square), acc);
  const VF size = hn::Abs(a), other = hn::IfThenElse(hn::Lt(a, hn::Zero(DF())), hn::Neg(b), b);
  const VF small = hn::Mul(Number(0.4f), size);
  const VF beyond = hn::IfThenElse(hn::Lt(other, small), hn::Sub(small, other),
                                   hn::IfThenElseZero(hn::Gt(other, size), hn::Sub(other, size)));
  return hn::MulAdd(Number(band.square_of_side), hn::Mul(beyond, beyond), total);
}

/// `rows` has infinities next to it.
HWY_INLINE VF ErodedMask(const std::array<const float*, 3>& rows, int x) {
  const VF value = Load(rows[1] + x);
  VF first = value, second = hn::Add(value, value), third = second;
  const auto add = [&](VF v) HWY_ATTR {
    const VF rest = hn::Max(first, v);
    first = hn::Min(first, v);
    const VF last = hn::Max(second, rest);
    second = hn::Min(second, rest);
    third = hn::Min(third, last);
  };
  for (int i = 0; i < 3; ++i) {
    if (rows[i] == nullptr) continue;
    for (int dx = -3; dx <= 3; dx += 3)
      if (i != 1 || dx != 0) add(Load(rows[i] + x + dx * kLanes));
  }
  return hn::Add(hn::Add(hn::Mul(Number(0.45f), first), hn::Mul(Number(0.3f), second)), hn::Mul(Number(0.25f), third));
}

HWY_INLINE VF MaskGain(VF mask, float above, float factor, float offset) {
  const VF below = hn::Add(hn::Mul(Number(factor), mask), Number(offset));
  const VF gain =
      hn::Mul(hn::BitCast(DF(), hn::Set(DI(), 0x3d913fae)), hn::Add(Number(1.0f), hn::Div(Number(above), below)));
  return hn::Mul(gain, gain);
}

HWY_INLINE VF SquareOf(const float* a, const float* b, int x) {
  const VF difference = hn::Sub(Load(a + x), Load(b + x));
  return hn::Mul(difference, difference);
}

/// `size` floats, whole vectors.
inline void MapRow(const MapRows& rows, int size, float* to) {
  const ButteraugliConstants& constants = GetButteraugliConstants();
  for (int x = 0; x < size; x += kLanes) {
    VF other[3], low[3];
    for (int c = 0; c < 3; ++c) {
      const VF middle = SquareOf(rows.middle[0][c], rows.middle[1][c], x);
      const VF weight = Number(constants.middle_squares[c]);
      if (c < 2) {
        const VF sum = AsymmetricSquare(Load(rows.high[0][c] + x), Load(rows.high[1][c] + x), constants.high_band[c],
                                        Load(rows.lines[c] + x));
        other[c] = hn::MulAdd(middle, weight, sum);
      } else {
        other[c] = hn::Mul(middle, weight);
      }
      low[c] = hn::Mul(SquareOf(rows.low[0][c], rows.low[1][c], x), Number(constants.low_squares[c]));
    }
    const VF masks = hn::Sub(Load(rows.mask[0] + x), Load(rows.mask[1] + x));
    other[1] = hn::Add(other[1], hn::Mul(hn::Mul(Number(10.0f), masks), masks));
    const VF mask = ErodedMask(rows.masks_around, x);
    const VF gain = MaskGain(mask, 2.5485944793f, 0.451936922203f, 0.829591754942f);
    const VF low_gain = MaskGain(mask, 0.505054525019f, 3.87449418804f, 0.20025578522f);
    const VF of_low = hn::Add(hn::Add(hn::Mul(low[0], low_gain), hn::Mul(low[1], low_gain)), hn::Mul(low[2], low_gain));
    const VF of_other = hn::Add(hn::Add(hn::Mul(other[0], gain), hn::Mul(other[1], gain)), hn::Mul(other[2], gain));
    Store(hn::Sqrt(hn::Add(of_low, of_other)), to + x);
  }
}

#endif

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_MAP_INL_H_
