// Step costs: what a distorted frame costs after the one before it. Successive frames of an encode have similar errors,
// so that what is new in an error says more than the error does.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "align/path/residuals.h"

namespace acutance {

struct FittedPath;

/// What the costs of cells and details weigh, and of what is new in each.
struct CostWeights {
  double cells = 1, details = 1, new_cells = 1, new_details = 1;
};

/// The model: the error of a frame is `persistence` times that of the frame before plus noise, and what changes in the
/// reference shows in the encode by a factor between `motion_gain` and 1. All three are learned from pairs that are
/// right for the most part.
class StepCosts {
 public:
  StepCosts(const FineResiduals& fine, const PairList& pairs, int64_t distorted_count, int64_t reference_count);

  /// Fills, for each of `befores` reference frames from `first_before` on that frame j - 1 may show, a row of what is
  /// new costs if frame j shows one of `count` from `first` on.
  void Fill(int64_t j, int64_t first_before, int64_t befores, int64_t first, int64_t count,
            std::span<double> steps) const;

  /// The same where the reference frames before and now are shifted by -reach to reach. Below 0: there are no such
  /// frames.
  void FillShifts(int64_t j, int64_t before, int64_t now, int64_t reach, std::span<double> steps) const;

  /// What is new in the error of frame j, if these reference frames are shown before and now.
  double Innovation(int64_t j, int64_t before, int64_t now) const { return NoiseOf(StepOf(j, before, now)).energy; }

  /// The part of a frame's error that the next frame has, too.
  double persistence() const { return persistence_; }

 private:
  /// The squared differences that a step's noise follows from.
  struct Step {
    double now_to_now, now_to_before;        // distorted frame j and the reference frames now and before
    double before_to_now, before_to_before;  // distorted frame j - 1 and they
    double moved;                            // distorted frames j - 1 and j
    double apart;                            // the reference frames
  };
  struct Noise {
    double energy;   // what is new in the error
    double product;  // of what would be new, had nothing moved, and the reference's motion
    double gain;     // what of that motion shows
  };
  /// The least factor by which a motion of this energy shows.
  double motion_gain(double energy) const;
  Noise NoiseOf(const Step& step) const;
  Step StepOf(int64_t j, int64_t before, int64_t now) const;
  double ReferenceDistance(int64_t i, int64_t k) const;

  void Learn(const PairList& pairs);
  void LearnGains(std::vector<std::pair<double, double>> gains);
  void LearnNoise(const PairList& pairs, int64_t distorted_count);

  const FineResiduals& fine_;
  int64_t reference_count_;
  static constexpr int kOctaves = 48;
  double persistence_ = 0.8;
  std::array<double, kOctaves> motion_gains_{};  // the least factor, by the logarithm of the motion's energy
  double weight_ = 10;         // of the logarithm of noise: half the number of cells whose noises are independent
  std::vector<double> usual_;  // by distorted frame: the noise about it
  mutable std::vector<double> apart_, now_, before_;
};

/// Per-clip weights of the path costs, learned from pairs that are right for the most part: weak encodes lose details,
/// grain hides motion, and one cost distinguishes frames where another does not. `fitted` has residuals, costs and
/// steps.
CostWeights LearnWeights(const PairList& pairs, const FittedPath& fitted);

}  // namespace acutance
