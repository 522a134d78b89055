#include "cli/raw_format.h"

#include <charconv>
#include <string_view>

namespace acutance::cli {
namespace {

constexpr std::string_view kNv12 = "nv12", kP010 = "p010";

bool ParseSide(std::string_view text, int& side) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc() && end == text.data() + text.size();
}

/// A depth of 8 is what no --bit-depth gives, and passes.
Status SetSemiPlanar(const RawTexts& texts, PictureFormat& format) {
  const int bit_depth = texts.pixel_format == kNv12 ? 8 : 10;
  if (texts.bit_depth != 8 && texts.bit_depth != bit_depth)
    return Error(StatusCode::kInvalidArgument, "--pixel-format {} has {} bits, not {}", texts.pixel_format, bit_depth,
                 texts.bit_depth);
  format.pixel_format = PixelFormat::k420;
  format.bit_depth = bit_depth;
  return {};
}

}  // namespace

Result<PictureFormat> ParseRawFormat(const RawTexts& texts) {
  PictureFormat format;
  format.bit_depth = texts.bit_depth;
  const std::string_view text = texts.size;
  const size_t x = text.find('x');
  if (x == text.npos || !ParseSide(text.substr(0, x), format.width) || !ParseSide(text.substr(x + 1), format.height))
    return Error(StatusCode::kInvalidArgument, "size '{}': expected WIDTHxHEIGHT, such as 1920x1080", texts.size);
  for (PixelFormat candidate : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    if (texts.pixel_format == PixelFormatName(candidate)) format.pixel_format = candidate;
  if (IsSemiPlanar(texts)) ACU_RETURN_IF_ERROR(SetSemiPlanar(texts, format));
  ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
  return format;
}

bool IsSemiPlanar(const RawTexts& texts) { return texts.pixel_format == kNv12 || texts.pixel_format == kP010; }

}  // namespace acutance::cli
