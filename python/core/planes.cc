#include "python/core/planes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "python/core/errors.h"

namespace nb = nanobind;

namespace acutance::python {
namespace {

std::string ShapeOf(const Array& array) {
  std::string text = "(";
  for (size_t i = 0; i < array.ndim(); ++i) text += (i ? ", " : "") + std::to_string(array.shape(i));
  return text + ")";
}

bool IsUnsigned(const Array& array) { return array.dtype().code == static_cast<uint8_t>(nb::dlpack::dtype_code::UInt); }

/// Whether a tensor is in CUDA memory. Managed memory counts, because the processor might read it
/// before the device has written it.
bool IsOnCuda(const Array& array) {
  return array.device_type() == nb::device::cuda::value || array.device_type() == nb::device::cuda_managed::value;
}

void CheckArray(const Array& array, const PictureName& what) {
  if (array.ndim() != 2)
    RaiseArgument(what + ": a plane is a 2-d array of shape (height, width), not " + ShapeOf(array) +
                  "; give planes as a tuple (y, cb, cr), and packed RGB converted to such planes");
  if (!IsUnsigned(array) || (array.itemsize() != 1 && array.itemsize() != 2) || array.dtype().lanes != 1)
    RaiseArgument(what + ": samples are uint8 or uint16, value in the low bits; convert the array with astype()");
  if (!IsOnHost(array) && !IsOnCuda(array))
    Raise({StatusCode::kUnsupported, what + ": an array on a device of DLPack type " +
                                         std::to_string(array.device_type()) +
                                         ": of devices' memory, CUDA's alone can be read; copy it to the host"});
}

int BitDepthOf(const Planes& planes, const FormatHints& hints, const PictureName& what) {
  const size_t bytes = planes[0].itemsize();
  for (const Array& plane : planes)
    if (plane.itemsize() != bytes) RaiseArgument(what + ": planes mix uint8 and uint16");
  if (bytes == 1 && hints.bit_depth.value_or(8) != 8)
    RaiseArgument(what + ": uint8 samples in a session of bit_depth=" + std::to_string(*hints.bit_depth) +
                  "; give uint16");
  if (bytes == 2 && !hints.bit_depth)
    RaiseArgument(what + ": uint16 samples have no declared depth; make the session with bit_depth=10, 12 or 16");
  if (bytes == 2 && *hints.bit_depth == 8) RaiseArgument(what + ": uint16 samples in a session of bit_depth=8");
  return bytes == 1 ? 8 : *hints.bit_depth;
}

/// Chroma of odd sizes may be rounded down, as libvmaf counts, or up, as video formats do.
bool HasChromaShape(const PictureFormat& format, const Array& chroma) {
  const auto fits = [](size_t size, int luma, int rounded_down) {
    const auto least = static_cast<size_t>(rounded_down);
    return size == least || (least != static_cast<size_t>(luma) && size == static_cast<size_t>(luma + 1) / 2);
  };
  return fits(chroma.shape(0), format.height, format.PlaneHeight(1)) &&
         fits(chroma.shape(1), format.width, format.PlaneWidth(1));
}

PixelFormat PixelFormatOfChroma(PictureFormat format, const Planes& planes, const PictureName& what) {
  std::vector<PixelFormat> fitting;
  for (const PixelFormat candidate : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444}) {
    format.pixel_format = candidate;
    if (HasChromaShape(format, planes[1]) && HasChromaShape(format, planes[2])) fitting.push_back(candidate);
  }
  if (fitting.size() == 1) return fitting[0];
  const std::string shapes =
      ": luma " + ShapeOf(planes[0]) + " with chroma " + ShapeOf(planes[1]) + " and " + ShapeOf(planes[2]);
  if (fitting.empty()) RaiseArgument(what + shapes + " is none of 4:2:0, 4:2:2 and 4:4:4");
  RaiseArgument(what + shapes + " can be several pixel formats; make the session with pixel_format");
}

}  // namespace

PixelFormat PixelFormatOf(const std::string& name) {
  for (const PixelFormat format : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    if (name == PixelFormatName(format)) return format;
  RaiseArgument("no pixel format '" + name + "': there are 400, 420, 422 and 444");
}

std::string Describe(const PictureFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height) + ", " + std::to_string(format.bit_depth) +
         " bit, " + PixelFormatName(format.pixel_format);
}

std::string operator+(const PictureName& name, const std::string& message) {
  return "frame " + std::to_string(name.frame) + ", " + name.video + message;
}

