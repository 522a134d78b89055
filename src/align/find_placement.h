// Detection of crops by fingerprints: one video shows a part of the other's picture, scaled to full size.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "align/alignment.h"
#include "align/placement.h"

namespace acutance {

struct FoundPlacement {
  Placement placement;
  /// False: at other offsets in time another placement fits as well, as in an even pan.
  bool is_sure = true;
  std::vector<Placement> others{};     // the two of these that are farthest apart in time; none where it is sure
  std::optional<Placement> in_step{};  // the one of these at which frame k shows a part of frame k, if there is one
};

/// How large a crop is looked for, and at which offsets in time.
enum class CropReach {
  kUpToAnEighth,    // of a side, at both ends of it; at every offset within kMostSecondsApart
  kUpToNearlyHalf,  // of a side, at the given pairs or a few frames from them: for diagnoses
};

/// The placement in which frames fit far better than as they are, at any pairing of frames. `pairs` says where to
/// begin: at them or frames near to them; without pairs the search goes by times. nullopt: there is no such placement,
/// or it is the full picture within 0.6 %.
std::optional<FoundPlacement> FindPlacement(const FrameTrack& reference, const FrameTrack& distorted,
                                            const PairList& pairs, CropReach reach = CropReach::kUpToAnEighth);

/// Whether FindPlacement may find a crop in frames that are paired one by one. Costs a fraction of a millisecond.
bool MayBeCropped(const std::vector<FrameFingerprint>& reference, const std::vector<FrameFingerprint>& distorted);

/// Up to 12 numbers of frames, evenly spaced.
std::vector<int64_t> SampleFrameNumbers(int64_t count);

}  // namespace acutance
