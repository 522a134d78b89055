// Light that a display makes of encoded red, green and blue, in cd/m2 (docs/spec/cvvdp.md 2, 5.2).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "metric/blocks/display.h"
#include "metric/blocks/float_power.h"

namespace acutance {

struct DisplayLight {
  explicit DisplayLight(const Display& display);

  Display::Curve curve;
  int intervals = 0;                   // of the curve
  std::vector<float> nodes;            // `intervals` + 1; none of a linear display
  float exposure, least, most, added;  // of a linear display
  bool is_exposed;                     // HLG alone: exposure is not 1
  FloatExponent gamma;                 // HLG: the system's, less 1
  float range, black;                  // HLG
};

/// Names what a display's light depends on.
std::string DisplayLightKey(const Display& display);

/// Makes light of red, green and blue, in place, with SIMD (Highway); and in plain loops.
void DisplayLightRow(const DisplayLight& light, int width, const std::array<float*, 3>& row);
void DisplayLightRowRef(const DisplayLight& light, int width, const std::array<float*, 3>& row);

}  // namespace acutance
