// Changes of a hypothesis, one at a time: what people and tools do to videos before they compare them.
#pragma once

#include <functional>
#include <vector>

#include "run/explain/clip_frames.h"
#include "run/explain/hypothesis.h"

namespace acutance {

inline constexpr int64_t kLongestShift = 8;  // frames by which an offset may change

using HypothesisChange = std::function<void(Hypothesis&)>;

/// The changes that may be made to `from`; the likelier ones first.
/// first_logged: the number of the log's first frame.
std::vector<HypothesisChange> ChangesOf(const Hypothesis& from, const ClipFrames& reference,
                                        const ClipFrames& distorted, int64_t first_logged);

/// Crops of both videos, with all pairs of usual widths and heights.
std::vector<HypothesisChange> CropsOf(const PictureFormat& format);

/// The edges of the video that are black in all frames that were read, as a filter that detects crops finds them:
/// even numbers, and those that leave multiples of 16. Empty: there are none.
std::vector<Margins> BlackEdges(const ClipFrames& clip);

}  // namespace acutance
