#include "align/path/fit_path.h"

#include <algorithm>

#include "align/align_tracks.h"
#include "align/path/path_confidence.h"
#include "align/path/step_costs.h"
#include "align/statistics.h"
#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr double kVividEnergy =
    FrameFingerprint::kCells * 48.0 * 48.0;  // of fine residuals: 1.5 steps of 8 bits a cell
constexpr int64_t kNear = 12;                // frames about the coarse path

double Quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// The pairs of a path that exist in the reference.
PairList PairsOf(const FrameClock& clock, const FramePath& path, int64_t reference_count) {
  PairList pairs;
  for (int64_t j = 0; j < static_cast<int64_t>(path.offsets.size()); ++j) {
    const int64_t i = clock.ReferenceAt(j, path.offsets[j]);
    if (i >= 0 && i < reference_count && !path.held[j]) pairs.emplace_back(i, j);
  }
  return pairs;
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
  return ResidualOf(residuals, j, i) / (residuals.energy(j) + residuals.floor());
}

/// Learns from pairs what they usually leave, with room for worse ones.
template <class Residuals>
void LearnUsual(const Residuals& residuals, const PairList& pairs, PairingCosts& costs) {
  constexpr double kLeast = 0.002, kMost = 0.2, kRoom = 1.5, kWorse = 0.9;
  std::vector<double> parts, all;
  for (const auto& [i, j] : pairs) {
    all.push_back(ResidualOf(residuals, j, i));
    parts.push_back(PartLeft(residuals, j, i));
  }
  costs.set_usual(std::clamp(kRoom * Quantile(std::move(parts), kWorse), kLeast, kMost),
                  kRoom * Quantile(std::move(all), kWorse));
}

