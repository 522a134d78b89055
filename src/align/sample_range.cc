#include "align/sample_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace acutance {
namespace {

constexpr double kCellsPerSample = 256;  // of FrameFingerprint::cells in an 8-bit sample

/// distorted = slope * reference + shift, in 8-bit samples.
struct Line {
  double slope, shift;
};

/// nullopt: the picture is flat, or the two do not lie on a line.
std::optional<Line> FitLine(const FrameFingerprint& reference, const FrameFingerprint& distorted) {
  constexpr double kLeastVariance = 9, kStraight = 0.97;  // of squared 8-bit samples; r squared
  double r = 0, d = 0, rr = 0, dd = 0, rd = 0;
  for (size_t i = 0; i < reference.cells.size(); ++i) {
    const double a = reference.cells[i] / kCellsPerSample, b = distorted.cells[i] / kCellsPerSample;
    r += a, d += b, rr += a * a, dd += b * b, rd += a * b;
  }
  constexpr double kCount = FrameFingerprint::kCells;
  const double mean = r / kCount, other_mean = d / kCount;
  const double variance = rr / kCount - mean * mean, other = dd / kCount - other_mean * other_mean;
  const double both = rd / kCount - mean * other_mean;
  if (variance < kLeastVariance || other < kLeastVariance || both <= 0) return std::nullopt;
  if (both * both < kStraight * variance * other) return std::nullopt;
  const double slope = std::sqrt(other / variance);  // neither video is the exact one
  return Line{slope, other_mean - slope * mean};
}

double MedianOf(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

/// The line of most frames; nullopt: too few tell one.
std::optional<Line> FitLines(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr size_t kLeast = 3;
  std::vector<double> slopes, shifts;
  for (int64_t k = 0; k < std::min(reference.size(), distorted.size()); ++k)
    if (const auto line = FitLine(reference.fingerprints[k], distorted.fingerprints[k]))
      slopes.push_back(line->slope), shifts.push_back(line->shift);
  if (slopes.size() < kLeast) return std::nullopt;
  return Line{MedianOf(std::move(slopes)), MedianOf(std::move(shifts))};
}

bool IsNear(const Line& line, double slope, double shift) {
  constexpr double kSlope = 0.03, kShift = 4;
  return std::abs(line.slope - slope) < kSlope && std::abs(line.shift - shift) < kShift;
}

}  // namespace

std::optional<std::string> CheckSampleRange(const RangedFrames& reference, const RangedFrames& distorted) {
  constexpr double kNarrow = 219.0 / 255, kBlack = 16;
  const std::optional<Line> line = FitLines(reference.track, distorted.track);
  if (!line) return std::nullopt;
  const bool narrowed = IsNear(*line, kNarrow, kBlack), widened = IsNear(*line, 1 / kNarrow, -kBlack / kNarrow);
  if (reference.is_full == distorted.is_full) {
    if (!narrowed && !widened) return std::nullopt;
    return fmt::format(
        "{} seems to have full range and {} limited (brightness fits with {:.2f} x {:+.0f}), which the streams do not "
        "tell: the scores mean little; `acutance doctor` says how to mend it",
        narrowed ? reference.name : distorted.name, narrowed ? distorted.name : reference.name, line->slope,
        line->shift);
  }
  if (!IsNear(*line, 1, 0)) return std::nullopt;
  return fmt::format(
      "{} and {} seem to have one range of samples, though their streams tell different ones, by which they were "
      "converted: the scores mean little; `acutance doctor` says how to mend it",
      reference.name, distorted.name);
}

}  // namespace acutance
