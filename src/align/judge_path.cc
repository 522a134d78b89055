#include "align/judge_path.h"

#include <algorithm>
#include <limits>

namespace acutance {

bool LookAlike(const FittedPath& fitted, int64_t j, int64_t i, int64_t other) {
  constexpr double kAlike = 0.05;  // the part of the error
  const auto alike = [&](const FineResiduals& band) {
    return band.ReferenceDistance(i, other) <= kAlike * (band.Residual(j, i) + band.floor());
  };
  return alike(*fitted.fine) && alike(*fitted.details);
}

namespace {

/// The first of the frames at the end of which the path says that the video stops. Where they are few, a late encode
/// looks the same: nothing after them tells.
int64_t FirstOfShortStop(const FramePath& path) {
  constexpr int64_t kFew = 4;
  const auto count = static_cast<int64_t>(path.held.size());
  int64_t first = count;
  while (first > 0 && path.held[static_cast<size_t>(first - 1)] != 0) --first;
  return count - first <= kFew ? first : count;
}

/// By distorted frame: how much more it costs if it shows another reference frame that does not look the same.
std::vector<double> MarginsOfFrames(const FramePath& path, std::span<const int64_t> judged,
                                    const std::vector<FramePath::Rival>& rivals, const FittedPath& fitted) {
  std::vector<double> margins(judged.size(), std::numeric_limits<double>::infinity());
  const int64_t stop = FirstOfShortStop(path);
  for (int64_t j = 0; j < static_cast<int64_t>(judged.size()); ++j) {
    const int64_t i = judged[static_cast<size_t>(j)];
    if (i < 0) continue;
    FramePath::Rival rival = rivals[static_cast<size_t>(j)];
    if (j >= stop && i + 1 < fitted.reference_count) rival = {0, i + 1};
    if (rival.reference >= 0 && !LookAlike(fitted, j, i, rival.reference))
      margins[static_cast<size_t>(j)] = rival.margin;
  }
  return margins;
}

/// Where the frames on both sides may be one off, so may a frame or two between them, unless these are very sure.
void DoubtLoneFrames(double sure, double sure_among_doubts, std::vector<double>& margins) {
  constexpr size_t kMostLone = 2;
  size_t after_doubt = 0;  // 0: no frame before this one is doubtful
  for (size_t j = 0; j < margins.size(); ++j) {
    if (margins[j] >= sure) continue;
    if (after_doubt > 0 && j - after_doubt <= kMostLone)
      for (size_t lone = after_doubt; lone < j; ++lone)
        if (margins[lone] < sure_among_doubts) margins[lone] = 0;
    after_doubt = j + 1;
  }
}

/// Frames beside one where the path does not go on frame by frame may belong to its other side, unless these are surer.
void DoubtBesideSteps(const FramePath& path, double sure, std::vector<double>& margins) {
  constexpr int64_t kBeside = 2;
  const int64_t count = std::ssize(margins);
  for (int64_t j = 1; j < count; ++j) {
    const auto at = static_cast<size_t>(j);
    if (path.offsets[at] == path.offsets[at - 1] && path.held[at] == path.held[at - 1]) continue;
    for (int64_t k = std::max<int64_t>(0, j - kBeside); k < std::min(count, j + kBeside); ++k)
      if (margins[static_cast<size_t>(k)] < sure) margins[static_cast<size_t>(k)] = 0;
  }
}

/// Whether distorted frame k lies nearer to its own reference frame, by cells and details together.
bool IsNearerThan(const FittedPath& fitted, int64_t k, int64_t other) {
  const auto times = [&](const FineResiduals& band) {
    return (band.Residual(k, other) + band.floor()) / (band.Residual(k, k) + band.floor());
  };
  return times(*fitted.fine) * times(*fitted.details) > 1;
}

constexpr int64_t kEnds = 4;     // frames at an end that a filter over time may reach
constexpr int64_t kBesides = 8;  // frames beside them that must follow each other

/// Whether the path goes on frame by frame from distorted frame j to j + kBesides.
bool GoesOn(const FittedPath& fitted, int64_t j) {
  const int64_t first = fitted.likely[static_cast<size_t>(j)];
  for (int64_t k = 0; k <= kBesides; ++k)
    if (first < 0 || fitted.likely[static_cast<size_t>(j + k)] != first + k) return false;
  return true;
}

void Doubt(FittedPath& fitted, int64_t j) {
  if (fitted.shown[static_cast<size_t>(j)] < 0) return;
  fitted.shown[static_cast<size_t>(j)] = -1;
  fitted.doubtful.insert(std::ranges::upper_bound(fitted.doubtful, j), j);
}

}  // namespace

void DoubtEnds(FittedPath& fitted) {
  const int64_t count = std::ssize(fitted.likely);
  if (count < 2 * (kEnds + kBesides)) return;
  int64_t begin = 0, last = count - 1;
  while (begin < kEnds && !GoesOn(fitted, begin)) ++begin;
  while (last > count - 1 - kEnds && !GoesOn(fitted, last - kBesides)) --last;
  const int64_t from = fitted.likely[static_cast<size_t>(begin)] - begin;
  const int64_t to = fitted.likely[static_cast<size_t>(last)] - last;
  for (int64_t j = 0; j < begin && GoesOn(fitted, begin); ++j)
    if (from + j >= 0 && fitted.shown[static_cast<size_t>(j)] > from + j) Doubt(fitted, j);
  for (int64_t j = last + 1; j < count && GoesOn(fitted, last - kBesides); ++j)
    if (to + j < fitted.reference_count && fitted.shown[static_cast<size_t>(j)] < to + j) Doubt(fitted, j);
}

bool KeepEndsPlain(FittedPath& fitted) {
  const int64_t count = std::ssize(fitted.likely);
  if (count != fitted.reference_count || count < 4 * kEnds) return false;
  for (int64_t j = kEnds; j < count - kEnds; ++j)
    if (fitted.likely[static_cast<size_t>(j)] != j) return false;
  const auto is_end = [&](int64_t j) { return j < kEnds || j >= count - kEnds; };
  for (int64_t j = 0; j < count; ++j) {
    if (!is_end(j)) continue;
    fitted.shown[static_cast<size_t>(j)] = j;
    fitted.residuals[static_cast<size_t>(j)] = fitted.fine->Residual(j, j);
  }
  std::erase_if(fitted.doubtful, is_end);
  return true;
}

double ShareInStep(const FittedPath& fitted) {
  const int64_t count = std::min(std::ssize(fitted.shown), fitted.reference_count);
  int64_t in_step = 0;
  for (int64_t k = 0; k < count; ++k) {
    const auto is_told = [&](int64_t other) {
      return other < 0 || other >= count || LookAlike(fitted, k, k, other) || IsNearerThan(fitted, k, other);
    };
    in_step += is_told(k - 1) && is_told(k + 1);
  }
  return count > 0 ? static_cast<double>(in_step) / static_cast<double>(count) : 0;
}

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
  constexpr double kSureBesideSteps = 8;
  constexpr double kSureAmongDoubts = 20;  // what AlignTracks asks of whole paths
  std::vector<double> margins = MarginsOfFrames(path, judged, rivals, fitted);
  DoubtBesideSteps(path, kSureBesideSteps, margins);
  DoubtLoneFrames(kSure, kSureAmongDoubts, margins);
  for (int64_t j = 0; j < static_cast<int64_t>(judged.size()); ++j) {
    const int64_t i = judged[static_cast<size_t>(j)];
    if (i < 0) continue;
    const double margin = margins[static_cast<size_t>(j)];
    if (margin < kSure) {
      fitted.shown[static_cast<size_t>(j)] = -1;
      fitted.doubtful.push_back(j);
      continue;
    }
    fitted.least_margin = std::min(fitted.least_margin, margin);
    if (path.held[static_cast<size_t>(j)] == 0 || fitted.IsForeign(j, i)) continue;
    fitted.shown[static_cast<size_t>(j)] = i;
    fitted.residuals[static_cast<size_t>(j)] = fitted.fine->Residual(j, i);
  }
}

}  // namespace acutance