/// Frames that differ far less from the one before than the frames about them do, which move by `least` times what
/// rounding leaves.
std::vector<uint8_t> FindRepeats(const FineResiduals& fine, int64_t count, double least = 4) {
  constexpr int64_t kAbout = 6;
  constexpr double kFar = 0.1;
  std::vector<double> motion;
  for (int64_t j = 0; j < count; ++j) motion.push_back(fine.DistortedMotion(j));
  std::vector<uint8_t> repeats(count);
  for (int64_t j = 1; j < count; ++j) {
    const auto first = motion.begin() + std::max<int64_t>(1, j - kAbout);
    const auto last = motion.begin() + std::min(count, j + kAbout + 1);
    const double usual = Quantile({first, last}, 0.75);
    repeats[j] = usual > least * fine.floor() && motion[j] < kFar * usual;
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
  const int64_t band = MostFramesApart(reference, distorted) * clock.steps;
  CoarsePath result{std::move(clock), {}, {}};
  PathSearch search;
  search.reference_count = reference.size();
  search.clock = result.clock;
  search.window = [band](int64_t, int64_t around) { return PathSearch::Window{around - band, around + band}; };
  search.fill = [&](int64_t j, int64_t first, std::span<double> costs) { result.costs.Fill(coarse, j, first, costs); };
  for (int round = 0; round < 2; ++round) {
    result.path = FindPath(search);
    if (round == 0) LearnUsual(coarse, PairsOf(result.clock, result.path, reference.size()), result.costs);
  }
  return result;
}

/// Where a rate is not declared: conversions that may explain the path, or the numbers of frames.
std::vector<FrameClock> UndeclaredClocks(const FrameTrack& reference, const FrameTrack& distorted,
                                         const PairList& pairs) {
  constexpr double kTolerance = 0.03, kLeast = 24;
  std::vector<FrameClock> clocks;
  if ((reference.rate && distorted.rate) || pairs.size() < 2) return clocks;
  const auto frames = static_cast<double>(pairs.back().second - pairs.front().second);
  const double of_path = static_cast<double>(pairs.back().first - pairs.front().first) / std::max(frames, kLeast);
  const double of_counts = static_cast<double>(reference.size()) / static_cast<double>(distorted.size());
  for (const double each : kRateConversions)
    if (std::abs(of_path / each - 1) < kTolerance || std::abs(of_counts / each - 1) < kTolerance)
      clocks.push_back(RateClock(distorted.size(), each));
  return clocks;
}

double UsualGain(const CoarseResiduals& coarse, const PairList& pairs) {
  std::vector<double> gains;
  for (const auto& [i, j] : pairs)
    if (const double gain = coarse.GainOf(j, i); gain > 0) gains.push_back(gain);
  return gains.empty() ? 1 : std::clamp(Quantile(std::move(gains), 0.5), 0.5, 2.0);
}

/// Coarse cells do not see a small thing that moves before a still picture: the path follows the offset by which that
/// fits, if it is another one.
void FollowWhatMoves(const FrameTrack& reference, const FrameTrack& distorted, CoarsePath& coarse, FittedPath& fitted) {
  const PairList pairs = PairsOf(coarse.clock, coarse.path, reference.size());
  fitted.moving = std::make_unique<MovingPart>(reference, distorted, UsualGain(*fitted.coarse, pairs));
  const std::optional<int64_t> offset =
      fitted.moving->BetterOffset(coarse.clock, MostFramesApart(reference, distorted) * coarse.clock.steps, pairs);
  if (!offset) return;
  std::ranges::fill(coarse.path.offsets, *offset);
  std::ranges::fill(coarse.path.held, uint8_t{0});
}

/// Makes the fine residuals of `fitted` from pairs that are right for the most part.
void MakeFine(const FrameTrack& reference, const FrameTrack& distorted, const PairList& pairs, FittedPath& fitted) {
  const double gain = UsualGain(*fitted.coarse, pairs);
  using Band = FineResiduals::Band;
  fitted.fine = std::make_unique<FineResiduals>(Band::kCells, reference, distorted, gain, pairs);
  fitted.details = std::make_unique<FineResiduals>(Band::kDetails, reference, distorted, gain, pairs);
  LearnUsual(*fitted.fine, pairs, fitted.fine_costs);
}

/// Leaves out frames that are no encode of their reference frames. A few of them in the middle were coded badly, as
/// after a shot boundary: were they foreign, the path would not continue behind them.
void LeaveOutForeign(FittedPath& fitted) {
  constexpr int64_t kFew = 8;
  const auto count = static_cast<int64_t>(fitted.shown.size());
  for (int64_t begin = 0, end = 0; begin < count; begin = end + 1) {
    const auto shown = [&](int64_t j) -> int64_t& { return fitted.shown[j]; };
    for (end = begin; end < count && shown(end) >= 0 && fitted.IsForeign(end, shown(end));) ++end;
    const bool inside = begin > 0 && end < count && shown(begin - 1) >= 0 && shown(end) >= 0;
    if (inside && end - begin < kFew) continue;
    for (int64_t j = begin; j < end; ++j) shown(j) = -1;
  }
}

/// Takes the pairs of the path, and sums up how well they fit.
void Assess(const FramePath& path, const FrameClock& clock, FittedPath& fitted) {
  const PairList pairs = PairsOf(clock, path, fitted.reference_count);
  std::vector<double> all, parts, energies;
  for (const auto& [i, j] : pairs) all.push_back(fitted.fine->Residual(j, i));
  fitted.usual = Quantile(all, 0.5) + fitted.fine->floor();
  fitted.shown.assign(path.offsets.size(), -1);
  fitted.residuals.assign(path.offsets.size(), 0);
  // Coarse residuals: the constant differences of fine ones would explain any picture that stands still.
  for (const auto& [i, j] : pairs) {
    if (fitted.fine->energy(j) <= kVividEnergy) continue;
    parts.push_back(PartLeft(*fitted.coarse, j, i));
    energies.push_back(fitted.coarse->energy(j));
  }
  fitted.vivid_pairs = static_cast<int64_t>(parts.size());
  fitted.usual_energy = Quantile(std::move(energies), 0.5);
  fitted.unexplained = parts.empty() ? 1 : Quantile(std::move(parts), 0.5);
  for (size_t k = 0; k < pairs.size(); ++k) {
    const auto& [i, j] = pairs[k];
    fitted.shown[j] = i;
    fitted.residuals[j] = all[k];
  }
  LeaveOutForeign(fitted);
  for (size_t j = 0; j < path.offsets.size(); ++j)
    fitted.vivid += fitted.fine->energy(static_cast<int64_t>(j)) > kVividEnergy;
}

/// Whether a path that ends at an offset other than 0 is believed. Missing frames are believed, since no encode shows
/// what comes later; a lagging one catches up now and then, so that the last third of the lag must still fit far
/// better.
bool EndsElsewhere(const FineResiduals& fine, const FramePath& path) {
  constexpr double kSure = 6;  // a logarithm
  const int64_t offset = path.offsets.back();
  if (offset >= 0 && path.held.back() == 0) return offset > 0;
  const auto count = static_cast<int64_t>(path.offsets.size());
  int64_t begin = count;
  while (begin > 0 && path.offsets[begin - 1] < 0) --begin;
  const double floor = 16 * fine.floor();
  double better = 0;
  for (int64_t j = begin + 2 * (count - begin) / 3; j < count; ++j)
    if (const int64_t late = j + path.offsets[j]; late >= 0)
      better += kNats * Log2((fine.Residual(j, j) + floor) / (fine.Residual(j, late) + floor));
  return better > kSure;
}

/// Whether no frame fits a neighbour of its own reference frame far better: an encode that lags where little moves, or
/// stops there, is no reason to leave frames out.
bool FitsEachFrame(const FineResiduals& fine, const PairList& pairs, int64_t reference_count) {
  constexpr double kBetter = 3;
  const double floor = 16 * fine.floor();  // a fourth of an 8-bit step in each cell
  std::vector<double> near;
  for (const auto& [i, j] : pairs) {
    const double own = fine.Residual(j, i) + floor;
    const int64_t first = std::max<int64_t>(0, i - kNear), last = std::min(reference_count - 1, i + kNear);
    near.resize(last - first + 1);
    fine.Fill(j, first, near);
    if (own > kBetter * (*std::ranges::min_element(near) + floor)) return false;
  }
  return true;
}

/// Whether no frame is far worse than the others.
bool FitsEvenly(const FineResiduals& fine, const PairList& pairs) {
  constexpr double kWorse = 6;
  std::vector<double> all;
  for (const auto& [i, j] : pairs) all.push_back(fine.Residual(j, i) + 16 * fine.floor());
  return *std::ranges::max_element(all) <= kWorse * Quantile(all, 0.5);
}

/// Whether what is new in errors is nowhere far less on the path than frame by frame.
bool StepsFit(const StepCosts& steps, double floor, const FramePath& path) {
  constexpr double kBetter = 3;
  for (int64_t j = 1; j < static_cast<int64_t>(path.offsets.size()); ++j) {
    const int64_t before = j - 1 + path.offsets[j - 1];
    const int64_t now = j + path.offsets[j];
    if (before < 0 || now < before || (before == j - 1 && now == j)) continue;
    if (steps.Innovation(j, j - 1, j) + floor > kBetter * (steps.Innovation(j, before, now) + floor)) return false;
  }
  return true;
}

/// Whether a frame that repeats the one before lies nearer to that one's reference frame, amid frames that lie nearest
/// to their own: their encode does not lag, so that it did not stop by itself.
bool StopsAmidAligned(const FittedPath& fitted, int64_t distorted_count) {
  constexpr int64_t kAbout = 12, kLeast = 8;
  constexpr double kMost = 0.9;
  const std::vector<uint8_t> repeats = FindRepeats(*fitted.fine, distorted_count, 1);
  const auto is_nearer = [&](int64_t j, int64_t other) {
    const double cells = fitted.fine->Residual(j, j) - fitted.fine->Residual(j, other);
    const double details = fitted.details->Residual(j, j) - fitted.details->Residual(j, other);
    return cells >= 0 && details >= 0 && cells + details > 0;
  };
  const auto last = std::min(static_cast<int64_t>(repeats.size()), fitted.reference_count) - 1;
  for (int64_t j = 1; j < last; ++j) {
    if (repeats[j] == 0 || !is_nearer(j, j - 1)) continue;
    int64_t about = 0, in_step = 0;
    for (int64_t k = std::max<int64_t>(1, j - kAbout); k < std::min(last, j + kAbout + 1); ++k) {
      if (repeats[k] != 0) continue;
      ++about;
      in_step +=
          fitted.fine->Residual(k, k) < std::min(fitted.fine->Residual(k, k - 1), fitted.fine->Residual(k, k + 1));
    }
    if (about >= kLeast && static_cast<double>(in_step) >= kMost * static_cast<double>(about)) return true;
  }
  return false;
}

/// Bases the costs of paths on what is new in the errors of frames, learned from these pairs.
void UseSteps(const PairList& pairs, int64_t distorted_count, FittedPath& fitted, PathSearch& search) {
  fitted.steps = std::make_unique<StepCosts>(*fitted.fine, pairs, distorted_count, fitted.reference_count);
  fitted.detail_steps = std::make_unique<StepCosts>(*fitted.details, pairs, distorted_count, fitted.reference_count);
  search.fill_steps = [&fitted](int64_t j, int64_t first_before, int64_t befores, int64_t first,
                                std::span<const double> pairs_now, std::span<double> steps) {
    constexpr double kAnew = 5;  // an error that has nothing of the one before
    const size_t count = pairs_now.size();
    fitted.FillNew(j, first_before, befores, first, static_cast<int64_t>(count), steps);
    const double strange = *std::ranges::min_element(pairs_now);
    for (size_t k = 0; k < steps.size(); ++k) {
      const double pair = pairs_now[k % count];
      steps[k] = std::min(pair + kAnew, strange + (pair - strange + steps[k]) / 2);
    }
  };
}

/// Whether nearly all frames that are no repeats lie at one offset.
bool FollowsClock(const FramePath& path) {
  constexpr double kNearlyAll = 0.97;
  std::vector<int64_t> offsets;
  for (size_t j = 0; j < path.offsets.size(); ++j)
    if (path.held[j] == 0) offsets.push_back(path.offsets[j]);
  if (offsets.empty()) return false;
  const auto same = static_cast<double>(std::ranges::count(offsets, Median(offsets)));
  return same >= kNearlyAll * static_cast<double>(offsets.size());
}

/// Evidence for the pairs of a path counts by what it exceeds 0.8 a frame. Errors of an encode that lags, or that is
/// blurred or filtered over time, persist: they speak for the wrong frame by a little in one frame after the other,
/// which would add up to any certainty. Errors that do not persist, such as noise, speak anew in each frame. Evidence
/// against the path counts in full.
void DoubtLittleEvidence(std::span<const int64_t> judged, double persistence, PathSearch& search) {
  constexpr double kLittle = 0.8, kLast = 0.5;  // errors that persist more do not average out
  search.fill_steps = [fill = search.fill_steps, judged, little = kLittle * std::min(1.0, persistence / kLast)](
                          int64_t j, int64_t first_before, int64_t befores, int64_t first,
                          std::span<const double> pairs_now, std::span<double> steps) {
    fill(j, first_before, befores, first, pairs_now, steps);
    const auto count = static_cast<int64_t>(pairs_now.size());
    const int64_t before = judged[j - 1] - first_before;
    const int64_t now = judged[j] - first;
    if (before < 0 || before >= befores || now < 0 || now >= count) return;
    const double own = steps[before * count + now];
    for (double& step : steps) step = std::min(step, std::max(own, step - little));
  };
}

}  // namespace

