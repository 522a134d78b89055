// A video whose pictures are brought to another size.
#pragma once

#include <memory>

#include "base/status.h"
#include "convert/scaler.h"
#include "io/video_source.h"

namespace acutance {

/// `source` with its pictures scaled to `width` x `height`. Fails where they cannot be: Scaler::Make, or pictures that
/// lie on a device.
Result<std::unique_ptr<VideoSource>> ScaleVideo(std::unique_ptr<VideoSource> source, int width, int height,
                                                const ScaleOptions& options);

}  // namespace acutance
