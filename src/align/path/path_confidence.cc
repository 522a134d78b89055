#include "align/path/path_confidence.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "align/statistics.h"

namespace acutance {

bool LookAlike(const FittedPath& fitted, int64_t j, int64_t i, int64_t other) {
  constexpr double kAlike = 0.02;  // the part of the error
  const auto alike = [&](const FineResiduals& band) {
    return band.ReferenceDistance(i, other) <= kAlike * (band.Residual(j, i) + band.floor());
  };
  return alike(*fitted.fine) && alike(*fitted.details);
}

namespace {

/// The first of the last frames, if the path stops there. Where they are few, a lagging encode looks the same: nothing
/// after them decides.
int64_t FirstOfShortStop(const FramePath& path) {
  constexpr int64_t kFew = 4;
  const auto count = static_cast<int64_t>(path.held.size());
  int64_t first = count;
  while (first > 0 && path.held[first - 1] != 0) --first;
  return count - first <= kFew ? first : count;
}

/// How much more a path costs in which a frame shows a reference frame that looks different, for each distorted frame.
std::vector<double> MarginsOfFrames(const FramePath& path, std::span<const int64_t> judged,
                                    const std::vector<FramePath::Rival>& rivals, const FittedPath& fitted) {
  std::vector<double> margins(judged.size(), std::numeric_limits<double>::infinity());
  const int64_t stop = FirstOfShortStop(path);
  for (int64_t j = 0; j < static_cast<int64_t>(judged.size()); ++j) {
    const int64_t i = judged[j];
    if (i < 0) continue;
    FramePath::Rival rival = rivals[j];
    if (j >= stop && i + 1 < fitted.reference_count) rival = {0, i + 1};
    if (rival.reference >= 0 && !LookAlike(fitted, j, i, rival.reference)) margins[j] = rival.margin;
  }
  return margins;
}

/// Where the frames on both sides may be off by one, so may a frame or two between them, unless these are very sure.
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

/// A single repeat and a missing frame near to it may be an encode that lags and catches up: the frames about both are
/// ambiguous unless they are surer.
void DoubtLags(const FramePath& path, double sure, std::vector<double>& margins) {
  constexpr int64_t kClose = 2, kApart = 6;  // frames
  const int64_t count = std::ssize(margins);
  int64_t held = -1;
  for (int64_t j = 1; j < count; ++j) {
    const bool is_lone = path.held[j - 1] == 0 && (j + 1 == count || path.held[j + 1] == 0);
    if (path.held[j] != 0) held = is_lone ? j : -1;
    const bool returns = held > 0 && j - held <= kApart && path.held[j] == 0 && path.offsets[j] > path.offsets[j - 1] &&
                         path.offsets[j] == path.offsets[held - 1];
    for (int64_t k = std::max<int64_t>(0, held - kClose); returns && k < std::min(count, j + kClose); ++k)
      if (margins[k] < sure) margins[k] = 0;
  }
}

/// By how many reference frames distorted frame j advances, where a path says from `before` to `now`: near to that,
/// also where errors hide which of several frames that move alike it shows; near to 0 for a repeat. nullopt: too little
/// moves.
std::optional<double> FramesMoved(const FineResiduals& fine, int64_t j, int64_t before, int64_t now) {
  if (before == now) return 0;
  const double apart = fine.ReferenceDistance(before, now);
  if (apart <= 4 * fine.floor()) return std::nullopt;
  const double product =
      (fine.Residual(j, before) - fine.Residual(j, now) - fine.Residual(j - 1, before) + fine.Residual(j - 1, now)) / 2;
  return static_cast<double>(now - before) * product / apart;
}

/// Whether distorted frames begin .. end - 1 by themselves lie clearly nearer to what comes before or after their
/// reference frames, all together.
bool OwnPicturesContradict(const FittedPath& fitted, std::span<const int64_t> judged, int64_t begin, int64_t end) {
  constexpr double kClearly = 2;  // a logarithm
  double before = 0, after = 0;   // what the frames cost there beyond what they cost where they are
  for (int64_t j = begin; j < end; ++j) {
    const int64_t first = judged[j] - 1;
    if (first < 0 || first + 2 >= fitted.reference_count) continue;
    std::array<double, 3> costs;
    fitted.FillPairs(j, first, costs);
    before += costs[0] - costs[1];
    after += costs[2] - costs[1];
  }
  return std::min(before, after) < -kClearly;
}

/// Frames that fit two places lie where the sure frames on both sides have them, if these have one offset and neither
/// another path nor their own pictures speak for others: were some repeated, others would be missing again.
void TrustBetweenSure(const FramePath& path, std::span<const int64_t> judged, const FittedPath& fitted, double sure,
                      std::vector<double>& margins) {
  int64_t last_sure = -1;
  double least = 0;
  for (int64_t j = 0; j < std::ssize(margins); ++j) {
    const int64_t at = j;
    if (judged[at] < 0 || path.held[at] != 0 || (j > 0 && path.offsets[at] != path.offsets[at - 1])) last_sure = -1;
    if (judged[at] < 0 || path.held[at] != 0) continue;
    least = std::min(least, margins[at]);
    if (margins[at] < sure) continue;
    if (last_sure >= 0 && least > -sure && !OwnPicturesContradict(fitted, judged, last_sure + 1, j))
      for (int64_t k = last_sure + 1; k < j; ++k) margins[k] = std::max(margins[k], sure);
    last_sure = j;
    least = 0;
  }
}

/// By distorted frame, the part that it shows of the motion that it should; below 0: unknown, it should not move, or
/// its picture changes by far more, as after a damaged one.
std::vector<double> PartsMoved(const FramePath& path, std::span<const int64_t> judged, const FittedPath& fitted) {
  constexpr double kFarMore = 4;
  std::vector<double> parts(judged.size(), -1);
  for (int64_t j = 1; j < std::ssize(parts); ++j) {
    const int64_t before = judged[j - 1], now = judged[j];
    if (before < 0 || now <= before || path.held[j] != 0) continue;
    if (fitted.fine->DistortedMotion(j) > kFarMore * fitted.fine->ReferenceDistance(before, now)) continue;
    if (const std::optional<double> moved = FramesMoved(*fitted.fine, j, before, now))
      parts[j] = std::max(0.0, *moved / static_cast<double>(now - before));
  }
  return parts;
}

/// A frame that stops where the path advances, amid frames that advance as it says, is a repeat next to a missing
/// frame: which of the two stands for its reference frame is ambiguous. Encodes that code so stop again and again,
/// which is no evidence.
void DoubtStops(const std::vector<double>& parts_moved, std::vector<double>& margins) {
  constexpr double kStops = 0.25, kMoves = 0.7;  // of the motion
  constexpr double kHabit = 0.03;                // of all frames
  constexpr int64_t kAbout = 6, kLeast = 4;
  std::vector<double> about;
  std::vector<size_t> stops;
  int64_t times = 0;
  for (int64_t j = 1; j < std::ssize(margins); ++j) {
    if (parts_moved[j] < 0 || parts_moved[j] > kStops) continue;
    about.clear();
    for (int64_t k = std::max<int64_t>(1, j - kAbout); k < std::min<int64_t>(std::ssize(margins), j + kAbout + 1); ++k)
      if (parts_moved[k] >= 0) about.push_back(parts_moved[k]);
    if (std::ssize(about) <= kAbout || Median(about) < kMoves) continue;
    times += stops.empty() || stops.back() + 1 != static_cast<size_t>(j);
    stops.push_back(j);
  }
  if (times >= kLeast && static_cast<double>(times) >= kHabit * static_cast<double>(margins.size())) return;
  for (const size_t j : stops) margins[j] = 0;
}

/// Where a video stands still for several frames while the path advances, these are ambiguous unless they are very
/// sure. Weak encodes of noise stand still here and there: that is no evidence of stops.
void DoubtStandstills(std::span<const int64_t> judged, const std::vector<double>& parts_moved, double sure,
                      std::vector<double>& margins) {
  constexpr double kStands = 0.1;  // of the motion
  constexpr double kMost = 0.2;    // of all frames: fewer than what a path is refused for
  constexpr int64_t kLeast = 3;
  std::vector<size_t> standing, run;
  int64_t moves = 0;
  for (size_t j = 1; j <= margins.size(); ++j) {
    const bool is_repeat = j < margins.size() && judged[j] >= 0 && judged[j] == judged[j - 1];
    const bool stands = j < margins.size() && parts_moved[j] >= 0 && parts_moved[j] <= kStands;
    if (is_repeat || stands) {
      run.push_back(j);
      moves += stands;
      continue;
    }
    if (moves >= kLeast) standing.insert(standing.end(), run.begin(), run.end());
    run.clear();
    moves = 0;
  }
  if (static_cast<double>(standing.size()) > kMost * static_cast<double>(margins.size())) return;
  for (const size_t j : standing)
    if (margins[j] < sure) margins[j] = 0;
}

/// How many times as far distorted frame j lies from another reference frame as from i, by cells and details together.
double TimesNearer(const FittedPath& fitted, int64_t j, int64_t i, int64_t other) {
  const auto times = [&](const FineResiduals& band) {
    return (band.Residual(j, other) + band.floor()) / (band.Residual(j, i) + band.floor());
  };
  return times(*fitted.fine) * times(*fitted.details);
}

/// Frames that by themselves lie nearer to a neighbour of their reference frame are ambiguous, unless they are very
/// sure, where nearly all others do not: only the frames about them place them. Where more do, the encode lags, and
/// only those that lie far nearer to another one are ambiguous.
void DoubtOutOfStep(std::span<const int64_t> judged, const FittedPath& fitted, double sure,
                    std::vector<double>& margins) {
  constexpr double kMost = 0.1, kNearer = 1.1, kFar = 3;
  std::vector<size_t> out_of_step, far;
  int64_t all = 0, late = 0;
  for (int64_t j = 0; j < std::ssize(margins); ++j) {
    const int64_t i = judged[j];
    if (i < 0) continue;
    ++all;
    double least = 1;
    for (const int64_t other : {i - 1, i + 1})
      if (other >= 0 && other < fitted.reference_count && !LookAlike(fitted, j, i, other))
        least = std::min(least, TimesNearer(fitted, j, i, other));
    late += least < 1;
    if (least < 1 / kNearer) out_of_step.push_back(j);
    if (least < 1 / kFar) far.push_back(j);
  }
  if (static_cast<double>(late) > kMost * static_cast<double>(all)) out_of_step = std::move(far);
  for (const size_t j : out_of_step)
    if (margins[j] < sure) margins[j] = 0;
}

/// Another path that moves a drop or a repeat by a few frames costs no more drops or repeats: only the frames between
/// speak against it, so that those near to one are ambiguous unless they are surer.
void DoubtNearChanges(const FramePath& path, double sure, std::vector<double>& margins) {
  constexpr int64_t kAbout = 4;  // frames
  const int64_t count = std::ssize(margins);
  for (int64_t j = 1; j < count; ++j) {
    if (path.held[j] == 0 && path.offsets[j] == path.offsets[j - 1]) continue;
    for (int64_t k = std::max<int64_t>(0, j - kAbout); k < std::min(count, j + kAbout); ++k)
      if (margins[k] < sure) margins[k] = 0;
  }
}

/// A frame that stands for none of its own is no surer than the one that it repeats.
void DoubtRepeats(const FramePath& path, std::span<const int64_t> judged, double sure, std::vector<double>& margins) {
  for (size_t j = 1; j < margins.size(); ++j)
    if (path.held[j] != 0 && judged[j] == judged[j - 1] && margins[j - 1] < sure) margins[j] = 0;
}

/// A frame that leaves far more unexplained than others, and most of its motion, shows what the reference has not:
/// where the reference froze, for example. Frames that stand still after it show the same.
void DoubtUnexplained(std::span<const int64_t> judged, const FittedPath& fitted, std::vector<double>& margins) {
  constexpr double kFar = 64, kMost = 0.5;
  double moved = 0;  // by the first of such frames that follow each other, or by more since
  for (int64_t j = 1; j < std::ssize(margins); ++j) {
    const int64_t i = judged[j];
    const double left = i < 0 ? 0 : fitted.fine->Residual(j, i);
    if (left <= kFar * fitted.usual) {
      moved = 0;
      continue;
    }
    moved = std::max(moved, fitted.fine->DistortedMotion(j));
    if (left > kMost * moved) margins[j] = 0;
  }
}

constexpr int64_t kEnds = 4;  // frames at an end that a filter over time may reach
constexpr int64_t kRun = 8;   // neighbours that must follow each other

/// Whether the path continues frame by frame from distorted frame j to j + kRun.
bool Continues(const FittedPath& fitted, int64_t j) {
  const int64_t first = fitted.likely[j];
  for (int64_t k = 0; k <= kRun; ++k)
    if (first < 0 || fitted.likely[j + k] != first + k) return false;
  return true;
}

void Doubt(FittedPath& fitted, int64_t j) {
  if (fitted.shown[j] < 0) return;
  fitted.shown[j] = -1;
  fitted.doubtful.insert(std::ranges::upper_bound(fitted.doubtful, j), j);
}

}  // namespace

void MarkAmbiguousEnds(FittedPath& fitted) {
  const int64_t count = std::ssize(fitted.likely);
  if (count < 2 * (kEnds + kRun)) return;
  int64_t begin = 0, last = count - 1;
  while (begin < kEnds && !Continues(fitted, begin)) ++begin;
  while (last > count - 1 - kEnds && !Continues(fitted, last - kRun)) --last;
  const int64_t from = fitted.likely[begin] - begin;
  const int64_t to = fitted.likely[last] - last;
  for (int64_t j = 0; j < begin && Continues(fitted, begin); ++j)
    if (from + j >= 0 && fitted.shown[j] > from + j) Doubt(fitted, j);
  for (int64_t j = last + 1; j < count && Continues(fitted, last - kRun); ++j)
    if (to + j < fitted.reference_count && fitted.shown[j] < to + j) Doubt(fitted, j);
}

bool ExtendIdentityToEnds(FittedPath& fitted) {
  const int64_t count = std::ssize(fitted.likely);
  if (count != fitted.reference_count || count < 4 * kEnds) return false;
  for (int64_t j = kEnds; j < count - kEnds; ++j)
    if (fitted.likely[j] != j) return false;
  const auto is_end = [&](int64_t j) { return j < kEnds || j >= count - kEnds; };
  for (int64_t j = 0; j < count; ++j) {
    if (!is_end(j)) continue;
    fitted.shown[j] = j;
    fitted.residuals[j] = fitted.fine->Residual(j, j);
  }
  std::erase_if(fitted.doubtful, is_end);
  return true;
}

double ShareInStep(const FittedPath& fitted) {
  const int64_t count = std::min<int64_t>(std::ssize(fitted.shown), fitted.reference_count);
  int64_t in_step = 0;
  for (int64_t k = 0; k < count; ++k) {
    const auto has_value = [&](int64_t other) {
      return other < 0 || other >= count || LookAlike(fitted, k, k, other) || TimesNearer(fitted, k, k, other) > 1;
    };
    in_step += has_value(k - 1) && has_value(k + 1);
  }
  return count > 0 ? static_cast<double>(in_step) / static_cast<double>(count) : 0;
}

std::vector<int64_t> DisplayedFrames(const FrameClock& clock, const FramePath& path, const FittedPath& fitted) {
  std::vector<int64_t> shown = fitted.shown;
  for (int64_t j = 0; j < static_cast<int64_t>(shown.size()); ++j) {
    const int64_t i = clock.ReferenceAt(j, path.offsets[j]);
    if (path.held[j] != 0 && i >= 0 && i < fitted.reference_count) shown[j] = i;
  }
  return shown;
}

void MarkAmbiguous(const FramePath& path, std::span<const int64_t> judged, const std::vector<FramePath::Rival>& rivals,
                   FittedPath& fitted) {
  constexpr double kSure = 4;              // 98 %
  constexpr double kSureAlone = 6;         // of frames that are ambiguous by themselves
  constexpr double kSureAmongDoubts = 10;  // of those next to ambiguous ones
  constexpr double kSureNearChanges = 8;   // of those next to a drop or a repeat
  constexpr double kSureOfLags = 12;       // of those that seem to catch up
  std::vector<double> margins = MarginsOfFrames(path, judged, rivals, fitted);
  TrustBetweenSure(path, judged, fitted, kSure, margins);
  const std::vector<double> parts_moved = PartsMoved(path, judged, fitted);
  DoubtStops(parts_moved, margins);
  DoubtStandstills(judged, parts_moved, kSureAlone, margins);
  DoubtOutOfStep(judged, fitted, kSureAlone, margins);
  DoubtUnexplained(judged, fitted, margins);
  DoubtLags(path, kSureOfLags, margins);
  DoubtLoneFrames(kSure, kSureAmongDoubts, margins);
  DoubtNearChanges(path, kSureNearChanges, margins);
  DoubtRepeats(path, judged, kSure, margins);
  for (int64_t j = 0; j < static_cast<int64_t>(judged.size()); ++j) {
    const int64_t i = judged[j];
    if (i < 0) continue;
    const double margin = margins[j];
    if (margin < kSure) {
      fitted.shown[j] = -1;
      fitted.doubtful.push_back(j);
      continue;
    }
    fitted.least_margin = std::min(fitted.least_margin, margin);
    if (path.held[j] == 0 || fitted.IsForeign(j, i)) continue;
    fitted.shown[j] = i;
    fitted.residuals[j] = fitted.fine->Residual(j, i);
  }
}

}  // namespace acutance