int64_t MostFramesApart(const FrameTrack& reference, const FrameTrack& distorted) {
  const double rate = reference.rate.value_or(distorted.rate.value_or(25));
  return static_cast<int64_t>(std::clamp(kMostSecondsApart * rate, 24.0, 1200.0));
}

bool FittedPath::IsForeign(int64_t j, int64_t i) const {
  constexpr double kFar = 16, kPart = 0.5, kClear = 0.1, kOfAPicture = 0.2;
  // Many foreign frames in the fit of fine residuals hide themselves there, but not in coarse ones.
  if (unexplained < kClear && fine->energy(j) > kVividEnergy && PartLeft(*coarse, j, i) > kPart) return true;
  // A black frame has no energy of its own to measure by. Contrast that is fitted halves what it lacks at most.
  const bool is_flat = fine->energy(j) <= kVividEnergy;
  if (unexplained < kClear && is_flat && ResidualOf(*coarse, j, i) > kOfAPicture * usual_energy) return true;
  const double residual = fine->Residual(j, i);
  return residual > kFar * usual && residual > kPart * std::max(fine->energy(j), kVividEnergy);
}

void FittedPath::FillPairs(int64_t j, int64_t first, std::span<double> costs, double tie) const {
  fine_costs.Fill(*fine, j, first, costs, tie);
  const double least = *std::ranges::min_element(costs);
  for (double& cost : costs) cost = least + weights.cells * (cost - least);
  if (weights.details == 0) return;
  std::vector<double> finer(costs.size());
  detail_costs.Fill(*details, j, first, finer, tie);
  for (size_t k = 0; k < costs.size(); ++k) costs[k] += weights.details * finer[k];
}

