#include "align/input_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "align/statistics.h"

namespace acutance {

std::optional<std::string> CheckInputOrder(const PairReaderInput& reference, const PairReaderInput& encode) {
  constexpr double kFar = 0.6;
  const VideoFacts facts = reference.video->facts(), other_facts = encode.video->facts();
  const std::optional<int64_t> bits = facts.bit_rate, others = other_facts.bit_rate;
  if (!bits || !others || !IsLossy(facts) || !IsLossy(other_facts)) return std::nullopt;
  const PictureFormat &own = reference.video->format(), &other = encode.video->format();
  if (own.width > other.width || own.height > other.height) return std::nullopt;
  if (static_cast<double>(*bits) >= kFar * static_cast<double>(*others)) return std::nullopt;
  return fmt::format(
      "{} has fewer bits a second than {}: if it is the encode, name it last (`acutance doctor` looks closer)",
      reference.name, encode.name);
}

namespace {

constexpr double kCellsPerSample = 256;  // of FrameFingerprint::cells in an 8-bit sample

/// nullopt: one of the pictures is flat, or they do not lie on a line.
std::optional<LumaLine> FitFrame(const FrameFingerprint& reference, const FrameFingerprint& distorted,
                                 double explained) {
  constexpr double kLeastVariance = 9;  // of squared 8-bit samples
  LumaFit fit;
  for (size_t i = 0; i < reference.cells.size(); ++i)
    fit.Add(reference.cells[i] / kCellsPerSample, distorted.cells[i] / kCellsPerSample);
  if (fit.variance_x() < kLeastVariance || fit.variance_y() < kLeastVariance) return std::nullopt;
  if (fit.Unexplained() > 1 - explained) return std::nullopt;
  const double slope = std::sqrt(fit.variance_y() / fit.variance_x());  // both videos have errors
  return LumaLine{slope, fit.mean_y() - slope * fit.mean_x()};
}

bool IsNear(const LumaLine& line, double slope, double shift) {
  constexpr double kMostSlope = 0.03, kMostShift = 4;
  return std::abs(line.slope - slope) < kMostSlope && std::abs(line.shift - shift) < kMostShift;
}

}  // namespace

std::optional<LumaLine> FitLumaLine(const FrameTrack& reference, const FrameTrack& distorted, double explained) {
  constexpr size_t kLeast = 3;
  std::vector<double> slopes, shifts;
  for (int64_t k = 0; k < std::min(reference.size(), distorted.size()); ++k)
    if (const auto line = FitFrame(reference.fingerprints[k], distorted.fingerprints[k], explained))
      slopes.push_back(line->slope), shifts.push_back(line->shift);
  if (slopes.size() < kLeast) return std::nullopt;
  return LumaLine{Median(slopes), Median(shifts)};
}

std::optional<RangeMismatch> FindRangeMismatch(const RangedFrames& reference, const RangedFrames& distorted) {
  using Kind = RangeMismatch::Kind;
  constexpr double kStraight = 0.97, kNarrow = 219.0 / 255, kBlack = 16;
  const std::optional<LumaLine> line = FitLumaLine(reference.track, distorted.track, kStraight);
  if (!line) return std::nullopt;
  if (reference.is_full != distorted.is_full)
    return IsNear(*line, 1, 0) ? std::optional(RangeMismatch{Kind::kOneRange, *line}) : std::nullopt;
  if (IsNear(*line, kNarrow, kBlack)) return RangeMismatch{Kind::kReferenceIsFull, *line};
  if (IsNear(*line, 1 / kNarrow, -kBlack / kNarrow)) return RangeMismatch{Kind::kDistortedIsFull, *line};
  return std::nullopt;
}

std::optional<std::string> CheckSampleRange(const RangedFrames& reference, const RangedFrames& distorted) {
  constexpr const char* kAdvice = "scores are unreliable. Run `acutance doctor` for the fix";
  const std::optional<RangeMismatch> found = FindRangeMismatch(reference, distorted);
  if (!found) return std::nullopt;
  if (found->kind == RangeMismatch::Kind::kOneRange)
    return fmt::format(
        "{} and {} seem to have one range of samples, contrary to the metadata, by which they were converted; {}",
        reference.name, distorted.name, kAdvice);
  const bool is_reference = found->kind == RangeMismatch::Kind::kReferenceIsFull;
  return fmt::format(
      "{} seems to have full range and {} limited (brightness fits with {:.2f} x {:+.0f}), contrary to the metadata; "
      "{}",
      is_reference ? reference.name : distorted.name, is_reference ? distorted.name : reference.name, found->line.slope,
      found->line.shift, kAdvice);
}

}  // namespace acutance
