// A part of a video's pictures.
#pragma once

#include <memory>

#include "base/status.h"
#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

/// `source` with that part of each picture, which is not copied. Fails where it is not inside the pictures or divides
/// chroma samples.
Result<std::unique_ptr<VideoSource>> CropVideo(std::unique_ptr<VideoSource> source, const Rectangle& rectangle);

}  // namespace acutance
