// Whether an H.264 stream has chroma, read from its sequence parameter sets: FFmpeg does not
// tell.
#pragma once

#include <cstdint>
#include <span>

namespace acutance {

/// Whether every sequence parameter set of the extradata (an MP4 file's "avcC", or NAL units
/// after start codes) says that there is chroma. False also where there is no readable set.
bool H264HasChroma(std::span<const uint8_t> extradata);

}  // namespace acutance
