#include "align/frame_track.h"

#include <cmath>
#include <cstdlib>

namespace acutance {

std::optional<double> PlausibleRate(std::optional<double> rate) {
  constexpr double kSlowest = 1e-3, kFastest = 1e5;
  return rate && *rate >= kSlowest && *rate <= kFastest ? rate : std::nullopt;
}

std::optional<double> PlausibleTime(std::optional<double> time) {
  constexpr double kMost = 1e9;  // 31 years
  return time && std::abs(*time) <= kMost ? time : std::nullopt;
}

int64_t CellDifference(const FrameFingerprint& a, const FrameFingerprint& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.cells.size(); ++i) sum += std::abs(int{a.cells[i]} - int{b.cells[i]});
  return sum;
}

}  // namespace acutance
