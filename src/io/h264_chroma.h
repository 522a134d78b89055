// What FFmpeg does not tell of an H.264 stream, read from its sequence parameter sets.
#pragma once

#include <cstdint>
#include <span>

namespace acutance {

/// Whether every sequence parameter set of the extradata (an MP4 file's "avcC", or NAL units after start codes) says
/// that there is chroma; false also where there is none to ask, or none that can be read.
bool H264HasChroma(std::span<const uint8_t> extradata);

}  // namespace acutance
