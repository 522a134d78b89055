// Where a container says that it ends. FFmpeg cannot tell: it takes the end of a truncated
// Matroska file for the end of the video.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace acutance {

inline constexpr size_t kDeclaredEndBytes = 256;  // how many of a file's bytes DeclaredFileSize reads

/// The position after the last byte, as the first bytes of a Matroska or WebM file declare it
/// (the size of the Segment element, RFC 8794 and RFC 9559). Other files, and live streams, whose
/// size is unknown, give nullopt.
std::optional<int64_t> DeclaredFileSize(std::string_view start);

}  // namespace acutance
