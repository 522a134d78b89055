// Whether a run's videos were named in the wrong order.
#pragma once

#include <optional>
#include <string>

#include "video/fit_videos.h"

namespace acutance {

/// A sentence for a person where the streams tell, for nothing, that `reference` is the encode: it then has fewer bits
/// than what it was made from.
std::optional<std::string> CheckInputOrder(const PairReaderInput& reference, const PairReaderInput& encode);

}  // namespace acutance
