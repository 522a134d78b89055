// Fingerprints and timestamps of a video, and clocks: where the frames of a distorted video lie among the reference's.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
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

/// Distorted frame j shows reference frame floor(positions[j] + offset / steps): offsets are whole numbers of 1/steps
/// of a frame, so that a conversion of rates has a phase.
struct FrameClock {
  std::vector<double> positions;
  int steps = 1;      // of an offset in one reference frame
  int per_frame = 1;  // steps by which the reference advances in one distorted frame
  bool by_time = false;

  int64_t ReferenceAt(int64_t j, int64_t offset) const {
    constexpr double kRounding = 1e-4;
    return static_cast<int64_t>(std::floor(positions[j] + static_cast<double>(offset) / steps + kRounding));
  }
};

/// Frames count one by one, regardless of their times.
FrameClock IndexClock(int64_t count);

/// A clock by the times, or by the rates where frames have no times.
FrameClock TimeClock(const FrameTrack& reference, const FrameTrack& distorted);

/// Each distorted frame advances by `per_frame` reference frames.
FrameClock RateClock(int64_t count, double per_frame);

/// Reference frames in one distorted frame, of conversions between usual frame rates.
inline constexpr double kRateConversions[] = {24.0 / 60, 25.0 / 60, 24.0 / 50, 0.5,       0.6,       24.0 / 30,
                                              25.0 / 30, 24.0 / 25, 25.0 / 24, 30.0 / 25, 30.0 / 24, 50.0 / 30,
                                              2,         50.0 / 24, 60.0 / 25, 60.0 / 24};

/// Whether both clocks agree throughout: rates are equal or unknown, and frames evenly spaced.
bool ClocksAgree(const FrameTrack& reference, const FrameTrack& distorted);

/// The declared times of a video's frames: of all of them, or of none.
struct DeclaredTimes {
  std::optional<double> rate;
  std::span<const double> times;
};
bool ClocksAgree(const DeclaredTimes& reference, const DeclaredTimes& distorted);

}  // namespace acutance
