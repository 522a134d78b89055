// Videos whose samples of two bytes lie at odd addresses of a mapped file, after a y4m header of odd length.
#pragma once

#include <memory>

#include "io/video_source.h"

namespace acutance {

/// `source` with its pictures copied to where their samples may be read; those that lie there are left in place. Left
/// lazy, they come as they lie: devices are sent copies of the bytes.
std::unique_ptr<VideoSource> AlignSamples(std::unique_ptr<VideoSource> source);

}  // namespace acutance
