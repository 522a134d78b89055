#include "run/doctor/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "align/align_tracks.h"
#include "align/record_fingerprints.h"
#include "align/statistics.h"
#include "base/shell_word.h"

namespace acutance {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Pairs PairsByNumber(const Probe& probe) {
  Pairs pairs;
  for (int64_t k = 0; k < std::min(probe.reference.track.size(), probe.distorted.track.size()); ++k)
    pairs.emplace_back(k, k);
  return pairs;
}

/// Whole pictures of aligned frames, reference and distorted.
std::vector<std::pair<const Picture*, const Picture*>> AlignedPictures(const Probe& probe, const Pairs& pairs) {
  const auto picture_of = [](const VideoProbe& video, int64_t frame) -> const Picture* {
    const auto found = std::ranges::find(video.picture_frames, frame);
    return found == video.picture_frames.end() ? nullptr : &video.pictures[found - video.picture_frames.begin()];
  };
  std::vector<std::pair<const Picture*, const Picture*>> pictures;
  for (const auto& [i, j] : pairs) {
    const Picture *one = picture_of(probe.reference, i), *other = picture_of(probe.distorted, j);
    if (one && other) pictures.emplace_back(one, other);
  }
  return pictures;
}

/// Rows or columns that one video lacks, from whole pictures.
std::optional<ShapeParts> FindShapeParts(const Probe& probe, const Pairs& pairs) {
  const ShapedVideo reference = ShapedOf(probe.reference), distorted = ShapedOf(probe.distorted);
  if (!ShapesDiffer(reference, distorted)) return std::nullopt;
  CropSearch search(reference, distorted);
  for (const auto& [one, other] : AlignedPictures(probe, pairs)) search.Add(*one, *other);
  return search.Find();
}

/// The parts that both videos show; nullopt: all of both.
std::optional<ShapeParts> SharedParts(const Probe& probe) {
  if (probe.shape_parts || !probe.placement) return probe.shape_parts;
  const PlacedParts parts = PartsOf(probe.placement->placement, ShownBy(probe.reference), ShownBy(probe.distorted));
  return ShapeParts{parts.reference, parts.distorted};
}

/// Fingerprints of whole pictures, cropped: those that are cropped afterwards are too blurred to read a range from.
std::pair<FrameTrack, FrameTrack> FingerprintParts(const Probe& probe, const Pairs& pairs, const ShapeParts& parts) {
  std::pair<FrameTrack, FrameTrack> frames;
  for (const auto& [one, other] : AlignedPictures(probe, pairs)) {
    frames.first.fingerprints.push_back(FingerprintOf(LumaOf(*one, parts.reference)));
    frames.second.fingerprints.push_back(FingerprintOf(LumaOf(*other, parts.distorted)));
  }
  return frames;
}

/// The distorted picture's place in the reference's, where one of the parts is all of its video's content.
Placement PlacementOf(const ShapeParts& parts, const Rectangle& reference, const Rectangle& distorted) {
  const auto part_of = [](const Rectangle& part, const Rectangle& whole) {
    return Placement{static_cast<double>(part.x - whole.x) / whole.width,
                     static_cast<double>(part.y - whole.y) / whole.height,
                     static_cast<double>(part.width) / whole.width, static_cast<double>(part.height) / whole.height};
  };
  const Placement part = part_of(parts.reference, reference), own = part_of(parts.distorted, distorted);
  return {part.left - own.left / own.width, part.top - own.top / own.height, part.width / own.width,
          part.height / own.height};
}

/// Whether the fingerprints of frames of one number leave, on average, more than 0.6 of their deviation unexplained.
bool AreUnlike(const Probe& probe) {
  constexpr double kUnlike = 0.6, kFlat = 1e-3;
  constexpr int64_t kMost = 400;
  double error = 0;
  const int64_t count = std::min({probe.reference.track.size(), probe.distorted.track.size(), kMost});
  for (int64_t k = 0; k < count; ++k) {
    LumaFit fit;
    const FrameFingerprint& a = probe.reference.track.fingerprints[static_cast<size_t>(k)];
    const FrameFingerprint& b = probe.distorted.track.fingerprints[static_cast<size_t>(k)];
    for (size_t i = 0; i < a.cells.size(); ++i) fit.Add(a.cells[i] / 256.0, b.cells[i] / 256.0);
    const bool is_flat = fit.variance_x() < kFlat || fit.variance_y() < kFlat;
    error += is_flat ? 1 : std::sqrt(std::max(0.0, fit.Unexplained()));
  }
  return error > kUnlike * static_cast<double>(count);
}

}  // namespace

