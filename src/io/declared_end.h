// Where a container says that it ends: FFmpeg takes the end of a truncated Matroska file for the end of the video.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace acutance {

inline constexpr size_t kDeclaredEndBytes = 256;  // that DeclaredEnd wants to see

/// The position after the last byte, by the first bytes of a Matroska or WebM file (RFC 8794, RFC 9559: the size of the
/// Segment element); nullopt for other files and for live streams, whose size is unknown.
std::optional<int64_t> DeclaredEnd(std::string_view start);

}  // namespace acutance
