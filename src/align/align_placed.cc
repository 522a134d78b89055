#include "align/align_placed.h"

#include <algorithm>
#include <map>

#include "align/align_tracks.h"
#include "align/check_bars.h"
#include "align/frame_clock.h"

namespace acutance {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

bool MayBeCropped(const FrameTrack& reference, const FrameTrack& distorted, const Pairs& pairs) {
  std::vector<FrameFingerprint> of_reference, of_distorted;
  for (const int64_t k : SampleFrameNumbers(std::ssize(pairs))) {
    const auto& [i, j] = pairs[static_cast<size_t>(k)];
    of_reference.push_back(reference.fingerprints[static_cast<size_t>(i)]);
    of_distorted.push_back(distorted.fingerprints[static_cast<size_t>(j)]);
  }
  return MayBeCropped(of_reference, of_distorted);
}

FrameTrack Cut(const FrameTrack& track, const Placement& part) {
  constexpr double kWhole = 0.001;
  return part.DistanceFrom({}) < kWhole ? track : CutTo(track, part);
}

Result<Alignment> AlignAs(const Placement& placement, const FrameTrack& reference, const FrameTrack& distorted) {
  const auto [part, own] = PartsInCommon(placement);
  return AlignTracks(Cut(reference, part), Cut(distorted, own));
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
  // An encoder keeps the number of frames, and so does what freezes.
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
                "one shows a part of the other's picture, and other parts fit as well at other distances in time: "
                "give the parts that both show (--crop); acutance doctor tells the likely ones"),
          found};
}

bool NeedsCropSearch(const FrameTrack& reference, const FrameTrack& distorted) {
  return !CheckBars(reference, distorted).ok() || MayBeCropped(reference.fingerprints, distorted.fingerprints);
}

}  // namespace acutance
