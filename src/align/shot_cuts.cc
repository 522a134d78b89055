#include "align/shot_cuts.h"

#include <algorithm>

#include "align/frame_track.h"

namespace acutance {
namespace {

constexpr float kStep = 256;             // of a fingerprint: a step of an 8-bit sample
constexpr float kLeastCut = 8 * kStep;   // mean difference of the cells
constexpr float kAboveNeighbours = 2.5;  // and so many times that of the frames round it
constexpr int64_t kShortest = 8;         // frames of a shot

/// The mean difference of the cells.
float Difference(const FrameFingerprint& a, const FrameFingerprint& b) {
  return static_cast<float>(CellDifference(a, b)) / static_cast<float>(a.cells.size());
}

}  // namespace

void ShotCuts::Add(const FrameFingerprint& fingerprint) {
  steps_.push_back(steps_.empty() ? 0 : Difference(fingerprint, last_));
  skips_.push_back(skips_.size() < 2 ? 0 : Difference(fingerprint, before_last_));
  before_last_ = last_;
  last_ = fingerprint;
}

std::vector<int64_t> ShotCuts::Find() const {
  const auto count = static_cast<int64_t>(steps_.size());
  std::vector<int64_t> cuts;
  int64_t begin = 0;
  for (int64_t k = kShortest; k + 1 < count; ++k) {
    const float neighbours = std::max(steps_[static_cast<size_t>(k - 1)], steps_[static_cast<size_t>(k + 1)]);
    const float step = steps_[static_cast<size_t>(k)];
    const bool stays = skips_[static_cast<size_t>(k + 1)] >= kLeastCut / 2;
    if (step < kLeastCut || step < kAboveNeighbours * neighbours || !stays || k - begin < kShortest) continue;
    cuts.push_back(k);
    begin = k;
  }
  return cuts;
}

}  // namespace acutance
