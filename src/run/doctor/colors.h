// Whether the streams tell that samples mean different colors, so that `acutance score` refuses them.
#pragma once

#include <optional>
#include <string>

#include "run/doctor/doctor.h"
#include "run/doctor/video_probe.h"

namespace acutance {

/// The finding "color" with the command that converts the distorted video; `otherwise`, where no filter is known.
std::optional<Finding> DifferentColors(const VideoProbe& reference, const VideoProbe& distorted,
                                       const std::string& otherwise);

}  // namespace acutance
