// Frames of NV12 and P010: a plane of luma, and one in which Cb and Cr alternate.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "image/picture.h"
#include "io/buffer_pool.h"
#include "io/frame_layout.h"

namespace acutance {

/// Makes pictures of planes from them. Samples of more than 8 bits stand at the top of 16 in the frame.
class SemiPlanarFrames {
 public:
  /// `format` is that of the pictures.
  explicit SemiPlanarFrames(const PictureFormat& format);

  Result<Picture> Unpack(const std::byte* frame, bool luma_only);

 private:
  const FrameLayout planar_;
  BufferPool pool_;
};

}  // namespace acutance
