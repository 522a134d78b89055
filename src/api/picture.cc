#include <algorithm>
#include <cstdint>
#include <limits>

#include "api/access.h"

namespace acutance::api {
namespace {

acutance::Status CheckPlanes(const acutance::PictureFormat& format, std::span<const PlaneView> planes) {
  const size_t count = format.PlaneCount();
  if (planes.size() != count && planes.size() != 1)
    return Error(acutance::StatusCode::kInvalidArgument, "{} planes for a {} picture: give {}, or luma alone",
                 planes.size(), PixelFormatName(format.pixel_format), count);
  for (size_t p = 0; p < planes.size(); ++p) {
    const ptrdiff_t row = ptrdiff_t{format.PlaneWidth(static_cast<int>(p))} * format.BytesPerSample();
    if (!planes[p].data) return Error(acutance::StatusCode::kInvalidArgument, "plane {} has no data", p);
    if (planes[p].stride < row && planes[p].stride > -row)
      return Error(acutance::StatusCode::kInvalidArgument, "plane {}: a stride of {} bytes is less than a row of {}", p,
                   planes[p].stride, row);
    const auto address = reinterpret_cast<uintptr_t>(planes[p].data);
    if (format.BytesPerSample() == 2 && ((address | static_cast<uintptr_t>(planes[p].stride)) & 1) != 0)
      return Error(acutance::StatusCode::kInvalidArgument, "plane {}: samples of two bytes at an odd address or stride",
                   p);
  }
  return {};
}

}  // namespace

int PictureFormat::PlaneCount() const { return ToEngine(*this).PlaneCount(); }
int PictureFormat::PlaneWidth(int plane) const { return ToEngine(*this).PlaneWidth(plane); }
int PictureFormat::PlaneHeight(int plane) const { return ToEngine(*this).PlaneHeight(plane); }

Expected<Picture> Picture::Allocate(const PictureFormat& format) {
  acutance::Result<MutablePicture> allocated = AllocatePicture(ToEngine(format));
  if (!allocated.ok()) return ToPublic(allocated.status());
  Picture picture;
  picture.format_ = format;
  for (int p = 0; p < format.PlaneCount(); ++p) picture.planes_[p] = {allocated->data[p], allocated->stride[p]};
  picture.owner_ = allocated->memory;
  picture.writable_ = true;
  return picture;
}

Expected<Picture> Picture::Wrap(const PictureFormat& format, std::span<const PlaneView> planes,
                                std::shared_ptr<const void> owner) {
  const acutance::PictureFormat engine_format = ToEngine(format);
  acutance::Status status = CheckPictureFormat(engine_format);
  if (status.ok()) status = CheckPlanes(engine_format, planes);
  if (!status.ok()) return ToPublic(status);
  Picture picture;
  picture.format_ = format;
  std::ranges::copy(planes, picture.planes_.begin());
  picture.owner_ = std::move(owner);
  return picture;
}

Expected<Picture> Picture::WrapDevice(const PictureFormat& format, int device, std::span<const PlaneView> planes,
                                      std::shared_ptr<const void> owner) {
  constexpr ptrdiff_t kMaxPitch = std::numeric_limits<int32_t>::max();  // CUDA's limit for a copy
  for (const PlaneView& plane : planes)
    if (plane.stride < 0 || plane.stride > kMaxPitch)
      return ToPublic(Error(acutance::StatusCode::kInvalidArgument,
                            "a picture on a device has rows from top to bottom, at most {} bytes apart, not {}",
                            kMaxPitch, plane.stride));
  Expected<Picture> picture = Wrap(format, planes, std::move(owner));
  if (picture) picture->device_ = device;
  return picture;
}

PictureFormat ToPublic(const acutance::PictureFormat& format) {
  return {format.width, format.height, format.bit_depth, static_cast<PixelFormat>(format.pixel_format)};
}

acutance::PictureFormat ToEngine(const PictureFormat& format) {
  return {format.width, format.height, format.bit_depth, static_cast<acutance::PixelFormat>(format.pixel_format)};
}

acutance::Picture ToEngine(const Picture& picture) {
  acutance::Picture engine{ToEngine(picture.format()), {}, picture.owner()};
  for (int p = 0; p < engine.format.PlaneCount(); ++p) {
    if (!picture.has_plane(p)) continue;
    if (picture.on_device()) {
      engine.device_planes[p] = {reinterpret_cast<uintptr_t>(picture.data(p)), static_cast<size_t>(picture.stride(p))};
      continue;
    }
    engine.planes[p] = {static_cast<const std::byte*>(picture.data(p)), picture.stride(p), engine.format.PlaneWidth(p),
                        engine.format.PlaneHeight(p)};
  }
  return engine;
}

static_assert(static_cast<int>(PixelFormat::k444) == static_cast<int>(acutance::PixelFormat::k444));

}  // namespace acutance::api
