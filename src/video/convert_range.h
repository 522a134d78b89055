// A video whose samples are brought from full to limited range or back, or to more bits of full range (ITU-R BT.2100,
// table 9).
#pragma once

#include <memory>

#include "convert/color_weights.h"
#include "io/video_source.h"

namespace acutance {

/// convert/color_weights.h has the numbers. A video that does not tell its range has the limited one. `source` must not
/// lie on a device, nor have more bits than `to`.
std::unique_ptr<VideoSource> ConvertRange(std::unique_ptr<VideoSource> source, const SampleRange& to);

}  // namespace acutance
