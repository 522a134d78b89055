// Butteraugli's arithmetic of whole rows (butteraugli_math.kernel.h has that of a pixel). Rows have space on both
// sides, which vectors may read and write. Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
#undef ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "metric/butteraugli/butteraugli.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(DF()));
constexpr int kVectors = 4;  // that share the loads of weights

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Load(const float* from) { return hn::LoadU(DF(), from); }
HWY_INLINE void Store(VF value, float* to) { hn::StoreU(value, DF(), to); }

// --- Blurs.

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
inline void BlurAround(const ButteraugliBlur& blur, const float* const (&rows)[5], int width, float* to) {
  const VF outer = Number(blur.inside[0]), inner = Number(blur.inside[1]), centre = Number(blur.inside[2]);
  for (int x = 0; x < width; x += kLanes) {
    const VF near =
        hn::MulAdd(hn::Add(Load(rows[1] + x), Load(rows[3] + x)), inner, hn::Mul(Load(rows[2] + x), centre));
    Store(hn::MulAdd(hn::Add(Load(rows[0] + x), Load(rows[4] + x)), outer, near), to + x);
  }
}

// --- Colors and frequencies.

HWY_INLINE VF Absorbed(VF red, VF green, VF blue, float of_red, float of_green, float of_blue, float least) {
  return hn::MulAdd(Number(of_red), red,
                    hn::MulAdd(Number(of_green), green, hn::MulAdd(Number(of_blue), blue, Number(least))));
}

HWY_INLINE VF NearLog2(VF z) {
  const VI bits = hn::BitCast(DI(), z);
  const VI exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(DI(), 0x3f2aaaab)));
  const VF f = hn::Sub(hn::BitCast(DF(), hn::Sub(bits, hn::ShiftLeft<23>(exponent))), Number(1.0f));
  const VF above = hn::MulAdd(hn::MulAdd(Number(7.4245873327820566e-1f), f, Number(1.4287160470083755f)), f,
                              Number(-1.8503833400518310e-6f));
  const VF below = hn::MulAdd(hn::MulAdd(Number(1.7409343003366853e-1f), f, Number(1.0096718572241148f)), f,
                              Number(9.9032814277590719e-1f));
  return hn::Add(hn::Div(above, below), hn::ConvertTo(DF(), exponent));
}

HWY_INLINE VF Cone(VF light, VF around, float least) {
  const VF m = hn::Max(hn::Max(around, Number(least)), Number(1e-4f));
  const VF scale = hn::BitCast(DF(), hn::Set(DI(), 0x41556f1d));
  const VF gain = hn::MulAdd(scale, NearLog2(hn::Add(m, Number(9.9710635769299145f))), Number(-23.16046239805755f));
  const VF sensitivity = hn::Max(hn::Div(gain, m), Number(1e-4f));
  return hn::Max(hn::Mul(light, sensitivity), Number(least));
}

inline void ColorRow(const float* const (&light)[3], const float* const (&around)[3], float nits, int width,
                     float* const (&to)[3]) {
  constexpr float kLeast = 1.7557483643287353f, kLeastBlue = 12.226454707163354f;
  const VF scale = Number(nits);
  for (int x = 0; x < width; x += kLanes) {
    VF in[3], near[3];
    for (int p = 0; p < 3; ++p) {
      in[p] = hn::Mul(Load(light[p] + x), scale);
      near[p] = hn::Mul(Load(around[p] + x), scale);
    }
    const auto cone = [&](float red, float green, float blue, float least) HWY_ATTR {
      return Cone(Absorbed(in[0], in[1], in[2], red, green, blue, least),
                  Absorbed(near[0], near[1], near[2], red, green, blue, least), least);
    };
    const VF l = cone(0.29956550340058319f, 0.63373087833825936f, 0.077705617820981968f, kLeast);
    const VF m = cone(0.22158691104574774f, 0.69391388044116142f, 0.0987313588422f, kLeast);
    Store(hn::Sub(l, m), to[0] + x);
    Store(hn::Add(l, m), to[1] + x);
    Store(cone(0.02f, 0.02f, 0.20480129041026129f, kLeastBlue), to[2] + x);
  }
}