void FittedPath::FillNew(int64_t j, int64_t first_before, int64_t befores, int64_t first, int64_t count,
                         std::span<double> costs) const {
  steps->Fill(j, first_before, befores, first, count, costs);
  for (double& cost : costs) cost *= weights.new_cells;
  if (weights.new_details == 0) return;
  std::vector<double> finer(costs.size());
  detail_steps->Fill(j, first_before, befores, first, count, finer);
  for (size_t k = 0; k < costs.size(); ++k) costs[k] += weights.new_details * finer[k];
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
  for (FrameClock& each :
       UndeclaredClocks(reference, distorted, PairsOf(coarse.clock, coarse.path, reference.size()))) {
    CoarsePath converted = FindCoarsePath(*fitted.coarse, std::move(each), reference, distorted);
    if (converted.path.cost < coarse.path.cost) coarse = std::move(converted);
  }
  FollowWhatMoves(reference, distorted, coarse, fitted);
  fitted.coarse_costs = coarse.costs;
  const FrameClock& clock = coarse.clock;
  MakeFine(reference, distorted, PairsOf(clock, coarse.path, reference.size()), fitted);
  PathSearch search;
  search.reference_count = reference.size();
  search.clock = clock;
  search.repeats = FindRepeats(*fitted.fine, distorted.size());
  search.window = [&](int64_t j, int64_t) {
    const int64_t centre = coarse.path.offsets[j], reach = kNear * clock.steps;
    return PathSearch::Window{centre - reach, centre + reach};
  };
  search.fill = [&](int64_t j, int64_t first, std::span<double> costs) { fitted.FillPairs(j, first, costs); };
  // Details are wrong in most frames of weak encodes: cells find the path that says what they weigh.
  fitted.weights = {.details = 0, .new_details = 0};
  FramePath path = FindPath(search);
  for (int round = 0; round < 2; ++round) {
    const PairList pairs = PairsOf(clock, path, reference.size());
    UseSteps(pairs, distorted.size(), fitted, search);
    if (round == 1) fitted.weights = LearnWeights(pairs, fitted);
    path = FindPath(search);
  }
  Assess(path, clock, fitted);
  fitted.follows_clock = FollowsClock(path);
  fitted.likely = fitted.shown;
  search.costs = kJudgingCosts;
  const std::vector<int64_t> judged = DisplayedFrames(clock, path, fitted);
  search.judged = judged;
  search.is_rival = [&](int64_t j, int64_t own, int64_t other) { return !LookAlike(fitted, j, own, other); };
  DoubtLittleEvidence(judged, std::max(fitted.steps->persistence(), fitted.detail_steps->persistence()), search);
  MarkAmbiguous(path, judged, FindPath(search).rivals, fitted);
  return fitted;
}

