#include "align/nearest_reference_frame.h"

#include "align/luma_fit.h"

namespace acutance {
namespace {

constexpr double kUnit = 256;  // of cells: a step of 8 bits

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
