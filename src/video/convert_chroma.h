// A video whose chroma has as many samples as another's.
#pragma once

#include <memory>

#include "base/status.h"
#include "convert/chroma_scaler.h"
#include "io/video_source.h"

namespace acutance {

/// Luma stays as it is. 4:0:0 gets chroma without color, or has others' left out.
Result<std::unique_ptr<VideoSource>> ChangeChroma(std::unique_ptr<VideoSource> source, const ChromaChange& change);

}  // namespace acutance
