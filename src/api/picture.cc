#include <algorithm>
#include <cstdint>
#include <limits>

#include "api/access.h"

namespace acutance::api {
namespace {

Status CheckPlanes(const PictureFormat& format, std::span<const PlaneView> planes) {
  const size_t count = format.PlaneCount();
  if (planes.size() != count && planes.size() != 1)
    return Error(StatusCode::kInvalidArgument, "{} planes for a {} picture: give {}, or luma alone", planes.size(),
                 PixelFormatName(format.pixel_format), count);
  for (size_t p = 0; p < planes.size(); ++p) {
    const ptrdiff_t row = ptrdiff_t{format.PlaneWidth(static_cast<int>(p))} * format.BytesPerSample();
    if (!planes[p].data) return Error(StatusCode::kInvalidArgument, "plane {} has no data", p);
    if (planes[p].stride < row && planes[p].stride > -row)
      return Error(StatusCode::kInvalidArgument, "plane {}: a stride of {} bytes is less than a row of {}", p,
                   planes[p].stride, row);
    const auto address = reinterpret_cast<uintptr_t>(planes[p].data);
    if (format.BytesPerSample() == 2 && ((address | static_cast<uintptr_t>(planes[p].stride)) & 1) != 0)
      return Error(StatusCode::kInvalidArgument, "plane {}: samples of two bytes at an odd address or stride", p);
  }
  return {};
}

}  // namespace

Expected<Picture> Picture::Allocate(const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(const MutablePicture allocated, AllocatePicture(format));
  Picture picture;
  picture.format_ = format;
  for (int p = 0; p < format.PlaneCount(); ++p) picture.planes_[p] = {allocated.data[p], allocated.stride[p]};
  picture.owner_ = allocated.memory;
  picture.writable_ = true;
  return picture;
}

Expected<Picture> Picture::Wrap(const PictureFormat& format, std::span<const PlaneView> planes,
                                std::shared_ptr<const void> owner) {
  ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
  ACU_RETURN_IF_ERROR(CheckPlanes(format, planes));
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
      return Error(StatusCode::kInvalidArgument,
                   "a picture on a device has rows from top to bottom, at most {} bytes apart, not {}", kMaxPitch,
                   plane.stride);
  Expected<Picture> picture = Wrap(format, planes, std::move(owner));
  if (picture) picture->device_ = device;
  return picture;
}

acutance::Picture ToEngine(const Picture& picture) {
  acutance::Picture engine{picture.format(), {}, picture.owner()};
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

}  // namespace acutance::api
