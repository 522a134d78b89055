// Fingerprints and timestamps of a video.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fingerprint/frame_fingerprint.h"

namespace acutance {

/// A container's frame rate and a frame's time; nullopt: not declared, or implausible, so that frame numbers could not
/// be computed from it.
std::optional<double> PlausibleRate(std::optional<double> rate);
std::optional<double> PlausibleTime(std::optional<double> time);

/// The sum of the absolute differences of the cells: 256 is an 8-bit sample in one cell.
int64_t CellDifference(const FrameFingerprint& a, const FrameFingerprint& b);

struct FrameTrack {
  std::vector<FrameFingerprint> fingerprints;
  std::vector<double> times;   // seconds from the container's start, plausible ones; empty: not declared
  std::optional<double> rate;  // frames a second, a plausible number
  bool is_whole = true;        // false: the video continues, or may

  int64_t size() const { return static_cast<int64_t>(fingerprints.size()); }
};

}  // namespace acutance
