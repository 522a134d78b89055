// Headerless planar yuv and y4m: frames of planes that follow one another.
#pragma once

#include <memory>

#include "base/status.h"
#include "io/byte_stream.h"
#include "io/video_source.h"

namespace acutance {

/// Needs options.raw.
Result<std::unique_ptr<VideoSource>> OpenRawYuv(std::unique_ptr<ByteStream> stream, const OpenOptions& options);

/// Opens a y4m video; the stream stands at its fingerprint.
Result<std::unique_ptr<VideoSource>> OpenY4m(std::unique_ptr<ByteStream> stream, const OpenOptions& options);

}  // namespace acutance
