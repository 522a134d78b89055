#include "align/align_placed.h"

#include "align/align_tracks.h"
#include "align/check_bars.h"

namespace acutance {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

bool MayBePlaced(const FrameTrack& reference, const FrameTrack& distorted, const Pairs& pairs) {
  std::vector<FrameSignature> of_reference, of_distorted;
  for (const int64_t k : NumbersToLookAt(std::ssize(pairs))) {
    const auto& [i, j] = pairs[static_cast<size_t>(k)];
    of_reference.push_back(reference.signatures[static_cast<size_t>(i)]);
    of_distorted.push_back(distorted.signatures[static_cast<size_t>(j)]);
  }
  return MayBePlaced(of_reference, of_distorted);
}

FrameTrack Cut(const FrameTrack& track, const Placement& part) {
  constexpr double kWhole = 0.001;
  return part.DistanceFrom({}) < kWhole ? track : CutTo(track, part);
}

}  // namespace

PlacedAlignment AlignPlaced(const FrameTrack& reference, const FrameTrack& distorted) {
  if (Status bars = CheckBars(reference, distorted); !bars.ok()) return {std::move(bars), std::nullopt};
  Result<Alignment> as_they_are = AlignTracks(reference, distorted);
  const Pairs none, &pairs = as_they_are.ok() ? as_they_are->pairs : none;
  if (!pairs.empty() && !MayBePlaced(reference, distorted, pairs)) return {std::move(as_they_are), std::nullopt};
  const std::optional<FoundPlacement> found = FindPlacement(reference, distorted, pairs);
  if (!found) return {std::move(as_they_are), std::nullopt};
  // An encoder keeps the number of frames.
  const bool is_plain = as_they_are.ok() && as_they_are->is_plain() && reference.size() == distorted.size();
  if (!found->is_sure && is_plain) return {std::move(as_they_are), found};
  if (!found->is_sure)
    return {Error(StatusCode::kBadData,
                  "one shows a part of the other's picture, and other parts fit as well at other distances in time: "
                  "give the parts that both show (--crop); acutance doctor tells the likely ones"),
            found};
  const auto [part, own] = PartsInCommon(found->placement);
  return {AlignTracks(Cut(reference, part), Cut(distorted, own)), found};
}

bool MayNotFit(const FrameTrack& reference, const FrameTrack& distorted) {
  return !CheckBars(reference, distorted).ok() || MayBePlaced(reference.signatures, distorted.signatures);
}

}  // namespace acutance