/// Weighs low frequencies; `rest` gets what they leave of the colors.
inline void LowRow(const float* const (&colors)[3], int width, float* const (&low)[3], float* const (&rest)[3]) {
  for (int x = 0; x < width; x += kLanes) {
    VF v[3];
    for (int c = 0; c < 3; ++c) {
      v[c] = Load(low[c] + x);
      Store(hn::Sub(Load(colors[c] + x), v[c]), rest[c] + x);
    }
    Store(hn::Mul(v[0], Number(33.832837186260f)), low[0] + x);
    Store(hn::Mul(v[1], Number(14.458268100570f)), low[1] + x);
    Store(hn::Mul(hn::MulAdd(Number(-0.362267051518f), v[1], v[2]), Number(49.87984651440f)), low[2] + x);
  }
}

HWY_INLINE VF Shrunk(float width, VF v) {
  const VF w = Number(width);
  return hn::IfThenElse(hn::Gt(v, w), hn::Sub(v, w), hn::IfThenElseZero(hn::Lt(v, hn::Neg(w)), hn::Add(v, w)));
}
HWY_INLINE VF Expanded(float width, VF v) {
  const VF w = Number(width);
  return hn::IfThenElse(hn::Gt(v, w), hn::Add(v, w),
                        hn::IfThenElse(hn::Lt(v, hn::Neg(w)), hn::Sub(v, w), hn::Add(v, v)));
}
HWY_INLINE VF SoftClipped(float limit, VF v) {
  const VF l = Number(limit), slope = Number(0.724216145665f);
  return hn::IfThenElse(hn::Ge(v, l), hn::MulAdd(hn::Sub(v, l), slope, l),
                        hn::IfThenElse(hn::Lt(v, hn::Neg(l)), hn::MulAdd(hn::Add(v, l), slope, hn::Neg(l)), v));
}

/// Bends the middle frequencies of x and y; `high` gets what they leave of `rest`.
inline void MiddleRow(const float* const (&rest)[2], int width, float* const (&middle)[2], float* const (&high)[2]) {
  const VF limit = Number(46.0f);
  for (int x = 0; x < width; x += kLanes) {
    const VF of_x = Load(middle[0] + x), of_y = Load(middle[1] + x);
    const VF left = hn::Sub(Load(rest[0] + x), of_x), y = hn::Sub(Load(rest[1] + x), of_y);
    const VF factor =
        hn::MulAdd(hn::Div(limit, hn::MulAdd(y, y, limit)), Number(0.346979443743f), Number(0.653020556257f));
    Store(hn::Mul(factor, left), high[0] + x);
    Store(y, high[1] + x);
    Store(Shrunk(0.29f, of_x), middle[0] + x);
    Store(Expanded(0.1f, of_y), middle[1] + x);
  }
}

/// Bends high frequencies and makes the highest of `both`; `masks` gets the mask's source.
inline void HighRow(const float* const (&both)[2], int width, float* const (&high)[2], float* const (&highest)[2],
                    float* masks) {
  const float scale = 6.19424080439f, bias = scale * 12.61050594197f;
  const VF offset = hn::Sqrt(Number(bias));
  for (int x = 0; x < width; x += kLanes) {
    const VF blurred_x = Load(high[0] + x);
    const VF highest_x = Shrunk(0.04f, hn::Sub(Load(both[0] + x), blurred_x)), high_x = Shrunk(1.5f, blurred_x);
    const VF clipped = SoftClipped(28.4691806922f, Load(high[1] + x));
    const VF highest_y =
        hn::Mul(SoftClipped(5.19175294647f, hn::Sub(Load(both[1] + x), clipped)), Number(2.69313763794f));
    const VF high_y = Expanded(0.132f, hn::Mul(clipped, Number(2.155f)));
    Store(high_x, high[0] + x);
    Store(high_y, high[1] + x);
    Store(highest_x, highest[0] + x);
    Store(highest_y, highest[1] + x);
    const VF of_x = hn::Mul(hn::Add(highest_x, high_x), Number(2.5f));
    const VF of_y = hn::Add(hn::Mul(highest_y, Number(0.4f)), hn::Mul(high_y, Number(0.4f)));
    const VF source = hn::Sqrt(hn::Add(hn::Mul(of_x, of_x), hn::Mul(of_y, of_y)));
    Store(hn::Sub(hn::Sqrt(hn::Add(hn::Mul(Number(scale), source), Number(bias))), offset), masks + x);
  }
}

