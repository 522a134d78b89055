#include "align/path/step_costs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "align/path/fit_path.h"
#include "align/statistics.h"
#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr double kMost = 25;   // what is new in one frame decides nothing
constexpr int64_t kBand = 32;  // reference frames whose distances are cached

template <class Use>
void ForSteps(const PairList& pairs, const Use& use) {
  for (size_t k = 1; k < pairs.size(); ++k)
    if (pairs[k].second == pairs[k - 1].second + 1) use(pairs[k].second, pairs[k - 1].first, pairs[k].first);
}

/// A cost weighs as much as it distinguishes the frames of a path from their neighbours: the largest weight that is
/// nearly the likeliest, if two frames in a hundred say nothing.
class WeightSearch {
 public:
  void Add(std::span<const double> costs, size_t own) {
    const double least = *std::ranges::min_element(costs);
    if (std::ranges::all_of(costs, [&](double cost) { return cost - least < kDistinct; })) return;
    ++frames_;
    for (size_t w = 0; w < kWeights.size(); ++w) {
      double sum = 0;
      for (const double cost : costs) sum += Exp(-std::min(600.0, kWeights[w] * (cost - least)));
      const double part = Exp(-std::min(600.0, kWeights[w] * (costs[own] - least))) / sum;
      likelihoods_[w] += Log2((1 - kLost) * part + kLost / static_cast<double>(costs.size()));
    }
  }

  double best() const {
    constexpr int kFew = 8;
    if (frames_ < kFew) return 1;
    const double enough = *std::ranges::max_element(likelihoods_) - kAsGood;
    const auto last = std::ranges::find_if(likelihoods_.rbegin(), likelihoods_.rend(),
                                           [&](double likelihood) { return likelihood >= enough; });
    return kWeights[static_cast<size_t>(likelihoods_.rend() - last) - 1];
  }

 private:
  static constexpr std::array<double, 8> kWeights{0, 0.1, 0.2, 0.4, 0.7, 1, 1.5, 2};
  static constexpr double kDistinct = 0.2, kLost = 0.02, kAsGood = 1;

  int frames_ = 0;
  std::array<double, 8> likelihoods_{};
};

}  // namespace

StepCosts::StepCosts(const FineResiduals& fine, const PairList& pairs, int64_t distorted_count, int64_t reference_count)
    : fine_(fine), reference_count_(reference_count) {
  apart_.assign(reference_count * kBand, -1);
  Learn(pairs);
  LearnNoise(pairs, distorted_count);
}

double StepCosts::ReferenceDistance(int64_t i, int64_t k) const {
  if (i == k) return 0;
  if (i > k) std::swap(i, k);
  if (k - i >= kBand) return fine_.ReferenceDistance(i, k);
  double& cached = apart_[i * kBand + k - i];
  if (cached < 0) cached = fine_.ReferenceDistance(i, k);
  return cached;
}

StepCosts::Step StepCosts::StepOf(int64_t j, int64_t before, int64_t now) const {
  return {fine_.Residual(j, now),        fine_.Residual(j, before), fine_.Residual(j - 1, now),
          fine_.Residual(j - 1, before), fine_.DistortedMotion(j),  ReferenceDistance(before, now)};
}

double StepCosts::motion_gain(double energy) const {
  int octave = 0;
  std::frexp(energy, &octave);
  return motion_gains_[std::clamp(octave, 0, kOctaves - 1)];
}

/// e = d_j - r_before, f = d_j-1 - r_before, M = r_now - r_before: |e - persistence f - g M|^2, where g fits best
/// within what it usually is.
StepCosts::Noise StepCosts::NoiseOf(const Step& s) const {
  const double errors = (s.now_to_before + s.before_to_before - s.moved) / 2;       // <e, f>
  const double motion = (s.now_to_before + s.apart - s.now_to_now) / 2;             // <e, M>
  const double last_motion = (s.before_to_before + s.apart - s.before_to_now) / 2;  // <f, M>
  const double product = motion - persistence_ * last_motion;
  const double gain = s.apart > 0 ? std::clamp(product / s.apart, motion_gain(s.apart), 1.0) : 1;
  const double noise = s.now_to_before + persistence_ * persistence_ * s.before_to_before + gain * gain * s.apart -
                       2 * persistence_ * errors - 2 * gain * motion + 2 * gain * persistence_ * last_motion;
  return {std::max(0.0, noise), product, gain};
}

