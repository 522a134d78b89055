// Memory of pictures that come and go with the frames of a clip.
#pragma once

#include <cstddef>
#include <memory>

#include "image/picture.h"

namespace acutance {

/// What a picture leaves behind becomes the next one of its size: the system clears new pages one by one, which takes
/// as long as computing many a picture. Several threads may allocate pictures and drop them. Pictures may outlive the
/// pool.
class PicturePool {
 public:
  PicturePool();

  /// Like AllocatePicture, but samples and padding are whatever lies there.
  Result<MutablePicture> Allocate(const PictureFormat& format);

  /// Memory for a picture of another layout; it begins at a multiple of 64. Null where there is none.
  std::shared_ptr<std::byte> AllocateBytes(size_t bytes);

 private:
  class FreeBlocks;
  std::shared_ptr<FreeBlocks> free_;
};

}  // namespace acutance
