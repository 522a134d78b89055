// Containers and codecs, read by FFmpeg's libraries.
#pragma once

#include <memory>

#include "base/status.h"
#include "io/byte_stream.h"
#include "io/frame_changes.h"
#include "io/video_source.h"

namespace acutance {

/// fit: of frames whose form is not the first one's; null: those end the video with an error, as they do on devices. An
/// error that names the missing packages in a build without FFmpeg.
Result<std::unique_ptr<VideoSource>> OpenContainer(std::unique_ptr<ByteStream> stream, const OpenOptions& options,
                                                   FrameFit fit = nullptr);

}  // namespace acutance