void StepCosts::Learn(const PairList& pairs) {
  std::vector<double> persistence;
  std::vector<std::pair<double, double>> gains;  // of motions of an energy
  ForSteps(pairs, [&](int64_t j, int64_t before, int64_t now) {
    const double own = fine_.Residual(j, now), last = fine_.Residual(j - 1, before);
    // <a, b> of errors a = d_j - r_now and b = d_j-1 - r_before, from squared distances.
    const double product = (fine_.Residual(j, before) + fine_.Residual(j - 1, now) - fine_.DistortedMotion(j) -
                            ReferenceDistance(before, now)) /
                           2;
    if (own + last > 0) persistence.push_back(2 * product / (own + last));
  });
  persistence_ = std::clamp(Median(persistence, 0.8), 0.0, 0.95);
  ForSteps(pairs, [&](int64_t j, int64_t before, int64_t now) {
    const Step step = StepOf(j, before, now);
    if (step.apart > 0) gains.emplace_back(step.apart, NoiseOf(step).product / step.apart);
  });
  LearnGains(std::move(gains));
}

/// Small motions are lost in encodes more than large ones are.
void StepCosts::LearnGains(std::vector<std::pair<double, double>> gains) {
  constexpr double kLow = 0.3;
  const size_t about = std::max<size_t>(10, gains.size() / 10);
  std::ranges::sort(gains);
  for (size_t octave = 0; octave < kOctaves; ++octave) {
    const double energy = std::ldexp(1.0, static_cast<int>(octave));
    const size_t at = std::ranges::lower_bound(gains, std::pair{energy, -1e9}) - gains.begin();
    const size_t first = std::min(at > about ? at - about : 0, gains.size() > 2 * about ? gains.size() - 2 * about : 0);
    std::vector<double> near;
    for (size_t k = first; k < std::min(gains.size(), first + 2 * about); ++k) near.push_back(gains[k].second);
    if (near.empty()) {
      motion_gains_[octave] = 0.5;
      continue;
    }
    const auto low = near.begin() + static_cast<ptrdiff_t>(kLow * static_cast<double>(near.size()));
    std::nth_element(near.begin(), low, near.end());
    motion_gains_[octave] = std::clamp(*low, 0.0, 1.0);
  }
}

/// Noise is alike in cells that lie together, and larger where something moves: its part in the direction of the next
/// motion, against the mean of all directions, says how many cells are independent.
void StepCosts::LearnNoise(const PairList& pairs, int64_t distorted_count) {
  constexpr double kMedian = 0.455;  // of the square of a normal variable
  constexpr double kLeast = 5, kMost = 30;
  constexpr int64_t kAbout = 12;
  std::vector<double> along, noise(distorted_count, -1);
  ForSteps(pairs, [&](int64_t j, int64_t before, int64_t now) {
    const Step step = StepOf(j, before, now);
    const Noise own = NoiseOf(step);
    noise[j] = own.energy;
    if (now + 1 >= reference_count_) return;
    const double far = ReferenceDistance(before, now + 1), next = ReferenceDistance(now, now + 1);
    const double motions = (far - step.apart - next) / 2;
    const double across = next - (step.apart > 0 ? motions * motions / step.apart : 0);
    if (across < 0.1 * next || next <= 4 * fine_.floor()) return;
    const double product = (step.now_to_now - fine_.Residual(j, now + 1) + far - step.apart) / 2 -
                           persistence_ * (step.before_to_now - fine_.Residual(j - 1, now + 1) + far - step.apart) / 2;
    const double noise_along = product - own.gain * motions;
    along.push_back(noise_along * noise_along / across / (own.energy + fine_.floor()));
  });
  const double part = Median(along, kMedian / (2 * kLeast)) / kMedian;
  weight_ = std::clamp(0.5 / std::max(part, 1e-6), kLeast, kMost);
  for (int64_t j = 0; j < distorted_count; ++j) {
    std::vector<double> about;
    for (int64_t k = std::max<int64_t>(0, j - kAbout); k < std::min(distorted_count, j + kAbout + 1); ++k)
      if (noise[k] >= 0) about.push_back(noise[k]);
    usual_.push_back(Median(about, 0) + fine_.floor());
  }
}

