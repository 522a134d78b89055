#include <algorithm>
#include <charconv>

#include "run/score_run.h"

namespace acutance {
namespace {

bool ReadSide(std::string_view text, int& side) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  return error == std::errc() && end == text.data() + text.size() && side >= 0;
}

Result<Rectangle> ParseRectangle(std::string_view text) {
  Rectangle rectangle;
  int* const sides[] = {&rectangle.width, &rectangle.height, &rectangle.x, &rectangle.y};
  std::string_view rest = text;
  for (int* const side : sides) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    const bool is_last = side == sides[3];
    if (!ReadSide(rest.substr(0, colon), *side) || is_last != (colon == rest.size()))
      return Error(StatusCode::kInvalidArgument,
                   "crop {}: expected auto, none, or WIDTH:HEIGHT:X:Y, such as 1920:800:0:140 (of both videos; "
                   "REF,DIS gives one each)",
                   text);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return rectangle;
}

}  // namespace

Result<CropChoice> ParseCrop(std::string_view text) {
  CropChoice crop;
  crop.find_bars = text == "auto";
  if (crop.find_bars || text == "none") return crop;
  const size_t comma = std::min(text.find(','), text.size());
  ACU_ASSIGN_OR_RETURN(crop.reference, ParseRectangle(text.substr(0, comma)));
  if (comma == text.size()) return crop;
  ACU_ASSIGN_OR_RETURN(crop.distorted, ParseRectangle(text.substr(comma + 1)));
  return crop;
}

}  // namespace acutance
