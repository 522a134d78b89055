// Conversion of frames whose size, chroma, bit depth or range differ from those of their video's first frame.
#pragma once

#include "image/picture.h"
#include "io/frame_changes.h"

namespace acutance {

/// A FrameFit for one video. A frame of another size comes with samples of the first one's size, and as a lazy picture
/// (Picture::lazy) whose source has the frame's own size, so that ScaleVideo scales once.
FrameFit MakeFrameFit();

/// Whether a FrameFit scaled the picture.
inline bool HasOwnSize(const Picture& picture) { return picture.lazy && picture.planes[0].data; }

/// The picture at its video's size, without the source that it was scaled from.
Picture WithoutOwnSize(Picture picture);

}  // namespace acutance