void StepCosts::Fill(int64_t j, int64_t first_before, int64_t befores, int64_t first, int64_t count,
                     std::span<double> steps) const {
  const int64_t low = std::min(first_before, first), high = std::max(first_before + befores, first + count);
  now_.resize(high - low);
  before_.resize(high - low);
  fine_.Fill(j, low, now_);
  fine_.Fill(j - 1, low, before_);
  const double moved = fine_.DistortedMotion(j);
  double least = -1;
  for (int64_t b = 0; b < befores; ++b) {
    const int64_t at_before = first_before + b - low;
    for (int64_t n = 0; n < count; ++n) {
      double& step = steps[b * count + n];
      if (first + n < first_before + b) {
        step = -1;
        continue;
      }
      const int64_t at_now = first + n - low;
      step = NoiseOf({now_[at_now], now_[at_before], before_[at_now], before_[at_before], moved,
                      ReferenceDistance(first_before + b, first + n)})
                 .energy;
      if (least < 0 || step < least) least = step;
    }
  }
  const double usual = usual_[j], from = std::max(least, 0.0) + usual, unit = Log2(from);
  const double most = from * Exp(kMost / weight_);
  for (double& step : steps)
    step = step < 0 || step + usual > most ? kMost : weight_ * kNats * (Log2(step + usual) - unit);
}

void StepCosts::FillShifts(int64_t j, int64_t before, int64_t now, int64_t reach, std::span<double> steps) const {
  double least = -1;
  for (int64_t shift = -reach; shift <= reach; ++shift) {
    double& step = steps[shift + reach];
    step = before + shift < 0 || now + shift >= reference_count_
               ? -1
               : NoiseOf(StepOf(j, before + shift, now + shift)).energy;
    if (step >= 0 && (least < 0 || step < least)) least = step;
  }
  const double usual = usual_[j], unit = Log2(std::max(least, 0.0) + usual);
  for (double& step : steps)
    if (step >= 0) step = std::min(kMost, weight_ * kNats * (Log2(step + usual) - unit));
}

CostWeights LearnWeights(const PairList& pairs, const FittedPath& fitted) {
  constexpr int64_t kAbout = 2, kAfter = 3;
  WeightSearch cells, details, new_cells, new_details;
  std::vector<double> costs;
  for (size_t k = 1; k < pairs.size(); ++k) {
    const auto& [i, j] = pairs[k];
    const int64_t before = pairs[k - 1].first;
    const int64_t first = std::max<int64_t>(0, i - kAbout), last = std::min(fitted.reference_count - 1, i + kAbout);
    costs.resize(last - first + 1);
    const int64_t own = i - first;
    fitted.fine_costs.Fill(*fitted.fine, j, first, costs);
    cells.Add(costs, own);
    fitted.detail_costs.Fill(*fitted.details, j, first, costs);
    details.Add(costs, own);
    const int64_t after = std::min(kAfter + 1, fitted.reference_count - before);
    // Times of a container may go back.
    if (pairs[k - 1].second != j - 1 || i < before || i - before >= after) continue;
    costs.resize(after);
    fitted.steps->Fill(j, before, 1, before, after, costs);
    new_cells.Add(costs, static_cast<size_t>(i - before));
    fitted.detail_steps->Fill(j, before, 1, before, after, costs);
    new_details.Add(costs, static_cast<size_t>(i - before));
  }
  return {cells.best(), details.best(), new_cells.best(), new_details.best()};
}

}  // namespace acutance
