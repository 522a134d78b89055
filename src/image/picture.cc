#include "image/picture.h"

#include <cstring>
#include <new>
#include <utility>

#include "base/large_pages.h"
#include "image/picture_pool.h"

namespace acutance {

Status CheckPictureSize(const PictureFormat& format) {
  if (format.width < 1 || format.height < 1 || format.width > kMaxDimension || format.height > kMaxDimension)
    return Error(StatusCode::kInvalidArgument, "picture size {}x{} is out of range: each side must be 1 to {}",
                 format.width, format.height, kMaxDimension);
  return {};
}

Status CheckPictureFormat(const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckPictureSize(format));
  const int depth = format.bit_depth;
  if (depth != 8 && depth != 10 && depth != 12 && depth != 16)
    return Error(StatusCode::kInvalidArgument, "bit depth {} is not supported: use 8, 10, 12 or 16", depth);
  return {};
}

Picture MutablePicture::Share() const {
  Picture picture{format, {}, memory};
  for (int p = 0; p < format.PlaneCount(); ++p)
    picture.planes[p] = {data[p], stride[p], format.PlaneWidth(p), format.PlaneHeight(p)};
  return picture;
}

Result<PictureLayout> LayOutPicture(const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(format.bit_depth == kFloatDepth ? CheckPictureSize(format) : CheckPictureFormat(format));
  constexpr size_t kAlign = PictureLayout::kAlign;
  PictureLayout layout = {.format = format};
  for (int p = 0; p < format.PlaneCount(); ++p) {
    const size_t row = static_cast<size_t>(format.PlaneWidth(p)) * format.BytesPerSample();
    layout.stride[p] = static_cast<ptrdiff_t>((row + kAlign - 1) / kAlign * kAlign);
    layout.offset[p] = layout.bytes;
    layout.bytes += layout.stride[p] * static_cast<size_t>(format.PlaneHeight(p));
  }
  return layout;
}

MutablePicture PictureLayout::In(std::shared_ptr<void> memory) const {
  MutablePicture picture = {.format = format, .stride = stride, .memory = std::move(memory)};
  auto* begin = static_cast<std::byte*>(picture.memory.get());
  for (int p = 0; p < format.PlaneCount(); ++p) picture.data[p] = begin + offset[p];
  return picture;
}

void* AllocatePictureMemory(size_t bytes) {
  void* memory = ::operator new (bytes, std::align_val_t{PictureLayout::kAlign}, std::nothrow);
  // Of pictures of floats, metrics read rows of several at once, each in pages of its own.
  if (memory && bytes >= 4 * kLargePage) PreferLargePages(memory, bytes);
  return memory;
}

void FreePictureMemory(void* memory) { ::operator delete (memory, std::align_val_t{PictureLayout::kAlign}); }

Status NoMemoryForPicture(const PictureLayout& layout) {
  return Error(StatusCode::kOutOfMemory, "no memory for a {}x{} picture ({} MB)", layout.format.width,
               layout.format.height, layout.bytes >> 20);
}

Result<MutablePicture> AllocatePicture(const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(const PictureLayout layout, LayOutPicture(format));
  void* memory = AllocatePictureMemory(layout.bytes);
  if (!memory) return NoMemoryForPicture(layout);
  std::shared_ptr<void> owner(memory, FreePictureMemory);
  std::memset(memory, 0, layout.bytes);
  return layout.In(std::move(owner));
}

}  // namespace acutance
