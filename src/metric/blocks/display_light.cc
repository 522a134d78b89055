#include "metric/blocks/display_light.h"

#include <fmt/format.h>

#include <algorithm>

namespace acutance {
namespace {

constexpr int kIntervals = 4096, kPqIntervals = 16384;

float Clamped(float x, float least, float most) {
  const float v = x > least ? x : least;
  return v < most ? v : most;
}

float Clipped(float v) { return Clamped(v, 0.0f, 1.0f); }

float CurveAt(const DisplayLight& light, float value) {
  const float v = Clipped(value) * static_cast<float>(light.intervals);
  const int i = std::min(static_cast<int>(v), light.intervals - 1);
  return light.nodes[i] + (v - static_cast<float>(i)) * (light.nodes[i + 1] - light.nodes[i]);
}

float LinearLight(const DisplayLight& light, float value) {
  return Clamped(value * light.exposure, light.least, light.most) + light.added;
}

/// From the scene's light to the display's.
std::array<float, 3> HlgLight(const DisplayLight& light, const std::array<float, 3>& scene) {
  constexpr float kLeast = 0x1p-60f;
  const float luminance = (scene[0] * 0.2627f + scene[1] * 0.6780f) + scene[2] * 0.0593f;
  const float factor = luminance < kLeast ? 0.0f : float_power(luminance, light.gamma);
  std::array<float, 3> shown;
  for (int c = 0; c < 3; ++c) {
    float value = factor * scene[c];
    if (light.is_exposed) value = Clipped(value * light.exposure);
    shown[c] = value * light.range + light.black;
  }
  return shown;
}

}  // namespace

DisplayLight::DisplayLight(const Display& display)
    : curve(display.curve),
      exposure(static_cast<float>(display.exposure)),
      least(static_cast<float>(std::max(0.005, display.black))),
      most(static_cast<float>(display.peak)),
      added(static_cast<float>(display.reflected)),
      is_exposed(display.exposure != 1),
      gamma(float_exponent(curve == Display::Curve::kHlg ? static_cast<float>(display.SystemGamma() - 1) : 1.0f)),
      range(static_cast<float>(display.peak - display.black)),
      black(static_cast<float>(display.black + display.reflected)) {
  if (curve == Display::Curve::kLinear) return;
  intervals = curve == Display::Curve::kPq ? kPqIntervals : kIntervals;
  for (int i = 0; i <= intervals; ++i)
    nodes.push_back(static_cast<float>(display.Light(static_cast<double>(i) / intervals)));
}

std::string DisplayLightKey(const Display& display) {
  std::string key = fmt::format("a display {} {} {} {} {} {} {}", static_cast<int>(display.curve), display.power,
                                display.peak, display.black, display.reflected, display.ambient, display.exposure);
  for (const auto& row : display.to_xyz) key += fmt::format(" {} {} {}", row[0], row[1], row[2]);
  return key;
}

void DisplayLightRowRef(const DisplayLight& light, int width, const std::array<float*, 3>& row) {
  const bool is_linear = light.curve == Display::Curve::kLinear;
  for (int x = 0; x < width; ++x) {
    std::array<float, 3> color;
    for (int c = 0; c < 3; ++c) color[c] = is_linear ? LinearLight(light, row[c][x]) : CurveAt(light, row[c][x]);
    if (light.curve == Display::Curve::kHlg) color = HlgLight(light, color);
    for (int c = 0; c < 3; ++c) row[c][x] = color[c];
  }
}

}  // namespace acutance
