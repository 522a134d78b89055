// Rows of the map (butteraugli_math.kernel.h has a pixel's arithmetic). Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_MAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_MAP_INL_H_
#undef ACUTANCE_BUTTERAUGLI_MAP_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_MAP_INL_H_
#endif

#include <hwy/highway.h>

#include <array>

#include "metric/butteraugli/butteraugli.h"
#include "metric/butteraugli/butteraugli_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

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
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_MAP_INL_H_
