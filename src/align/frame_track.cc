#include "align/frame_track.h"

#include <cmath>

namespace acutance {

std::optional<double> PlausibleRate(std::optional<double> rate) {
  constexpr double kSlowest = 1e-3, kFastest = 1e5;
  return rate && *rate >= kSlowest && *rate <= kFastest ? rate : std::nullopt;
}

std::optional<double> PlausibleTime(std::optional<double> time) {
  constexpr double kMost = 1e9;  // 31 years
  return time && std::abs(*time) <= kMost ? time : std::nullopt;
}

}  // namespace acutance
