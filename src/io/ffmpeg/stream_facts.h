// What FFmpeg's libraries know of a stream, as VideoFacts.
#pragma once

#include <acutance/facts.h>

extern "C" {
#include <libavformat/avformat.h>
}

namespace acutance {

/// `frame` is the stream's first.
VideoFacts FactsOf(const AVFormatContext& container, const AVStream& stream, const AVFrame& frame);

/// The orientation of a display matrix: nine numbers of 16.16 fixed point. Turns by other angles than right ones count
/// as none.
Orientation OrientationOf(const int32_t* matrix);

}  // namespace acutance
