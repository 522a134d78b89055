// Arithmetic of motion (spec/core.md 3.3), read by every text of it.
#pragma once

#include <array>

namespace acutance {

/// Low-pass taps, Q16: they sum to 65536.
inline constexpr std::array<int, 5> kMotionTaps = {3571, 16004, 26386, 16004, 3571};

/// The mirrored filter reaches two samples beyond an edge, which must still be inside the picture.
inline constexpr int kMotionMinSide = 3;

}  // namespace acutance
