// Declarations of containers that FFmpeg does not report: the crop (MP4's clean aperture, Matroska's PixelCrop) and the
// end of the file.
#pragma once

#include <cstdint>
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

// FFmpeg takes the end of a truncated Matroska file for the end of the video.
inline constexpr size_t kDeclaredEndBytes = 256;  // how many of a file's bytes DeclaredFileSize reads

/// The position after the last byte, as the first bytes of a Matroska or WebM file declare it
/// (the size of the Segment element, RFC 8794 and RFC 9559). Other files, and live streams, whose
/// size is unknown, give nullopt.
std::optional<int64_t> DeclaredFileSize(std::string_view start);

}  // namespace acutance
