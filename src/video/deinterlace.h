// Deinterlacing: interlaced pictures become progressive ones, one for each frame.
//
// The first field of a frame stays as it is. A sample y of a row of the other field lies, at the first field's time,
// between p (that row of the frame before) and n (of its own frame). Its place is found from its own field and held
// where the picture stands still:
//   t = (p + n + 1) >> 1
//   s = (9 (a + b) - (c + d) + 8) >> 4    a, b: the rows of the first field above and below; c, d: those next to them
//   m = max(|p - n| >> 1, how far a and b lie on average from the frame before, and from the next)
//   y = s, clamped to t - m .. t + m and the samples' bits
// Without a frame before or after, the other one stands for it; without both, y is s.
#pragma once

#include <memory>

#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

/// Whether fields show different times: in a block of 16x16 samples, neighbouring rows differ clearly more than rows
/// of one field do. One block of 400 is enough.
bool IsCombed(const Picture& picture);

/// The picture of the first field of `now`; null: there is no such frame.
Result<Picture> Deinterlace(const Picture* before, const Picture& now, const Picture* after, bool bottom_field_first);

/// Frames that are not combed stay as they are.
Result<std::unique_ptr<VideoSource>> DeinterlaceVideo(std::unique_ptr<VideoSource> source);

}  // namespace acutance
