// Displays: the light that they make of samples, and how large a pixel is seen (docs/spec/cvvdp.md 2).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

using Matrix3 = std::array<std::array<double, 3>, 3>;

struct Display {
  enum class Curve { kSrgb, kPower, kPq, kHlg, kLinear };

  /// Light of one component for the encoded value v, 0 to 1; in HLG, scene light.
  double Light(double v) const;
  /// HLG's system gamma: how much contrast the display adds to the scene's.
  double SystemGamma() const;

  std::string name;
  Curve curve = Curve::kSrgb;
  double power = 1;  // kPower
  Matrix3 to_xyz{};
  bool is_bt2020 = false;                                                // its colors are BT.2020's
  std::string_view primaries{};                                          // of its colors: bt709, p3, bt2020, adobe
  double peak = 0, black = 0, reflected = 0, ambient = 0, exposure = 1;  // cd/m2; lux; a factor
  double pixels_per_degree = 0;
  std::array<int, 2> resolution{};  // {0, 0}: the display has none
};

/// What a user asks for.
struct DisplayChoice {
  std::string name;              // "" only with a file that has one display
  std::string file;              // "": the built-in displays alone
  double pixels_per_degree = 0;  // instead of the geometry; 0: by it
  double distance = 0;           // in metres, instead of the display's; 0: that
};

Result<Display> FindDisplay(const DisplayChoice& choice);

/// The names of the built-in displays.
std::vector<std::string> DisplayNames();

}  // namespace acutance
