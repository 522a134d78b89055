#include "align/fit_path.h"

#include <algorithm>
#include <cmath>

#include "align/align_tracks.h"

namespace acutance {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

constexpr double kVividEnergy = FrameSignature::kCells * 48.0 * 48.0;  // of fine residuals: 1.5 steps of 8 bits a cell
constexpr int64_t kNear = 12;                                          // frames about the coarse path

double Quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// The pairs of a path that exist in the reference.
Pairs PairsOf(const FrameClock& clock, const FramePath& path, int64_t reference_count) {
  Pairs pairs;
  for (int64_t j = 0; j < static_cast<int64_t>(path.offsets.size()); ++j) {
    const int64_t i = clock.ReferenceAt(j, path.offsets[static_cast<size_t>(j)]);
    if (i >= 0 && i < reference_count && !path.held[static_cast<size_t>(j)]) pairs.emplace_back(i, j);
  }
  return pairs;
}

template <class Residuals>
void FillCosts(const Residuals& residuals, const PairingCosts& costs, int64_t j, int64_t first, std::span<double> to) {
  residuals.Fill(j, first, to);
  costs.FromResiduals(residuals.energy(j), Residuals::floor(), to);
}

template <class Residuals>
double ResidualOf(const Residuals& residuals, int64_t j, int64_t i) {
  double residual = 0;
  residuals.Fill(j, i, {&residual, 1});
  return residual;
}

/// What a pair leaves of the distorted frame's energy.
template <class Residuals>
double PartLeft(const Residuals& residuals, int64_t j, int64_t i) {
  return ResidualOf(residuals, j, i) / (residuals.energy(j) + Residuals::floor());
}

/// Learns from pairs what they usually leave, with room for worse ones.
template <class Residuals>
void LearnUsual(const Residuals& residuals, const Pairs& pairs, PairingCosts& costs) {
  constexpr double kLeast = 0.002, kMost = 0.2, kRoom = 1.5, kWorse = 0.9;
  std::vector<double> parts, all;
  for (const auto& [i, j] : pairs) {
    all.push_back(ResidualOf(residuals, j, i));
    parts.push_back(PartLeft(residuals, j, i));
  }
  costs.set_usual(std::clamp(kRoom * Quantile(std::move(parts), kWorse), kLeast, kMost),
                  kRoom * Quantile(std::move(all), kWorse));
}

/// Frames that differ far less from the one before than the frames about them do.
std::vector<uint8_t> FindRepeats(const FineResiduals& fine, int64_t count) {
  constexpr int64_t kAbout = 6;
  constexpr double kFar = 0.1;
  std::vector<double> motion;
  for (int64_t j = 0; j < count; ++j) motion.push_back(fine.DistortedMotion(j));
  std::vector<uint8_t> repeats(static_cast<size_t>(count));
  for (int64_t j = 1; j < count; ++j) {
    const auto first = motion.begin() + std::max<int64_t>(1, j - kAbout);
    const auto last = motion.begin() + std::min(count, j + kAbout + 1);
    const double usual = Quantile({first, last}, 0.75);
    repeats[static_cast<size_t>(j)] =
        usual > 4 * FineResiduals::floor() && motion[static_cast<size_t>(j)] < kFar * usual;
  }
  return repeats;
}

/// A path over offsets within the band, twice: the first gives what pairs usually leave.
struct CoarsePath {
  FrameClock clock;
  FramePath path;
  PairingCosts costs;
};

CoarsePath FindCoarsePath(const CoarseResiduals& coarse, FrameClock clock, const FrameTrack& reference,
                          const FrameTrack& distorted) {
  const double rate = reference.rate.value_or(distorted.rate.value_or(25));
  const auto band = static_cast<int64_t>(std::clamp(kMostSecondsApart * rate, 24.0, 1200.0)) * clock.steps;
  CoarsePath result{std::move(clock), {}, {}};
  PathSearch search;
  search.reference_count = reference.size();
  search.clock = result.clock;
  search.window = [band](int64_t, int64_t around) { return PathSearch::Window{around - band, around + band}; };
  search.fill = [&](int64_t j, int64_t first, std::span<double> costs) {
    FillCosts(coarse, result.costs, j, first, costs);
  };
  for (int round = 0; round < 2; ++round) {
    result.path = FindPath(search);
    if (round == 0) LearnUsual(coarse, PairsOf(result.clock, result.path, reference.size()), result.costs);
  }
  return result;
}

double UsualGain(const CoarseResiduals& coarse, const Pairs& pairs) {
  std::vector<double> gains;
  for (const auto& [i, j] : pairs)
    if (const double gain = coarse.GainOf(j, i); gain > 0) gains.push_back(gain);
  return gains.empty() ? 1 : std::clamp(Quantile(std::move(gains), 0.5), 0.5, 2.0);
}

/// Makes the fine residuals of `fitted` from pairs that are right for the most part.
void MakeFine(const FrameTrack& reference, const FrameTrack& distorted, const Pairs& pairs, FittedPath& fitted) {
  fitted.fine = std::make_unique<FineResiduals>(reference, distorted, UsualGain(*fitted.coarse, pairs), pairs);
  LearnUsual(*fitted.fine, pairs, fitted.fine_costs);
}

/// Leaves out frames that belong to no reference frame, and sums up how well the others fit.
void Assess(const FramePath& path, const FrameClock& clock, FittedPath& fitted) {
  const Pairs pairs = PairsOf(clock, path, fitted.reference_count);
  std::vector<double> all, parts;
  for (const auto& [i, j] : pairs) all.push_back(fitted.fine->Residual(j, i));
  fitted.usual = Quantile(all, 0.5) + FineResiduals::floor();
  fitted.shown.assign(path.offsets.size(), -1);
  fitted.residuals.assign(path.offsets.size(), 0);
  // Coarse residuals: the constant differences of fine ones would explain any picture that stands still.
  for (const auto& [i, j] : pairs)
    if (fitted.fine->energy(j) > kVividEnergy) parts.push_back(PartLeft(*fitted.coarse, j, i));
  fitted.vivid_pairs = static_cast<int64_t>(parts.size());
  fitted.unexplained = parts.empty() ? 1 : Quantile(std::move(parts), 0.5);
  for (size_t k = 0; k < pairs.size(); ++k) {
    const auto& [i, j] = pairs[k];
    if (fitted.IsForeign(j, i)) continue;
    fitted.shown[static_cast<size_t>(j)] = i;
    fitted.residuals[static_cast<size_t>(j)] = all[k];
  }
  for (size_t j = 0; j < path.offsets.size(); ++j)
    fitted.vivid += fitted.fine->energy(static_cast<int64_t>(j)) > kVividEnergy;
}

}  // namespace

