// Frame clock: where the frames of a distorted video lie among the reference's, except for an offset.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/frame_track.h"

namespace acutance {

/// Distorted frame j shows reference frame floor(positions[j] + offset / steps): offsets are whole numbers of 1/steps
/// of a frame, so that a conversion of rates has a phase.
struct FrameClock {
  std::vector<double> positions;
  int steps = 1;      // of an offset in one reference frame
  int per_frame = 1;  // steps that the reference moves on in one distorted frame
  bool by_time = false;

  int64_t ReferenceAt(int64_t j, int64_t offset) const {
    constexpr double kRounding = 1e-4;
    return static_cast<int64_t>(
        std::floor(positions[static_cast<size_t>(j)] + static_cast<double>(offset) / steps + kRounding));
  }
};

/// Frames count one by one, regardless of their times.
FrameClock IndexClock(int64_t count);

/// A clock by the times, or by the rates where frames have no times.
FrameClock TimeClock(const FrameTrack& reference, const FrameTrack& distorted);

/// Distorted frames of which each moves on by `per_frame` reference frames, from the first on.
FrameClock RateClock(int64_t count, double per_frame);

/// Reference frames in one distorted frame, of conversions between usual frame rates.
inline constexpr double kRateConversions[] = {24.0 / 60, 25.0 / 60, 24.0 / 50, 0.5,       0.6,       24.0 / 30,
                                              25.0 / 30, 24.0 / 25, 25.0 / 24, 30.0 / 25, 30.0 / 24, 50.0 / 30,
                                              2,         50.0 / 24, 60.0 / 25, 60.0 / 24};

/// Whether both clocks agree throughout: rates are equal or unknown, and frames evenly spaced.
bool ClocksAgree(const FrameTrack& reference, const FrameTrack& distorted);

/// The declared times of a video's frames: of all of them, or of none.
struct ToldTimes {
  std::optional<double> rate;
  std::span<const double> times;
};
bool ClocksAgree(const ToldTimes& reference, const ToldTimes& distorted);

}  // namespace acutance
