// Each lane has a pixel.

#include "metric/blocks/display_light.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/blocks/display_light_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/blocks/float_power-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

using namespace float_vector;

HWY_INLINE VF Curve(const DisplayLight& light, VF value) {
  const VF v = hn::Mul(Clamp(value, 0.0f, 1.0f), Number(static_cast<float>(light.intervals)));
  return Between(light.nodes.data(), PlaceOf(v, light.intervals - 1));
}

HWY_INLINE void ShowHlg(const DisplayLight& light, VF (&color)[3]) {
  const VF luminance = Weighted(color[0], color[1], color[2], 0.2627f, 0.6780f, 0.0593f), least = Number(0x1p-60f);
  const Many<1> power = Power(
      Many<1>{{hn::Max(luminance, least)}}, [&](int) -> const auto& { return light.gamma; });
  const VF factor = hn::IfThenZeroElse(hn::Lt(luminance, least), power[0]);
  for (VF& value : color) {
    value = hn::Mul(factor, value);
    if (light.is_exposed) value = Clamp(hn::Mul(value, Number(light.exposure)), 0.0f, 1.0f);
    value = hn::Add(hn::Mul(value, Number(light.range)), Number(light.black));
  }
}

void LightRow(const DisplayLight& light, int width, const std::array<float*, 3>& row) {
  const int lanes = static_cast<int>(hn::Lanes(DF()));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    VF color[3];
    for (int c = 0; c < 3; ++c) {
      const VF value = Load(row[c] + x);
      if (light.curve != Display::Curve::kLinear) color[c] = Curve(light, value);
      else
        color[c] = hn::Add(Clamp(hn::Mul(value, Number(light.exposure)), light.least, light.most), Number(light.added));
    }
    if (light.curve == Display::Curve::kHlg) ShowHlg(light, color);
    for (int c = 0; c < 3; ++c) Store(color[c], row[c] + x);
  }
  DisplayLightRowRef(light, width - x, {row[0] + x, row[1] + x, row[2] + x});
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(LightRow);

void DisplayLightRow(const DisplayLight& light, int width, const std::array<float*, 3>& row) {
  HWY_DYNAMIC_DISPATCH(LightRow)(light, width, row);
}

}  // namespace acutance
#endif  // HWY_ONCE
