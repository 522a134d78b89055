// The crop that a container declares: MP4's clean aperture (clap), Matroska's PixelCrop.
#pragma once

#include <optional>
#include <string_view>

#include "io/byte_stream.h"

namespace acutance {

/// Columns and rows of the decoded picture that are not shown.
struct ContainerCrop {
  int left = 0, right = 0, top = 0, bottom = 0;

  bool operator==(const ContainerCrop&) const = default;
};

/// Reads the crop of a file's first video track that has one (ISO/IEC 14496-12, 12.1.4; RFC 9559, 5.1.4.1.28), and
/// leaves the stream where it was. FFmpeg before 7.0 ignores it, and later versions apply it when they decode.
std::optional<ContainerCrop> FindContainerCrop(ByteStream& stream);

}  // namespace acutance
