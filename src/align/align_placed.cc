#include "align/align_placed.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "align/align_tracks.h"
#include "align/black_bars.h"
#include "align/frame_clock.h"

namespace acutance {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

bool MayBeCropped(const FrameTrack& reference, const FrameTrack& distorted, const Pairs& pairs) {
  const auto [one, other] = SamplePairs(reference, distorted, pairs);
  return MayBeCropped(one.fingerprints, other.fingerprints);
}

Result<Alignment> AlignAs(const Placement& placement, const FrameTrack& reference, const FrameTrack& distorted) {
  const auto [one, other] = CropToShared(placement, reference, distorted);
  return AlignTracks(one, other);
}

/// By a usual conversion of rates that the numbers of frames suggest, as if the streams declared it.
Result<Alignment> AlignRetimed(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr double kNear = 0.15, kRate = 25;
  const auto at_rate = [](const FrameTrack& track, double rate) {
    return FrameTrack{track.fingerprints, {}, rate, track.is_whole};
  };
  const double of_counts = static_cast<double>(reference.size()) / static_cast<double>(distorted.size());
  for (const double conversion : kRateConversions) {
    if (std::abs(of_counts / conversion - 1) > kNear) continue;
    Result<Alignment> found = AlignTracks(at_rate(reference, kRate), at_rate(distorted, kRate / conversion));
    if (found.ok() && found->by == Alignment::By::kFingerprints) return found;
  }
  return Error(StatusCode::kBadData, "no usual conversion of rates");
}

/// Whether no frame is paired in two ways, and nearly all are in both.
bool Agree(const Alignment& a, const Alignment& b) {
  constexpr double kNearlyAll = 0.9;
  std::map<int64_t, int64_t> shown;  // by distorted frame
  for (const auto& [i, j] : a.pairs) shown[j] = i;
  int64_t same = 0;
  for (const auto& [i, j] : b.pairs) {
    const auto own = shown.find(j);
    if (own == shown.end()) continue;
    if (own->second != i) return false;
    ++same;
  }
  return static_cast<double>(same) >= kNearlyAll * static_cast<double>(std::max(a.pairs.size(), b.pairs.size()));
}

bool BeginsAndEndsInStep(const Alignment& alignment) {
  const auto is_in_step = [](const auto& pair) { return pair.first == pair.second; };
  return !alignment.pairs.empty() && is_in_step(alignment.pairs.front()) && is_in_step(alignment.pairs.back());
}

}  // namespace

PlacedAlignment AlignPlaced(const FrameTrack& reference, const FrameTrack& distorted) {
  if (Status bars = CheckBars(reference, distorted); !bars.ok()) return {std::move(bars), std::nullopt};
  Result<Alignment> as_they_are = AlignTracks(reference, distorted);
  const Pairs none, &pairs = as_they_are.ok() ? as_they_are->pairs : none;
  if (!pairs.empty() && !MayBeCropped(reference, distorted, pairs)) return {std::move(as_they_are), std::nullopt};
  std::optional<FoundPlacement> found = FindPlacement(reference, distorted, pairs);
  if (!found) return {std::move(as_they_are), std::nullopt};
  // An encoder preserves the number of frames, and so does a freeze.
  const bool keeps_length = reference.size() == distorted.size() && ClocksAgree(reference, distorted);
  if (!found->is_sure && found->in_step && keeps_length) {
    Result<Alignment> placed = AlignAs(*found->in_step, reference, distorted);
    if (placed.ok() && BeginsAndEndsInStep(*placed)) return {std::move(placed), FoundPlacement{*found->in_step}};
  }
  const bool is_identity = as_they_are.ok() && as_they_are->is_identity() && reference.size() == distorted.size();
  if (!found->is_sure && is_identity) return {std::move(as_they_are), found};
  Result<Alignment> placed = AlignAs(found->placement, reference, distorted);
  const bool has_value = std::ranges::all_of(found->others, [&](const Placement& other) {
    const Result<Alignment> otherwise = AlignAs(other, reference, distorted);
    return placed.ok() && otherwise.ok() && Agree(*placed, *otherwise);
  });
  if (has_value) return {std::move(placed), found};
  return {Error(StatusCode::kBadData,
                "one shows a part of the other's picture, and other parts fit as well at other offsets in time: "
                "give the parts that both show (--crop); acutance doctor names the likely ones"),
          found};
}

PlacedAlignment AlignForDiagnosis(const FrameTrack& reference, const FrameTrack& distorted) {
  PlacedAlignment aligned = AlignPlaced(reference, distorted);
  const bool is_aligned = aligned.alignment.ok();
  const Pairs pairs = is_aligned ? aligned.alignment->pairs : Pairs();
  if (is_aligned && (aligned.placement || pairs.empty() || !MayBeCropped(reference, distorted, pairs))) return aligned;
  if (!is_aligned)
    if (Result<Alignment> retimed = AlignRetimed(reference, distorted); retimed.ok())
      return {std::move(retimed), std::nullopt};
  std::optional<FoundPlacement> found = FindPlacement(reference, distorted, pairs, CropReach::kUpToNearlyHalf);
  if (!found) return aligned;
  Result<Alignment> placed = AlignAs(found->placement, reference, distorted);
  if (!placed.ok()) return aligned;
  return {std::move(placed), std::move(found)};
}

std::pair<FrameTrack, FrameTrack> CropToShared(const Placement& placement, const FrameTrack& reference,
                                               const FrameTrack& distorted) {
  constexpr double kWhole = 0.001;
  const auto crop = [](const FrameTrack& track, const Placement& part) {
    return part.DistanceFrom({}) < kWhole ? track : CutTo(track, part);
  };
  const auto [part, own] = PartsInCommon(placement);
  return {crop(reference, part), crop(distorted, own)};
}

std::pair<FrameTrack, FrameTrack> SamplePairs(const FrameTrack& reference, const FrameTrack& distorted,
                                              const Pairs& pairs) {
  std::pair<FrameTrack, FrameTrack> sampled;
  for (const int64_t k : SampleFrameNumbers(std::ssize(pairs))) {
    const auto& [i, j] = pairs[static_cast<size_t>(k)];
    sampled.first.fingerprints.push_back(reference.fingerprints[static_cast<size_t>(i)]);
    sampled.second.fingerprints.push_back(distorted.fingerprints[static_cast<size_t>(j)]);
  }
  return sampled;
}

bool NeedsCropSearch(const FrameTrack& reference, const FrameTrack& distorted) {
  return !CheckBars(reference, distorted).ok() || MayBeCropped(reference.fingerprints, distorted.fingerprints);
}

}  // namespace acutance