// --- Differences.

/// 0 beyond the picture.
inline void DifferenceRow(const float* a, const float* b, const butteraugli::MaltaWeights& w, int width, float* to) {
  const VF zero = hn::Zero(DF()), norm = Number(w.norm);
  for (int x = 0; x < width; x += kLanes) {
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
  std::fill_n(to + width, 4 * kLanes, 0.0f);
}

/// Sums of two differences that are next to each other along a line. The sums of many lines are made of these.
struct PairRows {
  static constexpr int kWidth = 256, kMargin = 16, kPitch = kWidth + 2 * kMargin + 16;

  explicit PairRows(int rows) : samples(static_cast<size_t>(4) * rows * kPitch), rows(rows) {}
  float* Row(int kind, int row) { return samples.data() + (static_cast<size_t>(kind) * rows + row) * kPitch + kMargin; }

  std::vector<float> samples;
  int rows;
};

/// Kinds: along a row, down, down and right, down and left.
enum PairKind { kAlong, kDown, kFalling, kRising };

/// `rows[0]` to `rows[count - 1]` begin at column -`PairRows::kMargin` of what is made.
template <int step>
void MakePairs(const float* const* rows, int count, int width, PairRows& pairs) {
  for (int r = 0; r < count; ++r)
    for (int x = -8; x < width + 8; x += kLanes) {
      const VF centre = Load(rows[r] + x);
      Store(hn::Add(centre, Load(rows[r] + x + step)), pairs.Row(kAlong, r) + x);
      if (r + step < count) Store(hn::Add(centre, Load(rows[r + step] + x)), pairs.Row(kDown, r) + x);
      if (r + 1 >= count) continue;
      Store(hn::Add(centre, Load(rows[r + 1] + x + 1)), pairs.Row(kFalling, r) + x);
      Store(hn::Add(centre, Load(rows[r + 1] + x - 1)), pairs.Row(kRising, r) + x);
    }
}

/// Where a pixel's lines begin.
struct LinePoints {
  const float* const* differences;  // of rows from 4 above to 4 below
  const float* pairs[4];            // of kinds, 4 rows above
  ptrdiff_t pitch;

  VF At(int y, int x) const { return Load(differences[y + 4] + x); }
  VF Pair(PairKind kind, int y, int x) const { return Load(pairs[kind] + (y + 4) * pitch + x); }
};

HWY_INLINE VF SparseLines(const LinePoints& p, int at) {
  const VF centre = p.At(0, at);
  VF line, total;
  const auto pairs = [&](PairKind kind, int y1, int x1, int y2, int x2) HWY_ATTR {
    return hn::Add(p.Pair(kind, y1, at + x1), hn::Add(centre, p.Pair(kind, y2, at + x2)));
  };
  const auto points = [&](int y1, int x1, int y2, int x2) HWY_ATTR {
    return hn::Add(hn::Add(p.At(y1, at + x1), p.At(y2, at + x2)),
                   hn::Add(centre, hn::Add(p.At(-y2, at - x2), p.At(-y1, at - x1))));
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
  const auto pair = [&](PairKind kind, int y, int x) HWY_ATTR { return p.Pair(kind, y, at + x); };
  const auto point = [&](int y, int x) HWY_ATTR { return p.At(y, at + x); };
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

// --- The map.

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

/// `rows` has infinities beside it.
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
      if (i != 1 || dx != 0) add(Load(rows[i] + x + dx));
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

inline void MapRow(const MapRows& rows, int width, float* to) {
  const ButteraugliConstants& constants = GetButteraugliConstants();
  for (int x = 0; x < width; x += kLanes) {
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
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_VECTOR_INL_H_
