// A video's frames as far as pairing knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fingerprint/frame_fingerprint.h"

namespace acutance {

/// What a container says of its frames a second, and of when one is shown; nullopt: nothing, or what no video has and
/// frame numbers could not be computed from.
std::optional<double> PlausibleRate(std::optional<double> rate);
std::optional<double> PlausibleTime(std::optional<double> time);

struct FrameTrack {
  std::vector<FrameFingerprint> fingerprints;
  std::vector<double> times;   // seconds from the container's start, plausible ones; empty: not told
  std::optional<double> rate;  // frames a second, a plausible number
  bool is_whole = true;        // false: the video goes on, or may

  int64_t size() const { return static_cast<int64_t>(fingerprints.size()); }
};

}  // namespace acutance
