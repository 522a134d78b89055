// A video whose samples are brought from full to limited range or back (ITU-R BT.2100, table 9).
#pragma once

#include <memory>

#include "io/video_source.h"

namespace acutance {

/// With b bits and m = 2^(b-8), limited luma is 16 m to 235 m, and limited chroma 16 m to 240 m; rounded to nearest.
/// `source` must not lie on a device.
std::unique_ptr<VideoSource> ConvertRange(std::unique_ptr<VideoSource> source, bool to_full);

}  // namespace acutance
