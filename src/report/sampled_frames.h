// Frames that stand for all of a video where looking at each would cost too much.
#pragma once

#include <cstdint>
#include <vector>

namespace acutance {

/// All frames of which one in `subsample` is scored, or at most `most` of them: one of each of `most` equal parts, at
/// places that repeat with no period, as encodes do with their key frames. The same in each call.
std::vector<int64_t> SampledFrames(int64_t frames, int subsample, int64_t most);

}  // namespace acutance
