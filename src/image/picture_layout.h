// Where a picture's planes lie in one piece of memory.
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

/// `bytes` of memory that begins at a multiple of PictureLayout::kAlign; null where there is none. FreePictureMemory
/// takes it back.
void* AllocatePictureMemory(size_t bytes);
void FreePictureMemory(void* memory);

Status NoMemoryForPicture(const PictureLayout& layout);

}  // namespace acutance
