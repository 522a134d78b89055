// What FFmpeg's libraries know of a stream, as VideoFacts.
#pragma once

#include <acutance/facts.h>

#include <optional>
#include <string>

#include "io/ffmpeg/declarations.h"
#include "io/frame_changes.h"

namespace acutance {

/// `frame` is the stream's first.
VideoFacts FactsOf(const AVFormatContext& container, const AVStream& stream, const AVFrame& frame);

/// What the frame declares by itself. format: its own.
FrameDeclaration DeclarationOf(const AVFrame& frame, const PictureFormat& format);

/// Whether the frame, in the host's memory, has red, green and blue or a palette.
bool IsRgb(const AVFrame& frame);

/// The warning of a color profile, or of linear samples, whose colors are not applied; empty: none is needed.
std::string ProfileWarning(const AVFrame& frame);

/// nullopt: EXIF has no such number.
std::optional<Orientation> OrientationOfExif(int number);

/// The orientation of a display matrix: nine numbers of 16.16 fixed point. Turns by other angles than right ones count
/// as none.
Orientation OrientationOf(const int32_t* matrix);

}  // namespace acutance
