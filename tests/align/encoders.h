// Real encoders for test clips: FFmpeg's command, where there is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "align/frame_track.h"
#include "painting.h"

namespace acutance::test {

struct Encoded {
  std::vector<FrameFingerprint> fingerprints;  // at the encode's own size
  std::vector<Frame> frames;                   // at that of the source
  std::string text;                            // what encoded it
};

/// Encodes and decodes by one of several encoders, strengths and sizes. Not set: the command failed, or frames are
/// missing.
std::optional<Encoded> EncodeFrames(const std::string& ffmpeg, const std::string& folder, double rate,
                                    const std::vector<const Frame*>& frames, Random& random);

FrameFingerprint FingerprintOf(const uint8_t* luma, int width, int height);

}  // namespace acutance::test
