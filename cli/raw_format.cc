#include "cli/raw_format.h"

#include <charconv>
#include <string_view>
#include <utility>

namespace acutance::cli {
namespace {

bool ParseSide(std::string_view text, int& side) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc() && end == text.data() + text.size();
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
  ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
  return format;
}

}  // namespace acutance::cli
