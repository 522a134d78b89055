// Samples of more bits that keep their range: white of full range stays white, which a shift does not do.
#pragma once

#include <memory>

#include "io/video_source.h"

namespace acutance {

/// Limited range is shifted up. Of full range 0 and the largest value stay the ends of luma and of red, green and blue,
/// and the middle stays that of chroma (ITU-T H.273); what lies between is rounded to nearest.
std::unique_ptr<VideoSource> DeepenVideo(std::unique_ptr<VideoSource> source, int bit_depth, bool full_range);

}  // namespace acutance
