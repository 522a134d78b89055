// FFmpeg's decoded frames as pictures.
#pragma once

#include <acutance/facts.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "image/picture.h"
#include "image/picture_pool.h"
#include "io/ffmpeg/declarations.h"

namespace acutance {

/// The picture format of a frame of FFmpeg's pixel format `samples`. If that is not 400, 420, 422
/// or 444 YUV of 8, 10, 12 or 16 bits, the error names it and says how to convert `video`. 4:1:1 is
/// 422. With `take_rgb`, red, green and blue of these depths are the planes of a 444, and so
/// are the colors of a palette.
Result<PictureFormat> FormatOf(const AVFrame& frame, AVPixelFormat samples, const std::string& video,
                               bool take_rgb = false);

/// What the frame's stream says of its samples.
VideoColor ColorOf(const AVFrame& frame);

/// Planes with the layout of Picture are used in place; others (nv12, p010, packed or big-endian
/// YUV, palettes) are copied out, into memory of `pool`.
Result<Picture> PictureOf(std::shared_ptr<const AVFrame> frame, const PictureFormat& format, bool luma_only,
                          PicturePool& pool);

}  // namespace acutance
