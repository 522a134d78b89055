// Path fit of a distorted video through its reference, from coarse to fine.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "align/path/path_search.h"
#include "align/path/residuals.h"
#include "align/path/step_costs.h"

namespace acutance {

/// A median frame that leaves more of its energy unexplained is of another video.
inline constexpr double kMostUnexplained = 0.4;

/// kMostSecondsApart in reference frames: the band that a path is searched in.
int64_t MostFramesApart(const FrameTrack& reference, const FrameTrack& distorted);

struct FittedPath {
  std::vector<int64_t> shown;     // by distorted frame: the reference frame that it shows; -1: none
  std::vector<int64_t> likely;    // the same, ambiguous frames too
  std::vector<double> residuals;  // of those pairs
  std::vector<int64_t> doubtful;  // distorted frames that show one of two frames which differ: -1 in `shown`
  double least_margin = 40;       // of the other frames: how much more it costs if one shows another, a logarithm
  std::unique_ptr<CoarseResiduals> coarse;
  std::unique_ptr<MovingPart> moving;
  std::unique_ptr<FineResiduals> fine, details;
  PairingCosts coarse_costs, fine_costs, detail_costs;
  std::unique_ptr<StepCosts> steps, detail_steps;
  CostWeights weights;
  int64_t reference_count = 0;
  bool follows_clock = false;  // the path is at one offset of its clock throughout
  int64_t vivid = 0;           // distorted frames that have anything to compare
  int64_t vivid_pairs = 0;     // of them, those that the path has a reference frame for
  double usual = 0;            // the median residual
  double usual_energy = 0;     // the median energy of coarse cells in such frames
  double unexplained = 1;      // the part of such a frame's energy that is left: the median

  /// The costs of pairing distorted frame j with reference frames first, first + 1, ... by cells and details.
  void FillPairs(int64_t j, int64_t first, std::span<double> costs, double tie = PairingCosts::kTie) const;
  /// What is new, by cells and details, in the errors of frame j, laid out as StepCosts::Fill does.
  void FillNew(int64_t j, int64_t first_before, int64_t befores, int64_t first, int64_t count,
               std::span<double> costs) const;

  /// Whether distorted frame j is no encode of reference frame i, by far.
  bool IsForeign(int64_t j, int64_t i) const;
};

FittedPath FitPath(const FrameTrack& reference, const FrameTrack& distorted);

/// Frame k for frame k, if no path within a few frames of that is better.
std::optional<FittedPath> FitNearIndex(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
