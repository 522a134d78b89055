#include "align/judge_path.h"

#include <algorithm>

namespace acutance {
namespace {

/// Whether two reference frames differ by little, for what an encode of the first left of it.
bool LookAlike(const FittedPath& fitted, int64_t j, int64_t i, int64_t other) {
  constexpr double kAlike = 0.05;  // the part of the error
  const auto alike = [&](const FineResiduals& band) {
    return band.ReferenceDistance(i, other) <= kAlike * (band.Residual(j, i) + band.floor());
  };
  return alike(*fitted.fine) && alike(*fitted.details);
}

/// The first of the frames at the end of which the path says that the video stops. Where they are few, a late encode
/// looks the same: nothing after them tells.
int64_t FirstOfShortStop(const FramePath& path) {
  constexpr int64_t kFew = 4;
  const auto count = static_cast<int64_t>(path.held.size());
  int64_t first = count;
  while (first > 0 && path.held[static_cast<size_t>(first - 1)] != 0) --first;
  return count - first <= kFew ? first : count;
}

}  // namespace

std::vector<int64_t> ShownOrHeld(const FrameClock& clock, const FramePath& path, const FittedPath& fitted) {
  std::vector<int64_t> shown = fitted.shown;
  for (int64_t j = 0; j < static_cast<int64_t>(shown.size()); ++j) {
    const int64_t i = clock.ReferenceAt(j, path.offsets[static_cast<size_t>(j)]);
    if (path.held[static_cast<size_t>(j)] != 0 && i >= 0 && i < fitted.reference_count)
      shown[static_cast<size_t>(j)] = i;
  }
  return shown;
}

void Judge(const FramePath& path, std::span<const int64_t> judged, const std::vector<FramePath::Rival>& rivals,
           FittedPath& fitted) {
  constexpr double kSure = 4;  // 98 %
  const int64_t stop = FirstOfShortStop(path);
  for (int64_t j = 0; j < static_cast<int64_t>(judged.size()); ++j) {
    const int64_t i = judged[static_cast<size_t>(j)];
    if (i < 0) continue;
    FramePath::Rival rival = rivals[static_cast<size_t>(j)];
    if (j >= stop && i + 1 < fitted.reference_count) rival = {0, i + 1};
    const bool is_alike = rival.reference < 0 || LookAlike(fitted, j, i, rival.reference);
    if (!is_alike && rival.margin < kSure) {
      fitted.shown[static_cast<size_t>(j)] = -1;
      fitted.doubtful.push_back(j);
      continue;
    }
    if (!is_alike) fitted.least_margin = std::min(fitted.least_margin, rival.margin);
    if (path.held[static_cast<size_t>(j)] == 0 || fitted.IsForeign(j, i)) continue;
    fitted.shown[static_cast<size_t>(j)] = i;
    fitted.residuals[static_cast<size_t>(j)] = fitted.fine->Residual(j, i);
  }
}

}  // namespace acutance
