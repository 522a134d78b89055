// Containers and codecs, read by FFmpeg's libraries.
#pragma once

#include <memory>

#include "base/status.h"
#include "io/byte_stream.h"
#include "io/video_source.h"

namespace acutance {

/// An error that names the missing packages in a build without FFmpeg.
Result<std::unique_ptr<VideoSource>> OpenContainer(std::unique_ptr<ByteStream> stream, const OpenOptions& options);

}  // namespace acutance
