// Readers of y4m and of headerless yuv.
#pragma once

#include <memory>

#include "base/status.h"
#include "io/byte_stream.h"
#include "io/video_source.h"

namespace acutance {

/// Needs options.raw.
Result<std::unique_ptr<VideoSource>> OpenRawYuv(std::unique_ptr<ByteStream> stream, const OpenOptions& options);

/// The stream is at the start of the y4m header.
Result<std::unique_ptr<VideoSource>> OpenY4m(std::unique_ptr<ByteStream> stream, const OpenOptions& options);

}  // namespace acutance
