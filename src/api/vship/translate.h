// Translation of libvship's structures into those of the C++ API's frame scorer.
#pragma once

#include <acutance/frame_scorer.h>

#include "api/vship/abi.h"
#include "api/vship/call_status.h"

namespace acutance::vship {

/// One video's planes as a call has them, strides in bytes.
struct Planes {
  const uint8_t* const* data;
  const int64_t* strides;

  api::FramePlanes view() const { return {{{data[0], strides[0]}, {data[1], strides[1]}, {data[2], strides[2]}}}; }
};

Outcome FormatOf(const Colorspace& colors, FrameFormat& format);

api::Feature Ssimulacra2Feature();
api::Feature ButteraugliFeature(int norm, float intensity);
/// Fails where the display does not show the video's transfer function.
Outcome CvvdpFeature(const InitCvvdp& init, const FrameFormat& format, api::Feature& feature);

}  // namespace acutance::vship
