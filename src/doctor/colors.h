// Whether the streams tell that samples mean different colors, so that `acutance score` refuses them.
#pragma once

#include <optional>
#include <string>

#include "doctor/doctor.h"
#include "doctor/watch.h"

namespace acutance {

/// The finding "color" with the command that converts the distorted video; `otherwise`, where no filter is known.
std::optional<Finding> DifferentColors(const Watched& reference, const Watched& distorted,
                                       const std::string& otherwise);

}  // namespace acutance
