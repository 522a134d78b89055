// A video whose samples are brought from full to limited range or back (ITU-R BT.2100, table 9).
#pragma once

#include <memory>

#include "io/video_source.h"

namespace acutance {

/// scale/color_weights.h has the numbers. `source` must not lie on a device.
std::unique_ptr<VideoSource> ConvertRange(std::unique_ptr<VideoSource> source, bool to_full);

}  // namespace acutance
