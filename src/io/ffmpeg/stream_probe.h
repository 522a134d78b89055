// Whether a container declares what FFmpeg would otherwise decode its first pictures for.
#pragma once

#include "io/ffmpeg/library.h"

namespace acutance {

/// Whether avformat_find_stream_info, which decodes a picture or more, would add nothing that this folder asks of an
/// opened container. So it is for MP4, MOV, Matroska and WebM files of one video alone, with a frame
/// rate, whose codec says how far pictures are reordered and that they are no fields.
bool CanSkipStreamProbe(const AVFormatContext& container);

/// Sets when a described container starts, its duration and its bit rate, as FFmpeg does. `first_time`: when the first
/// packet is shown.
void DescribeContainer(AVFormatContext& container, int64_t first_time, int64_t file_size);

}  // namespace acutance
