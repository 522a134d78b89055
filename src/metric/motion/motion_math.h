// Arithmetic of motion, in C++.
#pragma once

#include "kernel/kernel.h"

namespace acutance {
namespace motion {
#include "metric/motion/motion_math.kernel.h"
}  // namespace motion

/// The mirrored filter reaches two samples beyond an edge, which must still be inside the picture.
inline constexpr int kMotionMinSide = 3;

}  // namespace acutance