bool FittedPath::IsForeign(int64_t j, int64_t i) const {
  constexpr double kFar = 16, kPart = 0.5, kClear = 0.1;
  // Many foreign frames in the fit of fine residuals hide themselves there, but not in coarse ones.
  if (unexplained < kClear && fine->energy(j) > kVividEnergy && PartLeft(*coarse, j, i) > kPart) return true;
  const double residual = fine->Residual(j, i);
  return residual > kFar * usual && residual > kPart * std::max(fine->energy(j), kVividEnergy);
}

FittedPath FitPath(const FrameTrack& reference, const FrameTrack& distorted) {
  FittedPath fitted;
  fitted.reference_count = reference.size();
  fitted.coarse = std::make_unique<CoarseResiduals>(reference, distorted);
  CoarsePath coarse = FindCoarsePath(*fitted.coarse, IndexClock(distorted.size()), reference, distorted);
  if (!ClocksAgree(reference, distorted)) {
    CoarsePath timed = FindCoarsePath(*fitted.coarse, TimeClock(reference, distorted), reference, distorted);
    if (timed.path.cost < coarse.path.cost) coarse = std::move(timed);
  }
  fitted.coarse_costs = coarse.costs;
  const FrameClock& clock = coarse.clock;
  MakeFine(reference, distorted, PairsOf(clock, coarse.path, reference.size()), fitted);
  PathSearch search;
  search.reference_count = reference.size();
  search.clock = clock;
  search.repeats = FindRepeats(*fitted.fine, distorted.size());
  search.window = [&](int64_t j, int64_t) {
    const int64_t centre = coarse.path.offsets[static_cast<size_t>(j)], reach = kNear * clock.steps;
    return PathSearch::Window{centre - reach, centre + reach};
  };
  search.fill = [&](int64_t j, int64_t first, std::span<double> costs) {
    FillCosts(*fitted.fine, fitted.fine_costs, j, first, costs);
  };
  Assess(FindPath(search), clock, fitted);
  return fitted;
}

std::optional<FittedPath> FitNearIndex(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr int64_t kVeryNear = 3;
  FittedPath fitted;
  fitted.reference_count = reference.size();
  fitted.coarse = std::make_unique<CoarseResiduals>(reference, distorted);
  Pairs pairs;
  for (int64_t k = 0; k < std::min(reference.size(), distorted.size()); ++k) pairs.emplace_back(k, k);
  MakeFine(reference, distorted, pairs, fitted);
  PathSearch search;
  search.reference_count = reference.size();
  search.clock = IndexClock(static_cast<int64_t>(pairs.size()));
  search.repeats = FindRepeats(*fitted.fine, static_cast<int64_t>(pairs.size()));
  search.window = [](int64_t, int64_t) { return PathSearch::Window{-kVeryNear, kVeryNear}; };
  search.fill = [&](int64_t j, int64_t first, std::span<double> costs) {
    FillCosts(*fitted.fine, fitted.fine_costs, j, first, costs);
  };
  const FramePath path = FindPath(search);
  for (size_t j = 0; j < path.offsets.size(); ++j)
    if (path.offsets[j] != 0 || path.held[j]) return std::nullopt;
  Assess(path, search.clock, fitted);
  if (fitted.vivid_pairs == 0 || fitted.unexplained > kMostUnexplained) return std::nullopt;
  for (const int64_t i : fitted.shown)
    if (i < 0) return std::nullopt;
  return fitted;
}

}  // namespace acutance
