// Pictures from arrays.
#pragma once

#include <acutance/acutance.h>

#include <optional>
#include <string>
#include <vector>

#include "python/core/loan.h"

namespace acutance::python {

/// Luma, or luma and two planes of chroma.
using Planes = std::vector<Array>;

/// The start of messages about a picture: "frame 3, reference".
struct PictureName {
  int64_t frame;
  const char* video;
};
std::string operator+(const PictureName& name, const std::string& message);

/// The planes of numpy arrays, of tensors that speak DLPack and of their capsules, which can be
/// taken once. Raises UnsupportedError for other objects.
Planes PlanesOf(const std::vector<nanobind::object>& arrays, const PictureName& what);

/// What the arrays of a picture do not declare.
struct FormatHints {
  std::optional<int> bit_depth;             // depth of uint16 samples
  std::optional<PixelFormat> pixel_format;  // not set: the shape of chroma decides
};

/// The format of a picture with these planes; raises InvalidArgumentError or UnsupportedError.
PictureFormat FormatOf(const Planes& planes, const FormatHints& hints, const PictureName& what);

/// The CUDA device that a plane lies on, the same for all planes of a checked picture; not set: the host.
std::optional<int> DeviceOf(const Array& plane);

/// Whether every plane's rows are contiguous and apart, as Picture::Wrap needs them.
bool CanLend(const Planes& planes);

/// A picture of samples that stay where they are, on the host or a device.
Expected<Picture> Lend(const PictureFormat& format, const Planes& planes, std::shared_ptr<const void> owner);

/// A picture with its own copy of planes on the host. Needs no GIL.
Expected<Picture> Copy(const PictureFormat& format, const Planes& planes);

std::string Describe(const PictureFormat& format);   // "640x360, 8 bit, 420"
PixelFormat PixelFormatOf(const std::string& name);  // raises InvalidArgumentError

}  // namespace acutance::python
