// Picture memory: where a picture's planes lie in one allocation, and a pool for pictures that come and go with frames.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "image/picture.h"

namespace acutance {

/// Rows are padded to 64 bytes, and so is the beginning of each plane.
struct PictureLayout {
  static constexpr size_t kAlign = 64;

  PictureFormat format;
  std::array<ptrdiff_t, 3> stride{};
  std::array<size_t, 3> offset{};
  size_t bytes = 0;

  MutablePicture In(std::shared_ptr<void> memory) const;
};

/// The layout of a format of samples or of floats. Fails where the format is invalid.
Result<PictureLayout> LayOutPicture(const PictureFormat& format);

/// `bytes` of memory aligned to PictureLayout::kAlign, to be returned by FreePictureMemory; null if out of memory.
void* AllocatePictureMemory(size_t bytes);
void FreePictureMemory(void* memory);

Status NoMemoryForPicture(const PictureLayout& layout);

/// Reuses the memory of dropped pictures for new ones of their size: the system clears new pages one by one, which
/// takes as long as computing many a picture. Several threads may allocate and drop pictures. Pictures may outlive the
/// pool.
class PicturePool {
 public:
  PicturePool();

  /// Like AllocatePicture, but samples and padding are undefined.
  Result<MutablePicture> Allocate(const PictureFormat& format);

  /// Memory for a picture of another layout; it begins at a multiple of 64. Null where there is none.
  std::shared_ptr<std::byte> AllocateBytes(size_t bytes);

 private:
  class FreeBlocks;
  std::shared_ptr<FreeBlocks> free_;
};

}  // namespace acutance
