// What a video tells of itself, as metrics' options name it.
#pragma once

#include <acutance/facts.h>

#include <optional>

#include "metric/options.h"

namespace acutance {

/// fps, range, matrix, chroma_location and transfer, as far as they are known and options have a name for them.
OptionTexts VideoOptions(const std::optional<double>& frame_rate, const VideoColor& color,
                         const std::optional<ChromaSiting>& siting);

}  // namespace acutance
