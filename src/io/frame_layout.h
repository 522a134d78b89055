// Layouts of frames in y4m and raw yuv files, NV12 and P010 included.
#pragma once

#include <array>
#include <cstddef>

#include "image/picture.h"
#include "image/picture_pool.h"
#include "io/y4m_header.h"

namespace acutance {

/// Planes follow one another, rows without gaps. Chroma has ceil(w/2) x ceil(h/2) samples in files and floor(w/2) x
/// floor(h/2) in pictures: the last column and row of odd sizes are left out (docs/spec/system.md 5.4).
struct FrameLayout {
  struct FilePlane {
    size_t row_bytes = 0;
    size_t rows = 0;
    size_t bytes() const { return row_bytes * rows; }
  };

  PictureFormat format;
  ChromaConversion conversion = ChromaConversion::kNone;
  std::array<FilePlane, 4> planes{};  // the fourth: alpha
  size_t bytes = 0;                   // of a frame

  size_t bytes_with_chroma() const { return planes[0].bytes() + planes[1].bytes() + planes[2].bytes(); }
};

/// `format` has been checked (CheckPictureFormat): no product overflows.
FrameLayout MakeFrameLayout(const PictureFormat& format, ChromaConversion conversion);

/// The picture of a frame at `memory`, with its chroma unconverted; luma alone with `luma_only`.
Picture PictureInPlace(const FrameLayout& layout, std::shared_ptr<const std::byte> memory, bool luma_only);

/// The picture of a frame of NV12 or P010, whose samples of more than 8 bits stand at the top of 16.
Result<Picture> UnpackSemiPlanar(const PictureFormat& format, const std::byte* frame, bool luma_only,
                                 PicturePool& pool);

/// The refusal of a frame for which no memory is left.
Status NoMemoryForFrame(size_t bytes);

}  // namespace acutance
