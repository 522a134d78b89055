#include "io/frame_layout.h"

#include <cstdint>
#include <utility>

#include "base/int_math.h"

namespace acutance {
namespace {

template <class Sample>
void Unpack(const FrameLayout& planar, const std::byte* frame, bool luma_only, std::byte* memory) {
  const auto* from = reinterpret_cast<const Sample*>(frame);
  auto* to = reinterpret_cast<Sample*>(memory);
  const int shift = static_cast<int>(8 * sizeof(Sample)) - planar.format.bit_depth;
  const size_t luma = planar.planes[0].bytes() / sizeof(Sample), chroma = planar.planes[1].bytes() / sizeof(Sample);
  for (size_t i = 0; i < luma; ++i) to[i] = static_cast<Sample>(from[i] >> shift);
  if (luma_only) return;
  from += luma;
  Sample *const cb = to + luma, *const cr = cb + chroma;
  for (size_t i = 0; i < chroma; ++i) {
    cb[i] = static_cast<Sample>(from[2 * i] >> shift);
    cr[i] = static_cast<Sample>(from[2 * i + 1] >> shift);
  }
}

}  // namespace

FrameLayout MakeFrameLayout(const PictureFormat& format, ChromaConversion conversion) {
  FrameLayout layout{format, conversion};
  const size_t width = static_cast<size_t>(format.width), height = static_cast<size_t>(format.height);
  const size_t sample = static_cast<size_t>(format.BytesPerSample());
  layout.planes[0] = {width * sample, height};
  if (format.pixel_format != PixelFormat::k400) {
    const size_t shrink_x = conversion == ChromaConversion::k411To422  ? 4
                            : format.pixel_format == PixelFormat::k444 ? 1
                                                                       : 2;
    const size_t shrink_y = format.pixel_format == PixelFormat::k420 ? 2 : 1;
    layout.planes[1] = layout.planes[2] = {CeilDiv(width, shrink_x) * sample, CeilDiv(height, shrink_y)};
  }
  if (conversion == ChromaConversion::kSemiPlanar) {
    layout.planes[1].row_bytes *= 2;
    layout.planes[2] = {};
  }
  if (conversion == ChromaConversion::kDropAlpha) layout.planes[3] = layout.planes[0];
  for (const FrameLayout::FilePlane& plane : layout.planes) layout.bytes += plane.bytes();
  return layout;
}

Picture PictureInPlace(const FrameLayout& layout, std::shared_ptr<const std::byte> memory, bool luma_only) {
  const PictureFormat& format = layout.format;
  const std::byte* data = memory.get();
  Picture picture{format, {}, std::move(memory)};
  for (int p = 0; p < (luma_only ? 1 : format.PlaneCount()); ++p) {
    const FrameLayout::FilePlane& file = layout.planes[p];
    Plane& plane = picture.planes[p];
    plane = {data, static_cast<ptrdiff_t>(file.row_bytes), format.PlaneWidth(p), format.PlaneHeight(p)};
    if (layout.conversion == ChromaConversion::kNone || layout.conversion == ChromaConversion::kDropAlpha) {
      plane.more_columns = static_cast<int>(file.row_bytes) / format.BytesPerSample() - plane.width;
      plane.more_rows = static_cast<int>(file.rows) - plane.height;
    }
    data += layout.planes[p].bytes();
  }
  return picture;
}

Result<Picture> UnpackSemiPlanar(const PictureFormat& format, const std::byte* frame, bool luma_only,
                                 PicturePool& pool) {
  const FrameLayout planar = MakeFrameLayout(format, ChromaConversion::kNone);
  std::shared_ptr<std::byte> memory = pool.AllocateBytes(planar.bytes);
  if (!memory) return NoMemoryForFrame(planar.bytes);
  if (format.bit_depth > 8) Unpack<uint16_t>(planar, frame, luma_only, memory.get());
  else Unpack<uint8_t>(planar, frame, luma_only, memory.get());
  return PictureInPlace(planar, std::move(memory), luma_only);
}

Status NoMemoryForFrame(size_t bytes) {
  return Error(StatusCode::kOutOfMemory, "no memory for a picture of {} MB", bytes >> 20);
}

}  // namespace acutance