std::string Probe::Score(const std::string& options) const {
  return fmt::format("acutance score {} {}{}", ShellWord(reference.name), ShellWord(distorted.name), options);
}

void Compare(Probe& probe) {
  const FrameTrack &reference = probe.reference.track, &distorted = probe.distorted.track;
  probe.are_unlike = AreUnlike(probe);
  if (reference.size() < 2 || distorted.size() < 2) return;
  constexpr int64_t kLeastPictures = 3;
  constexpr double kMostUnexplained = 0.09;  // of variances, where brightness and contrast are to be read
  auto [alignment, placement] = AlignForDiagnosis(reference, distorted);
  Pairs pairs = alignment.ok() && !alignment->pairs.empty() ? alignment->pairs : PairsByNumber(probe);
  probe.shape_parts = FindShapeParts(probe, pairs);
  // Bars of one video alone may draw the path to a wrong offset, at which no part fits.
  if (!probe.shape_parts) probe.shape_parts = FindShapeParts(probe, PairsByNumber(probe));
  probe.placement = std::move(placement);
  std::pair<FrameTrack, FrameTrack> shared{reference, distorted};
  if (probe.shape_parts) {
    const Placement part = PlacementOf(*probe.shape_parts, ContentOf(probe.reference), ContentOf(probe.distorted));
    shared = CropToShared(part, reference, distorted);
    alignment = AlignTracks(shared.first, shared.second);
    if (alignment.ok() && !alignment->pairs.empty()) pairs = alignment->pairs;
  } else if (probe.placement) {
    shared = CropToShared(probe.placement->placement, reference, distorted);
  }
  std::pair<FrameTrack, FrameTrack> frames = SamplePairs(shared.first, shared.second, pairs);
  if (const std::optional<ShapeParts> parts = SharedParts(probe))
    if (auto pictures = FingerprintParts(probe, pairs, *parts); pictures.first.size() >= kLeastPictures)
      frames = std::move(pictures);
  std::tie(probe.reference_frames, probe.distorted_frames) = std::move(frames);
  probe.line = FitLumaLine(probe.reference_frames, probe.distorted_frames, 1 - kMostUnexplained).value_or(LumaLine{});
  probe.curve = FitLumaCurve(probe.reference_frames, probe.distorted_frames);
  using Doubt = Alignment::Doubt;
  const bool is_decided = alignment.ok() && (alignment->doubt == Doubt::kNone || alignment->doubt == Doubt::kLost);
  if (is_decided && !alignment->pairs.empty()) probe.alignment = std::move(alignment).value();
}

LumaCurve FitLumaCurve(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr double kStep = 256;  // of cells: an 8-bit sample
  std::vector<std::pair<double, double>> samples;
  for (int64_t k = 0; k < std::min(reference.size(), distorted.size()); ++k)
    for (size_t c = 0; c < FrameFingerprint::kCells; ++c)
      samples.emplace_back(reference.fingerprints[static_cast<size_t>(k)].cells[c] / kStep,
                           distorted.fingerprints[static_cast<size_t>(k)].cells[c] / kStep);
  if (samples.empty()) return {};
  LumaFit line;
  for (const auto& [a, b] : samples) line.Add(a, b);
  const double deviation = std::sqrt(std::max(line.variance_x(), 0.0));
  if (deviation < 1) return {};
  // u: the reference's luma, of mean 0 and deviation 1.
  const auto count = static_cast<double>(samples.size());
  double cubes = 0, fourths = 0, du = 0, duu = 0;
  for (const auto& [a, b] : samples) {
    const double u = (a - line.mean_x()) / deviation;
    cubes += u * u * u / count, fourths += u * u * u * u / count, du += b * u / count, duu += b * u * u / count;
  }
  // u^2 without what 1 and u explain of it, so that its share is independent of the line's.
  const double variance = fourths - 1 - cubes * cubes, left = line.variance_y() - du * du;
  if (variance < 0.05 || left < 1e-6 || du <= 0) return {};
  const double part = (duu - line.mean_y() - cubes * du) / variance;
  constexpr double kHalfRange = 1.7;  // deviations, of an even distribution
  return {-part * kHalfRange / (2 * du), part * part * variance / left};
}

}  // namespace acutance
