// ICC profiles of stills, read only to decide whether samples mean what sRGB's do.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace acutance {

struct IccProfile {
  std::string description{};  // empty: none that could be read
  bool is_srgb = false;       // nearly sRGB's or BT.709's colors and curve, or a gray of that curve
};

/// Profiles by tables of colors, and those that are damaged, are not sRGB.
IccProfile ReadIccProfile(std::span<const std::byte> profile);

}  // namespace acutance
