// Nearest reference frame of a distorted frame that does not show its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fingerprint/frame_fingerprint.h"

namespace acutance {

using FrameCells = decltype(FrameFingerprint::cells);

/// The frame at most 250 from `frame` whose cells lie much nearer to the distorted frame's than those of `frame` do,
/// regardless of changes in brightness and contrast; nullopt: none does.
std::optional<int64_t> NearestReferenceFrame(const FrameCells& distorted, std::span<const FrameCells> reference,
                                             int64_t frame);

}  // namespace acutance