std::optional<FittedPath> FitNearIndex(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr int64_t kVeryNear = 3;
  FittedPath fitted;
  fitted.reference_count = reference.size();
  fitted.coarse = std::make_unique<CoarseResiduals>(reference, distorted);
  PairList pairs;
  for (int64_t k = 0; k < std::min(reference.size(), distorted.size()); ++k) pairs.emplace_back(k, k);
  MakeFine(reference, distorted, pairs, fitted);
  PathSearch search;
  search.reference_count = reference.size();
  search.clock = IndexClock(static_cast<int64_t>(pairs.size()));
  search.repeats = FindRepeats(*fitted.fine, static_cast<int64_t>(pairs.size()));
  search.window = [](int64_t, int64_t) { return PathSearch::Window{-kVeryNear, kVeryNear}; };
  search.fill = [&](int64_t j, int64_t first, std::span<double> costs) { fitted.FillPairs(j, first, costs); };
  UseSteps(pairs, distorted.size(), fitted, search);
  fitted.weights = LearnWeights(pairs, fitted);
  fitted.weights.cells = std::max(fitted.weights.cells, 1.0);
  fitted.weights.new_cells = std::max(fitted.weights.new_cells, 1.0);
  const FramePath path = FindPath(search);
  const bool is_identity = std::ranges::all_of(path.offsets, [](int64_t offset) { return offset == 0; }) &&
                           std::ranges::all_of(path.held, [](uint8_t held) { return held == 0; });
  // Also where the path stays at its number: what fits better may lie beyond the paths that were tried.
  if (!FitsEachFrame(*fitted.fine, pairs, reference.size()) || StopsAmidAligned(fitted, std::ssize(pairs)))
    return std::nullopt;
  if (!is_identity && (EndsElsewhere(*fitted.fine, path) || !FitsEvenly(*fitted.fine, pairs) ||
                       !StepsFit(*fitted.steps, 16 * fitted.fine->floor(), path) ||
                       !StepsFit(*fitted.detail_steps, 16 * fitted.details->floor(), path)))
    return std::nullopt;
  FramePath plain;
  plain.offsets.resize(pairs.size());
  plain.held.resize(pairs.size());
  Assess(plain, search.clock, fitted);
  if (fitted.vivid_pairs == 0 || fitted.unexplained > kMostUnexplained) return std::nullopt;
  for (const int64_t i : fitted.shown)
    if (i < 0) return std::nullopt;
  fitted.likely = fitted.shown;
  return fitted;
}

}  // namespace acutance
