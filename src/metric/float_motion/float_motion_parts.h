// What float_motion sums up: one or three planes, each as it is and perhaps halved.
#pragma once

#include <vector>

#include "image/picture.h"
#include "metric/float_motion/float_motion_math.h"
#include "metric/options.h"

namespace acutance {

/// One sum of absolute differences. A halved part follows the plane's own.
struct FloatMotionPart {
  int plane;
  bool half;
  int width;  // of what is summed
  int height;
};

/// None where motion_force_zero says that no picture is read.
std::vector<FloatMotionPart> FloatMotionParts(const OptionValues& options, const PictureFormat& format);

/// The rows of all parts.
int FloatMotionRows(const std::vector<FloatMotionPart>& parts);

/// Where a halved plane reads the plane.
struct HalfTables {
  std::vector<HalfSample> columns;
  std::vector<HalfSample> rows;
};

HalfTables MakeHalfTables(int plane_width, int plane_height);

}  // namespace acutance
