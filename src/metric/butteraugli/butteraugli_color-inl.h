// Colors and frequencies of rows (butteraugli_math.kernel.h has those of a pixel). Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_COLOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_COLOR_INL_H_
#undef ACUTANCE_BUTTERAUGLI_COLOR_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_COLOR_INL_H_
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

/// HalveButteraugliRow with vectors where both columns and both rows of pixels exist.
inline void HalveRow(const FloatColors& from, int plane, int y, float* to) {
  const DF d;
  const VF quarter = Number(0.25f);
  int x = 0;
  if (2 * y + 1 < from.height) {
    const float *above = from.Row(plane, 2 * y), *below = from.Row(plane, 2 * y + 1);
    for (; x + kLanes <= from.width / 2; x += kLanes) {
      VF left[2], right[2];
      hn::LoadInterleaved2(d, above + ptrdiff_t{2} * x, left[0], right[0]);
      hn::LoadInterleaved2(d, below + ptrdiff_t{2} * x, left[1], right[1]);
      const VF sum = hn::Add(hn::Mul(left[0], quarter), hn::Mul(right[0], quarter));
      Store(hn::Add(hn::Add(sum, hn::Mul(left[1], quarter)), hn::Mul(right[1], quarter)), to + x);
    }
  }
  HalveButteraugliRow(from, plane, y, x, to);
}

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

inline void ColorRow(const float* const (&light)[3], const float* const (&around)[3], float nits, int x, int stop,
                     float* const (&to)[3]) {
  constexpr float kLeast = 1.7557483643287353f, kLeastBlue = 12.226454707163354f;
  const VF scale = Number(nits);
  for (; x < stop; x += kLanes) {
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
inline void LowRow(std::array<const float*, 3> colors, int x, int stop, std::array<float*, 3> low,
                   std::array<float*, 3> rest) {
  for (; x < stop; x += kLanes) {
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
inline void MiddleRow(std::array<const float*, 2> rest, int x, int stop, std::array<float*, 2> middle,
                      std::array<float*, 2> high) {
  const VF limit = Number(46.0f);
  for (; x < stop; x += kLanes) {
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
inline void HighRow(std::array<const float*, 2> both, int x, int stop, std::array<float*, 2> high,
                    std::array<float*, 2> highest, float* masks) {
  const float scale = 6.19424080439f, bias = scale * 12.61050594197f;
  const VF offset = hn::Sqrt(Number(bias));
  for (; x < stop; x += kLanes) {
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

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_COLOR_INL_H_