Planes PlanesOf(const std::vector<nb::object>& arrays, const PictureName& what) {
  Planes planes(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!nb::try_cast(arrays[i], planes[i]))
      Raise({StatusCode::kUnsupported,
             what + ": " + nb::type_name(arrays[i].type()).c_str() +
                 " does not lend its samples through DLPack; copy it to the host, into a numpy array"});
  return planes;
}

PictureFormat FormatOf(const Planes& planes, const FormatHints& hints, const PictureName& what) {
  if (planes.size() != 1 && planes.size() != 3)
    RaiseArgument(what + ": " + std::to_string(planes.size()) + " planes; give luma alone or (y, cb, cr)");
  for (const Array& plane : planes) {
    CheckArray(plane, what);
    if (DeviceOf(plane) != DeviceOf(planes[0])) RaiseArgument(what + ": its planes lie on several devices");
  }
  constexpr size_t kLargest = 32768;
  if (planes[0].shape(0) > kLargest || planes[0].shape(1) > kLargest)
    RaiseArgument(what + ": shape " + ShapeOf(planes[0]) + ": width and height are 1 to 32768");
  PictureFormat format;
  format.width = static_cast<int>(planes[0].shape(1));
  format.height = static_cast<int>(planes[0].shape(0));
  format.bit_depth = BitDepthOf(planes, hints, what);
  if (planes.size() == 1) {
    format.pixel_format = hints.pixel_format.value_or(PixelFormat::k400);
    return format;
  }
  format.pixel_format = hints.pixel_format ? *hints.pixel_format : PixelFormatOfChroma(format, planes, what);
  if (format.pixel_format == PixelFormat::k400 || !HasChromaShape(format, planes[1]) ||
      !HasChromaShape(format, planes[2]))
    RaiseArgument(what + ": chroma of shape " + ShapeOf(planes[1]) + " and " + ShapeOf(planes[2]) +
                  " in a session of pixel_format='" + PixelFormatName(format.pixel_format) + "' and luma " +
                  ShapeOf(planes[0]));
  return format;
}

std::optional<int> DeviceOf(const Array& plane) {
  return IsOnCuda(plane) ? std::optional(plane.device_id()) : std::nullopt;
}

bool CanLend(const Planes& planes) {
  return std::ranges::all_of(planes, [](const Array& plane) {
    const auto width = static_cast<int64_t>(plane.shape(1));
    const bool rows_apart = plane.stride(0) >= width || plane.stride(0) <= -width || plane.shape(0) == 1;
    const bool aligned = reinterpret_cast<uintptr_t>(plane.data()) % plane.itemsize() == 0;
    return (plane.stride(1) == 1 || width == 1) && rows_apart && aligned;
  });
}

Expected<Picture> Lend(const PictureFormat& format, const Planes& planes, std::shared_ptr<const void> owner) {
  std::vector<PlaneView> views;
  for (const Array& plane : planes) {
    const auto bytes = static_cast<int64_t>(plane.itemsize());
    const int64_t stride = plane.shape(0) == 1 ? static_cast<int64_t>(plane.shape(1)) : plane.stride(0);
    views.push_back({plane.data(), stride * bytes});
  }
  if (const std::optional<int> device = DeviceOf(planes[0]))
    return Picture::WrapDevice(format, *device, views, std::move(owner));
  return Picture::Wrap(format, views, std::move(owner));
}

Expected<Picture> Copy(const PictureFormat& format, const Planes& planes) {
  Expected<Picture> picture = Picture::Allocate(format);
  if (!picture) return picture;
  std::vector<PlaneView> views;
  for (size_t p = 0; p < planes.size(); ++p) {
    const Array& plane = planes[p];
    const auto bytes = static_cast<int64_t>(plane.itemsize());
    const int width = format.PlaneWidth(static_cast<int>(p));
    auto* to = static_cast<uint8_t*>(picture->mutable_data(static_cast<int>(p)));
    views.push_back({to, picture->stride(static_cast<int>(p))});
    for (int y = 0; y < format.PlaneHeight(static_cast<int>(p)); ++y, to += views.back().stride) {
      const auto* from = static_cast<const uint8_t*>(plane.data()) + y * plane.stride(0) * bytes;
      if (plane.stride(1) == 1) std::memcpy(to, from, static_cast<size_t>(width * bytes));
      else
        for (int x = 0; x < width; ++x) std::memcpy(to + x * bytes, from + x * plane.stride(1) * bytes, bytes);
    }
  }
  // Picture::Wrap keeps luma alone as luma alone.
  return Picture::Wrap(format, views, picture->owner());
}

}  // namespace acutance::python
