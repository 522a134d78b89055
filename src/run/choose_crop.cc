#include "run/choose_crop.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "align/black_bars.h"
#include "align/crop_search.h"

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

/// The same part of another size.
Rectangle ScaleTo(const PictureFormat& to, const PictureFormat& from, const Rectangle& part) {
  const auto scaled = [](int value, int numerator, int denominator) {
    return static_cast<int>((int64_t{value} * numerator + denominator / 2) / denominator);
  };
  return AlignToChroma({scaled(part.width, to.width, from.width), scaled(part.height, to.height, from.height),
                        scaled(part.x, to.width, from.width), scaled(part.y, to.height, from.height)},
                       to.pixel_format);
}

/// The picture of a video as it is shown.
PictureFormat ShownFormat(const VideoSource& video) {
  PictureFormat format = video.format();
  if (video.facts().orientation.transposed) std::swap(format.width, format.height);
  return format;
}

Rectangle WholeOf(const PairReaderInput& input) {
  const PictureFormat format = ShownFormat(*input.video);
  return {format.width, format.height};
}

ShapedVideo ShapeOf(const PairReaderInput& input) {
  const double aspect = input.video->facts().pixel_aspect;
  return {ShownFormat(*input.video), input.crop.value_or(WholeOf(input)), aspect};
}

void CropTo(const Rectangle& part, PairReaderInput& input) {
  input.crop = part == WholeOf(input) ? std::nullopt : std::optional(part);
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

Result<std::optional<Rectangle>> ChooseCrop(const CropChoice& choice, const PairReaderInput& input,
                                            const PairReaderInput& reference, const OpenOptions& open,
                                            const std::function<void(std::string)>& warn) {
  const PictureFormat& format = input.video->format();
  if (choice.find_bars) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Rectangle> content, FindBlackBars(input.name, open));
    if (!content) warn(fmt::format("{} is too dark to tell its bars; nothing of it is cut off", input.name));
    return content && *content != WholeOf(input) ? content : std::nullopt;
  }
  if (!choice.reference || &input == &reference) return choice.reference;
  if (choice.distorted) return choice.distorted;
  return std::optional(ScaleTo(format, reference.video->format(), *choice.reference));
}

Status CropToSharedShape(const OpenOptions& open, PairReaderInput& reference, PairReaderInput& distorted) {
  const ShapedVideo one = ShapeOf(reference), other = ShapeOf(distorted);
  if (!ShapesDiffer(one, other)) return {};
  ACU_ASSIGN_OR_RETURN(const std::optional<ShapeParts> parts,
                       FindShapeParts(reference.name, one, distorted.name, other, open));
  if (!parts) return {};
  CropTo(parts->reference, reference);
  CropTo(parts->distorted, distorted);
  return {};
}

}  // namespace acutance
