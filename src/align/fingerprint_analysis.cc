#include "align/fingerprint_analysis.h"

#include <algorithm>

#include "align/frame_track.h"
#include "align/statistics.h"

namespace acutance {
namespace {

constexpr double kUnit = 256;            // of cells: a step of 8 bits
constexpr float kLeastCut = 8 * kUnit;   // mean difference of the cells
constexpr float kAboveNeighbours = 2.5;  // times the difference of the frames before and after
constexpr int64_t kShortest = 8;         // frames of a shot

/// The mean difference of the cells.
float Difference(const FrameFingerprint& a, const FrameFingerprint& b) {
  return static_cast<float>(CellDifference(a, b)) / static_cast<float>(a.cells.size());
}

/// The distance in squared steps of 8 bits.
double Distance(const FrameCells& a, const FrameCells& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum / (kUnit * kUnit * static_cast<double>(a.size()));
}

/// What the best line of `b` leaves of `a`, in the same unit.
double DistanceOfShapes(const FrameCells& a, const FrameCells& b) {
  LumaFit fit;
  for (size_t i = 0; i < a.size(); ++i) fit.Add(b[i] / kUnit, a[i] / kUnit);
  return fit.Residual();
}

}  // namespace

void ShotCuts::Add(const FrameFingerprint& fingerprint) {
  steps_.push_back(steps_.empty() ? 0 : Difference(fingerprint, last_));
  skips_.push_back(skips_.size() < 2 ? 0 : Difference(fingerprint, before_last_));
  before_last_ = last_;
  last_ = fingerprint;
}

/// Where frames are missing, the change is that of several frames.
std::vector<int64_t> ShotCuts::Find(std::span<const int64_t> numbers) const {
  constexpr int64_t kMostChanges = 8;  // more missing frames may hide a boundary
  const auto count = static_cast<int64_t>(steps_.size());
  const auto pace = [&](int64_t k) {
    const int64_t changes = k < std::ssize(numbers) ? numbers[k] - numbers[k - 1] : 1;
    return steps_[k] / static_cast<float>(std::clamp<int64_t>(changes, 1, kMostChanges));
  };
  std::vector<int64_t> cuts;
  int64_t begin = 0;
  for (int64_t k = kShortest; k + 1 < count; ++k) {
    const float neighbours = std::max(pace(k - 1), pace(k + 1));
    const bool stays = skips_[k + 1] >= kLeastCut / 2;
    if (steps_[k] < kLeastCut || pace(k) < kAboveNeighbours * neighbours || !stays || k - begin < kShortest) continue;
    cuts.push_back(k);
    begin = k;
  }
  return cuts;
}

std::optional<int64_t> NearestReferenceFrame(const FrameCells& distorted, std::span<const FrameCells> reference,
                                             int64_t frame) {
  constexpr int64_t kReach = 250;
  constexpr double kLeast = 1, kMuchNearer = 0.25;
  const auto frames = static_cast<int64_t>(reference.size());
  if (frame >= frames) return std::nullopt;
  const double own = DistanceOfShapes(distorted, reference[frame]);
  if (own < kLeast) return std::nullopt;
  int64_t nearest = frame;
  double least = own;
  for (int64_t step = 1; step <= kReach; ++step)
    for (const int64_t other : {frame - step, frame + step}) {
      if (other < 0 || other >= frames) continue;
      const double distance = Distance(distorted, reference[other]);
      if (distance >= least) continue;
      least = distance;
      nearest = other;
    }
  return least < kMuchNearer * own ? std::optional(nearest) : std::nullopt;
}

}  // namespace acutance
