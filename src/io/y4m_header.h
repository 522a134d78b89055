// y4m stream header and its parser (docs/spec/system.md 5.4).
#pragma once

#include <acutance/facts.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// Conversion of a file's chroma to one of PixelFormat.
enum class ChromaConversion {
  kNone,
  k411To422,    // widened
  kPaldv,       // 4:2:0 with the sample positions of PAL DV, moved to those of MPEG-1
  kDropAlpha,   // a fourth plane follows; left unread
  kSemiPlanar,  // Cb and Cr alternate in one plane; samples of more than 8 bits stand at the top of 16
};

struct Y4mHeader {
  PictureFormat format;
  ChromaConversion conversion = ChromaConversion::kNone;
  VideoFacts facts;  // pixel aspect, siting, fields, and the conversion in words
  std::optional<double> frame_rate;
  std::optional<bool> full_range;  // declared by FFmpeg's tag XCOLORRANGE
  std::vector<std::string> warnings;
};

inline constexpr std::string_view kY4mMagic = "YUV4MPEG";
inline constexpr size_t kY4mHeaderLimit = 255;        // bytes before the line feed
inline constexpr size_t kY4mFrameLineLimit = 5 + 79;  // "FRAME" and its parameters

/// `line` is the header without its line feed. Error messages leave it to the caller to name the file.
Result<Y4mHeader> ParseY4mHeader(std::string_view line);

/// The refusal of fields (t, b, m), for callers that do not deinterlace.
Status InterlacedY4m(std::string_view fields);

/// `text` as a message prints it: at most 40 bytes, with \xNN in place of unprintable ones.
std::string Printable(std::string_view text);

}  // namespace acutance
